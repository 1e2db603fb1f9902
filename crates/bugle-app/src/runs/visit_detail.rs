//! Shows one visit of a run.

use bugle_core::engine::{Refusal, context};
use bugle_core::id::{VisitNumber, VisitToken};
use bugle_core::reply::VisitDetail;
use bugle_core::workflow::{DispatchWork, StepDef, StepText};
use bugle_render::template::Engine;
use bugle_store::Store;

use super::refusal::refused;
use super::{RunSelector, select};
use crate::open_run::{self, OpenRun};
use crate::{AppError, Context, pinning};

/// A visit: the step's text as the agent saw it, and what the agent returned.
pub fn show_visit(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    number: VisitNumber,
) -> Result<VisitDetail, AppError> {
    let row = select::select(store, ctx, selector)?;
    // Earlier visits decide which values the visit's text had, so a condensed state is not enough.
    let run = open_run::read_whole(store, &row.id, &row.directory)?;
    let Some(visit) = run.state.visit(number) else {
        return Err(refused(ctx, &run, &Refusal::UnknownVisit(number)));
    };
    let ending = visit.ending.as_ref();
    Ok(VisitDetail {
        visit: VisitToken {
            run: run.state.id.clone(),
            visit: number,
        },
        step: visit.step.clone(),
        prompt: prompt(store, &run, number),
        outcome: ending.map(|ending| ending.outcome),
        returned: ending.and_then(|ending| ending.returned().cloned()),
        merged: ending
            .filter(|ending| ending.merged.is_some())
            .and_then(|ending| ending.result.clone()),
        also_found: ending.map_or_else(Vec::new, |ending| ending.also_found.clone()),
        reason: ending.and_then(|ending| ending.reason.clone()),
    })
}

/// The step's text at a visit. `None` if the run's current version of the skill cannot render it.
fn prompt(store: &mut Store, run: &OpenRun, number: VisitNumber) -> Option<String> {
    let step = run.workflow.step(run.state.step_of(number)?)?;
    if is_brief(step) {
        return Some(step.title.clone());
    }
    let text = match &step.action {
        StepText::Literal(text) => return Some(text.clone()),
        StepText::Inline(text) => text.clone(),
        StepText::File(path) => pinning::text(store, &run.compiled, path).ok()?,
    };
    let values = context(&run.state, &run.workflow, number).for_templates();
    Engine::default().render(&text, &values).ok()
}

/// Whether the step's text is the brief of its sub-agents.
fn is_brief(step: &StepDef) -> bool {
    step.dispatch
        .as_ref()
        .is_some_and(|dispatch| dispatch.work == DispatchWork::Brief)
}
