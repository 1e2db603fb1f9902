//! Ends a visit: checks the result, decides the outcome, and advances the run.

use serde_json::Value;

use super::also_found::AlsoFound;
use super::child::Escalation;
use super::command::{Decided, Decision, Environment, Report};
use super::dispatch::OpenQuestions;
use super::enter::advance;
use super::event::{Event, Origin};
use super::merged::Merged;
use super::refusal::Refusal;
use super::result::{says_the_same, split_also_found, with_also_found};
use super::state::RunState;
use super::status::RunStatus;
use super::unfolding::Unfolding;
use super::visit::{Ending, Visit};
use super::visit_outcome::{VisitEnd, outcome_of};
use super::{checks, dispatch, disputes, gate, merge};
use crate::id::VisitNumber;
use crate::outcome::Outcome;
use crate::review::ReviewStatus;
use crate::workflow::{Evidence, StepDef, Workflow};

/// Finishes a visit: checks its result and evidence, and advances the run.
pub(super) fn done(
    state: &RunState,
    workflow: &Workflow,
    number: VisitNumber,
    report: Report,
    environment: Environment<'_>,
) -> Decided {
    // The reason of an answered visit belongs to the answer and does not mean that the visit failed.
    let answered = state.visit(number).is_some_and(|visit| visit.asked.is_some());
    let same = |ending: &Ending| {
        let failed = ending.reason.is_some() && !answered;
        match &report {
            Report::Done(given) => {
                let accepted = with_also_found(ending.returned().cloned(), &ending.also_found);
                !failed && says_the_same(given.as_ref(), accepted.as_ref())
            }
            Report::Unanswered => !failed,
            Report::Failed { .. } | Report::Escalated { .. } => failed,
        }
    };
    let abandoned = |refusal| match (&refusal, environment.abandoned_by) {
        (Refusal::WrongStatus(RunStatus::Cancelled), Some(parent)) => Refusal::ParentGone(parent.clone()),
        _ => refusal,
    };
    let Some(visit) = still_open(state, number, same).map_err(abandoned)? else {
        return Ok(Decision::Already);
    };
    if visit.judged.is_some() && state.status == RunStatus::Waiting {
        return Ok(Decision::Already);
    }
    if let Some(parent) = environment.abandoned_by {
        return Err(Refusal::ParentGone(parent.clone()));
    }
    if state.status != RunStatus::Active && !state.is_released() {
        return Err(Refusal::WrongStatus(state.status));
    }
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    match report {
        Report::Failed { reason } => {
            let so_far = Unfolding::of(state, workflow, environment.tasks);
            failed(so_far, step, visit, reason)
        }
        Report::Escalated { kind, reason } => escalated(state, visit, kind, reason),
        Report::Done(result) => {
            let (result, also_found) = split_also_found(step, result)?;
            let (result, merged) = merge::accepted(state, step, visit, result)?;
            checks::hold(
                (state, workflow, environment.tasks),
                (step, visit),
                result.as_ref(),
            )?;
            gate::check_coverage(state, step, result.as_ref())?;
            disputes::check(state, workflow, (step, visit), result.as_ref())?;
            if let Some(missing) = evidence(step, environment)? {
                return Ok(missing);
            }
            let result = match &step.dispatch {
                None => result,
                Some(_) => Some(dispatch::join(
                    step,
                    visit,
                    environment.children,
                    OpenQuestions::Hold,
                )?),
            };
            let returned = Returned {
                result,
                merged,
                also_found,
            };
            finished(state, workflow, step, visit, returned, environment)
        }
        Report::Unanswered => {
            if step.dispatch.is_none() {
                return Err(Refusal::NoQuestion);
            }
            if let Some(missing) = evidence(step, environment)? {
                return Ok(missing);
            }
            let joined = dispatch::join(step, visit, environment.children, OpenQuestions::Unanswered)?;
            let returned = Returned {
                result: Some(joined),
                merged: None,
                also_found: Vec::new(),
            };
            finished(state, workflow, step, visit, returned, environment)
        }
    }
}

/// What a visit returned, after its checks.
struct Returned {
    result: Option<Value>,
    merged: Option<Box<Merged>>,
    also_found: Vec<AlsoFound>,
}

/// Ends a visit that has everything it requires, and continues the run.
fn finished(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
    returned: Returned,
    environment: Environment<'_>,
) -> Decided {
    let mut so_far = Unfolding::of(state, workflow, environment.tasks);
    // A gate whose condition was false has no reviewers, so there is nothing to judge.
    let gate = step.gate.as_ref().filter(|_| !visit.children().is_empty());
    let (result, end) = match (gate, returned.result) {
        (Some(gate), Some(joined)) => {
            let (result, verdict) = gate::review(state, workflow, visit, joined, environment)?;
            if verdict.status == ReviewStatus::Fail && verdict.iteration >= gate.limit {
                // From here on, a person decides.
                let visit = visit.number;
                let judged = Event::Judged {
                    visit,
                    result,
                    tree: environment.tree.map(str::to_owned),
                };
                return Ok(Decision::Accept(vec![judged, Event::Asked { visit }]));
            }
            let outcome = match verdict.status {
                ReviewStatus::Pass => Outcome::Ok,
                ReviewStatus::Fail => Outcome::Fail,
            };
            (Some(result), VisitEnd::plain(outcome))
        }
        (_, result) => {
            let end = outcome_of(&so_far, step, visit, result.as_ref())?;
            (result, end)
        }
    };
    let ended = Event::Ended {
        visit: visit.number,
        outcome: end.outcome,
        result,
        reason: None,
        evidence: environment.evidence.unwrap_or_default().to_vec(),
        merged: returned.merged,
        also_found: dispatch::also_found_by_all(returned.also_found, environment.children),
        exhausted: end.exhausted,
        no_progress: end.no_progress,
        tree: environment.tree.map(str::to_owned),
    };
    advance(&mut so_far, step, vec![ended], end.outcome)?;
    Ok(Decision::Accept(so_far.events))
}

/// The visit, if it is open. `None` if the command only repeats how the visit ended, for example because the client
/// lost the answer. A repeat is accepted only if the answer would be the same.
pub(super) fn still_open(
    state: &RunState,
    number: VisitNumber,
    same: impl Fn(&Ending) -> bool,
) -> Result<Option<&Visit>, Refusal> {
    let visit = state.visit(number).ok_or(Refusal::UnknownVisit(number))?;
    let is_head = state.head().is_some_and(|head| head.number == number);
    match &visit.ending {
        None if is_head => Ok(Some(visit)),
        Some(ending)
            if is_latest_ended(state, number) && same(ending) && state.status != RunStatus::Cancelled =>
        {
            Ok(None)
        }
        // There is no current step to continue with.
        _ if state.status == RunStatus::Cancelled => Err(Refusal::WrongStatus(state.status)),
        Some(ending) => Err(Refusal::StaleVisit {
            visit: number,
            ended: Some(ending.outcome),
        }),
        None => Err(Refusal::StaleVisit {
            visit: number,
            ended: None,
        }),
    }
}

/// Whether this is the last visit that an agent or user ended. Only the command that ended that visit can be repeated
/// with the same answer. Later visits that ended by themselves, without sub-agents, are part of the same answer and do
/// not count.
fn is_latest_ended(state: &RunState, number: VisitNumber) -> bool {
    let Some(head) = state.head() else { return false };
    state
        .lineage(head.number)
        .skip(usize::from(head.ending.is_none()))
        .find(|visit| visit.number == number || !visit.passed_by_itself())
        .is_some_and(|visit| visit.number == number)
}

/// Adds the note if the visit ends, and drops it otherwise.
pub(super) fn with_note(decision: Decision, visit: VisitNumber, note: Option<String>) -> Decision {
    match (decision, note.filter(|text| !text.trim().is_empty())) {
        (Decision::Accept(mut events), Some(text)) => {
            events.insert(0, Event::Noted { visit, text });
            Decision::Accept(events)
        }
        (decision, _) => decision,
    }
}

fn failed(mut so_far: Unfolding<'_>, step: &StepDef, visit: &Visit, reason: String) -> Decided {
    // Only findings can fail a gate.
    if step.leads_to(Outcome::Fail).is_none() || step.gate.is_some() {
        return Err(Refusal::CannotFail);
    }
    let ended = stopped(visit, reason)?;
    advance(&mut so_far, step, vec![ended], Outcome::Fail)?;
    Ok(Decision::Accept(so_far.events))
}

/// The event for a failed visit, with the agent's reason.
fn stopped(visit: &Visit, reason: String) -> Result<Event, Refusal> {
    if reason.trim().is_empty() {
        return Err(Refusal::Empty("the reason"));
    }
    Ok(Event::Ended {
        visit: visit.number,
        outcome: Outcome::Fail,
        result: None,
        reason: Some(reason),
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        no_progress: false,
        exhausted: false,
        tree: None,
    })
}

/// Stops a sub-agent: its run ends, and the orchestrator receives the reason.
fn escalated(state: &RunState, visit: &Visit, kind: Escalation, reason: String) -> Decided {
    if !matches!(state.origin, Origin::Child(_)) {
        return Err(Refusal::NotAChild);
    }
    let ended = stopped(visit, reason.clone())?;
    Ok(Decision::Accept(vec![
        Event::Escalated {
            visit: visit.number,
            kind,
            reason,
        },
        ended,
        Event::Completed,
    ]))
}

pub(super) fn evidence(step: &StepDef, environment: Environment<'_>) -> Result<Option<Decision>, Refusal> {
    if step.expect.is_empty() {
        return Ok(None);
    }
    let commands: Vec<String> = step
        .expect
        .iter()
        .filter_map(|evidence| match evidence {
            Evidence::Command { line, .. } => Some(line.clone()),
            Evidence::Artifact { .. } | Evidence::Plan { .. } => None,
        })
        .collect();
    if !commands.is_empty() && !environment.trusted {
        return Err(Refusal::Untrusted { commands });
    }
    let Some(reports) = environment.evidence else {
        return Ok(Some(Decision::NeedsEvidence(step.expect.clone())));
    };
    // Every requested piece of evidence must be covered: a missing report proves nothing.
    let all_there = step
        .expect
        .iter()
        .all(|evidence| reports.iter().any(|report| report.evidence == *evidence));
    if !all_there {
        return Ok(Some(Decision::NeedsEvidence(step.expect.clone())));
    }
    if reports.iter().all(super::EvidenceReport::is_met) {
        Ok(None)
    } else {
        Err(Refusal::EvidenceUnmet(
            reports
                .iter()
                .filter(|report| !report.is_met())
                .cloned()
                .collect(),
        ))
    }
}
