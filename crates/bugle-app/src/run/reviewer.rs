//! Who carries out the reviews of a gate: refused where the main thread of a session would review its own work, and
//! marked where it did.

use bugle_core::engine::{Assignment, ChildReport, Refusal};
use bugle_core::hook::hooks_are_quiet;
use bugle_core::id::{Actor, ChildToken, SessionId, VisitToken};
use bugle_core::review::{Part, Reviewer};
use bugle_core::workflow::StepDef;
use bugle_store::{RunRow, SessionStore as _};
use bugle_wire::setup::Client;

use super::{OpenRun, RunSelector};
use crate::delegation::child_of;
use crate::rights::is_agent_without_session;
use crate::{App, AppError};

impl App {
    /// Refuses to start the review of a gate for the agent whose work it reviews.
    pub(super) fn refuse_to_start_own_review(
        &mut self,
        parent: &OpenRun,
        child: &ChildToken,
    ) -> Result<(), AppError> {
        match gate_of(parent, child) {
            Some(gate) if self.reviewer_here(parent, &child.to_string())?.is_refused() => {
                let child = child.clone();
                Err(self.refused(parent, &Refusal::SelfReview { gate, child }))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a reviewer's report to the agent whose work it reviews.
    pub(super) fn refuse_to_report_own_review(&mut self, review: &OpenRun) -> Result<(), AppError> {
        let child = child_of(&review.state).filter(|child| matches!(child.assignment, Assignment::Review(_)));
        let (Some(child), Some(visit)) = (child, review.state.current_token()) else {
            return Ok(());
        };
        let parent = self.parent_of(&child.token)?;
        match gate_of(&parent, &child.token) {
            Some(gate) if self.reviewer_here(&parent, &visit.to_string())?.is_refused() => {
                let child = child.token.clone();
                Err(self.refused(review, &Refusal::SelfReview { gate, child }))
            }
            _ => Ok(()),
        }
    }

    /// The reviewers of a gate, from 1, whose review was a self-review.
    pub(super) fn self_reviews(
        &mut self,
        gate: &OpenRun,
        reports: &[ChildReport],
    ) -> Result<Vec<u32>, AppError> {
        let mut slots = Vec::new();
        for report in reports {
            let review = self.state_of(&report.run)?;
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
            if self.reviewer(gate, by, &token.to_string())?.is_self() {
                slots.push(report.slot);
            }
        }
        Ok(slots)
    }

    fn reviewer_here(&mut self, parent: &OpenRun, token: &str) -> Result<Reviewer, AppError> {
        let session = self.place.session.clone();
        self.reviewer(parent, session.as_ref(), token)
    }

    /// The reviewer that runs a command in a session. `token` is the visit or sub-agent that the command names.
    fn reviewer(
        &mut self,
        parent: &OpenRun,
        by: Option<&SessionId>,
        token: &str,
    ) -> Result<Reviewer, AppError> {
        let row = self.select(&RunSelector::Run(parent.state.id.clone()))?;
        let Some(session) = row.session.clone().filter(|session| by == Some(session)) else {
            // Where a client gives its agents no session, nothing tells one from the other.
            let unknown = row.session.is_none() && by.is_none() && is_agent_without_session(&self.place);
            return Ok(Reviewer::of(unknown, None, false));
        };
        let seen = match self.store.subagent_caller(&session, token)? {
            Some(agent) => {
                let calls = self.store.subagent_calls(&session, &agent)?;
                Some(part(parent, &row, &calls))
            }
            None => None,
        };
        let known = self.store.session(&session)?;
        let hooks_tell = known.is_some_and(|known| {
            let client = Client::named(&known.client);
            client.is_some_and(Client::tells_subagents_apart)
                && known.ended.is_none()
                && !hooks_are_quiet(known.seen_at, row.changed_at, crate::now())
        });
        Ok(Reviewer::of(true, seen, hooks_tell))
    }
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

/// The step that called for a sub-agent. A long run has dropped most of its visits, but not which steps they were of.
fn step_of<'a>(parent: &'a OpenRun, child: &ChildToken) -> Option<&'a StepDef> {
    let step = parent.state.step_of(child.parent.visit)?;
    parent.workflow.step(step)
}

/// The part that a sub-agent had in a run's work, from what its commands named: it leads the run, or works on a step that
/// is no gate.
fn part(parent: &OpenRun, row: &RunRow, calls: &[String]) -> Part {
    let is_work = |call: &String| {
        call.parse::<ChildToken>().is_ok_and(|child| {
            let is_leader = row.child.as_ref() == Some(&child);
            is_leader || child.parent.run == parent.state.id && is_builder(parent, &child)
        })
    };
    if calls.iter().any(is_work) {
        Part::Author
    } else {
        Part::None
    }
}
