//! Self-reviews: refuses a gate's review by the agent whose work it reviews, and marks those that happened.

use bugle_client::Client;
use bugle_core::engine::{Assignment, ChildReport, Refusal};
use bugle_core::hook::hooks_are_quiet;
use bugle_core::id::{Actor, ChildToken, SessionId, VisitToken};
use bugle_core::review::{Involvement, Reviewer};
use bugle_core::workflow::StepDef;
use bugle_store::{RunRow, Store};

use super::RunSelector;
use crate::delegation::child_of;
use crate::open_run::OpenRun;
use crate::permissions::is_agent_without_session;
use crate::runs::{children, refused, select};
use crate::{AppError, Context, open_run};

/// Refuses to start the review of a gate for the agent whose work it reviews.
pub(super) fn refuse_to_start_own_review(
    store: &mut Store,
    ctx: &Context,
    parent: &OpenRun,
    child: &ChildToken,
) -> Result<(), AppError> {
    match gate_of(parent, child) {
        Some(gate) if current_reviewer(store, ctx, parent, &child.to_string())?.is_refused() => {
            let child = child.clone();
            Err(refused(ctx, parent, &Refusal::SelfReview { gate, child }))
        }
        _ => Ok(()),
    }
}

/// Refuses a reviewer's report to the agent whose work it reviews.
pub(super) fn refuse_to_report_own_review(
    store: &mut Store,
    ctx: &Context,
    review: &OpenRun,
) -> Result<(), AppError> {
    let child = child_of(&review.state).filter(|child| matches!(child.assignment, Assignment::Review(_)));
    let (Some(child), Some(visit)) = (child, review.state.current_token()) else {
        return Ok(());
    };
    let parent = children::parent_of(store, ctx, &child.token)?;
    match gate_of(&parent, &child.token) {
        Some(gate) if current_reviewer(store, ctx, &parent, &visit.to_string())?.is_refused() => {
            let child = child.token.clone();
            Err(refused(ctx, review, &Refusal::SelfReview { gate, child }))
        }
        _ => Ok(()),
    }
}

/// The reviewers of a gate, from 1, whose review was a self-review.
pub(super) fn self_reviews(
    store: &mut Store,
    ctx: &Context,
    gate: &OpenRun,
    reports: &[ChildReport],
) -> Result<Vec<u32>, AppError> {
    let mut slots = Vec::new();
    for report in reports {
        let review = open_run::read_state(store, &report.run)?;
        let last = review
            .head()
            .and_then(|visit| Some((visit, visit.ending.as_ref()?)));
        let Some((visit, ending)) = last else { continue };
        let token = VisitToken {
            run: report.run.clone(),
            visit: visit.number,
        };
        let by = match &ending.by {
            Actor::Agent(session) => Some(session),
            _ => None,
        };
        if reviewer(store, ctx, gate, by, &token.to_string())?.is_self() {
            slots.push(report.slot);
        }
    }
    Ok(slots)
}

fn current_reviewer(
    store: &mut Store,
    ctx: &Context,
    parent: &OpenRun,
    token: &str,
) -> Result<Reviewer, AppError> {
    let session = ctx.session.clone();
    reviewer(store, ctx, parent, session.as_ref(), token)
}

/// The reviewer that runs a command in a session. `token` is the visit or sub-agent that the command names.
fn reviewer(
    store: &mut Store,
    ctx: &Context,
    parent: &OpenRun,
    by: Option<&SessionId>,
    token: &str,
) -> Result<Reviewer, AppError> {
    let row = select::select(store, ctx, &RunSelector::Run(parent.state.id.clone()))?;
    let Some(session) = row.session.clone().filter(|session| by == Some(session)) else {
        // Without sessions, the agents of a client cannot be told apart.
        let unknown = row.session.is_none() && by.is_none() && is_agent_without_session(ctx);
        return Ok(Reviewer::of(unknown, None, false));
    };
    let seen = match store.subagent_caller(&session, token)? {
        Some(agent) => {
            let calls = store.subagent_calls(&session, &agent)?;
            Some(involvement(parent, &row, &calls))
        }
        None => None,
    };
    let known = store.session(&session)?;
    let hooks_tell = known.is_some_and(|known| {
        let client = Client::named(&known.client);
        client.is_some_and(Client::tells_subagents_apart)
            && known.ended.is_none()
            && !hooks_are_quiet(known.seen_at, row.changed_at, ctx.now())
    });
    Ok(Reviewer::of(true, seen, hooks_tell))
}

/// The name of the gate that a sub-agent reviews for.
fn gate_of(parent: &OpenRun, child: &ChildToken) -> Option<String> {
    let gate = step_of(parent, child)?.gate.as_ref()?;
    Some(gate.name.clone())
}

/// Whether a sub-agent works on a step that is no gate.
fn is_builder(parent: &OpenRun, child: &ChildToken) -> bool {
    step_of(parent, child).is_some_and(|step| step.gate.is_none())
}

/// The step that dispatched a sub-agent. A condensed run knows the steps of the visits that it dropped.
fn step_of<'a>(parent: &'a OpenRun, child: &ChildToken) -> Option<&'a StepDef> {
    let step = parent.state.step_of(child.parent.visit)?;
    parent.workflow.step(step)
}

/// Whether a sub-agent worked on a run, by the tokens in its commands: it leads the run, or works on a step that is no
/// gate.
fn involvement(parent: &OpenRun, row: &RunRow, calls: &[String]) -> Involvement {
    let is_work = |call: &String| {
        call.parse::<ChildToken>().is_ok_and(|child| {
            let is_leader = row.child.as_ref() == Some(&child);
            is_leader || child.parent.run == parent.state.id && is_builder(parent, &child)
        })
    };
    if calls.iter().any(is_work) {
        Involvement::Author
    } else {
        Involvement::None
    }
}
