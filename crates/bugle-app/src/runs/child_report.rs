//! Sub-agents' reports: the final message to the orchestrator, and a notice per sub-agent of a run.

use bugle_core::engine::{ChildReport, ChildState, RunState, required_reports};
use bugle_core::id::{ChildToken, VisitToken};
use bugle_core::reply::{OrchestratorView, ReportProgress, ReportedWork, RunNotice};
use bugle_store::Store;

use super::RunSelector;
use super::loaded::{Children, ParentRun};
use super::run_tree::is_waited_for;
use crate::delegation::child_of;
use crate::open_run::OpenRun;
use crate::runs::select;
use crate::{AppError, Context, open_run};

/// A sub-agent's final message to its orchestrator; `None` if the run is not a sub-agent's. `parent` is the
/// orchestrator's run, if the caller has read it.
pub(super) fn report_to_orchestrator(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    parent: Option<ParentRun>,
) -> Result<Option<OrchestratorView>, AppError> {
    let state = &run.state;
    let (Some(child), Some(report)) = (child_of(state), ChildReport::of(state)) else {
        return Ok(None);
    };
    let work = ReportedWork::of(&child.assignment, report.state);
    let mut parent = if let Some(parent) = parent {
        parent
    } else {
        let selector = RunSelector::Visit(child.token.parent.clone());
        ParentRun::new(select::select(store, ctx, &selector)?)
    };
    let parent = parent.open(store, child.token.parent.visit, run)?;
    let token = child.token.parent.to_string();
    let (progress, command) = if is_waited_for(parent, &child.token) {
        let reports = Children::read_beside(store, &parent.state, Some(state))?.reports;
        let reported = reports
            .iter()
            .filter(|report| report.state.has_reported())
            .count();
        let visit = parent.state.current();
        let step = visit.and_then(|visit| parent.workflow.step(&visit.step));
        let wanted = step
            .zip(visit)
            .map_or(0, |(step, visit)| required_reports(step, visit));
        let clean = reports
            .iter()
            .all(|report| matches!(report.state, ChildState::Finished(_)));
        if reported < wanted {
            let progress = ReportProgress::Partial { reported, wanted };
            (progress, ctx.command(&["step", &token]))
        } else if clean {
            (ReportProgress::Complete, ctx.command(&["done", &token]))
        } else {
            (ReportProgress::Complete, ctx.command(&["step", &token]))
        }
    } else {
        let run = parent.state.id.clone();
        let command = ctx.command(&["step", run.as_str()]);
        (ReportProgress::Late(run), command)
    };
    Ok(Some(OrchestratorView {
        work,
        progress,
        report: ctx.command(&["run", "show", state.id.as_str()]),
        command,
        interface: ctx.interface,
    }))
}

/// A notice for each sub-agent that a run has started.
pub(super) fn subagent_notices(store: &mut Store, state: &RunState) -> Result<Vec<RunNotice>, AppError> {
    let mut notices = Vec::new();
    for visit in state.visits().iter().filter(|visit| visit.dispatched.is_some()) {
        for row in store.children(&state.id, visit.number)? {
            if let Some(report) = ChildReport::of(&open_run::read_state(store, &row.id)?) {
                let parent = VisitToken {
                    run: state.id.clone(),
                    visit: visit.number,
                };
                notices.push(RunNotice::Subagent {
                    token: ChildToken {
                        parent,
                        slot: report.slot,
                    },
                    run: report.run,
                    state: report.state,
                });
            }
        }
    }
    Ok(notices)
}
