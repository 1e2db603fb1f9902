//! Self-reviews: refuses a gate's review by the agent whose work is reviewed, and marks self-reviews that took place.

use bugle_client::Client;
use bugle_core::engine::{Assignment, Refusal};
use bugle_core::hook::hooks_are_quiet;
use bugle_core::id::{Actor, ChildToken, SessionId, VisitToken};
use bugle_core::review::{Involvement, Reviewer};
use bugle_core::workflow::StepDef;
use bugle_store::{RunRow, SessionRow, Store};

use super::loaded::{Children, ParentRun};
use super::refusal::refused;
use crate::delegation::child_of;
use crate::open_run::OpenRun;
use crate::permissions::is_agent_without_session;
use crate::{AppError, Context};

/// Identifies the reviewer. Caches the reviewer's session.
pub(super) struct Reviewers {
    session: Option<SessionRow>,
}

impl Reviewers {
    /// Creates the cache. `session` is the caller's session, if the caller has read it.
    pub(super) fn new(session: Option<SessionRow>) -> Self {
        Self { session }
    }

    /// Refuses to start a gate's review if the caller did the reviewed work.
    pub(super) fn refuse_to_start_own_review(
        &mut self,
        store: &mut Store,
        ctx: &Context,
        parent: &OpenRun,
        row: &RunRow,
        child: &ChildToken,
    ) -> Result<(), AppError> {
        let Some(gate) = gate_of(parent, child) else {
            return Ok(());
        };
        let by = ctx.session.as_ref();
        let reviewer = self.reviewer(store, ctx, (parent, row), by, &child.to_string())?;
        if reviewer.is_refused() {
            let child = child.clone();
            return Err(refused(ctx, parent, &Refusal::SelfReview { gate, child }));
        }
        Ok(())
    }

    /// Refuses a reviewer's report if the caller did the reviewed work.
    pub(super) fn refuse_to_report_own_review(
        &mut self,
        store: &mut Store,
        ctx: &Context,
        review: &OpenRun,
        parent: &mut ParentRun,
    ) -> Result<(), AppError> {
        let child = child_of(&review.state).filter(|child| matches!(child.assignment, Assignment::Review(_)));
        let (Some(child), Some(visit)) = (child, review.state.current_token()) else {
            return Ok(());
        };
        let row = parent.row.clone();
        let parent = parent.open(store, child.token.parent.visit, review)?;
        let Some(gate) = gate_of(parent, &child.token) else {
            return Ok(());
        };
        let by = ctx.session.as_ref();
        let reviewer = self.reviewer(store, ctx, (parent, &row), by, &visit.to_string())?;
        if reviewer.is_refused() {
            let child = child.token.clone();
            return Err(refused(ctx, review, &Refusal::SelfReview { gate, child }));
        }
        Ok(())
    }

    /// The slots of a gate's reviewers that reviewed their own work.
    pub(super) fn self_reviews(
        &mut self,
        store: &mut Store,
        ctx: &Context,
        gate: &OpenRun,
        row: &RunRow,
        reviews: &Children,
    ) -> Result<Vec<u32>, AppError> {
        let mut slots = Vec::new();
        for (review, report) in reviews.states.iter().zip(&reviews.reports) {
            let last = review
                .head()
                .and_then(|visit| Some((visit, visit.ending.as_ref()?)));
            let Some((visit, ending)) = last else { continue };
            let token = VisitToken {
                run: review.id.clone(),
                visit: visit.number,
            };
            let by = match &ending.by {
                Actor::Agent(session) => Some(session),
                _ => None,
            };
            let reviewer = self.reviewer(store, ctx, (gate, row), by, &token.to_string())?;
            if reviewer.is_self() {
                slots.push(report.slot);
            }
        }
        Ok(slots)
    }

    /// The reviewer that runs a command in a session. `token` is the visit or sub-agent named in the command.
    fn reviewer(
        &mut self,
        store: &mut Store,
        ctx: &Context,
        (parent, row): (&OpenRun, &RunRow),
        by: Option<&SessionId>,
        token: &str,
    ) -> Result<Reviewer, AppError> {
        let Some(session) = row.session.as_ref().filter(|session| by == Some(session)) else {
            // Without sessions, Bugle cannot tell a client's agents apart.
            let unknown = row.session.is_none() && by.is_none() && is_agent_without_session(ctx);
            return Ok(Reviewer::of(unknown, None, false));
        };
        let seen = match store.subagent_caller(session, token)? {
            Some(agent) => {
                let calls = store.subagent_calls(session, &agent)?;
                Some(involvement(parent, row, &calls))
            }
            None => None,
        };
        if self.session.as_ref().is_none_or(|known| known.id != *session) {
            self.session = store.session(session)?;
        }
        let hooks_tell = self.session.as_ref().is_some_and(|known| {
            Client::named(&known.client).is_some()
                && known.ended.is_none()
                && !hooks_are_quiet(known.seen_at, row.changed_at, ctx.now())
        });
        Ok(Reviewer::of(true, seen, hooks_tell))
    }
}

/// The name of the gate for which a sub-agent reviews.
fn gate_of(parent: &OpenRun, child: &ChildToken) -> Option<String> {
    let gate = step_of(parent, child)?.gate.as_ref()?;
    Some(gate.name.clone())
}

/// Whether a sub-agent works on a step that is not a gate.
fn is_builder(parent: &OpenRun, child: &ChildToken) -> bool {
    step_of(parent, child).is_some_and(|step| step.gate.is_none())
}

/// The step that dispatched a sub-agent. A condensed run still knows the steps of dropped visits.
fn step_of<'a>(parent: &'a OpenRun, child: &ChildToken) -> Option<&'a StepDef> {
    let step = parent.state.step_of(child.parent.visit)?;
    parent.workflow.step(step)
}

/// Whether a sub-agent worked on a run. The tokens in its commands show whether the sub-agent led the run or worked on
/// a step that is not a gate.
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
