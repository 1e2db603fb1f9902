//! A person's answers: to a step's question, or to a gate that has reached its limit.

use serde_json::Value;

use super::command::{Decided, Decision};
use super::enter::advance;
use super::event::Event;
use super::finish::still_open;
use super::gate::{self, GateDecision};
use super::refusal::Refusal;
use super::state::RunState;
use super::status::RunStatus;
use super::unfolding::Unfolding;
use super::visit::{Ending, Visit};
use super::visit_outcome::outcome_of;
use crate::id::VisitNumber;
use crate::workflow::{Ask, StepDef, Workflow};

/// The question that a run is waiting on.
enum Question<'a> {
    /// A decision about work that a gate sent back too many times.
    Gate(&'a Value),
    /// The answer to the step's question.
    Step(&'a Ask),
}

/// The question that a run is waiting on, and the question's step and visit.
fn question<'a>(
    state: &'a RunState,
    workflow: &'a Workflow,
) -> Result<(&'a StepDef, &'a Visit, Question<'a>), Refusal> {
    match state.status {
        RunStatus::Waiting => {}
        RunStatus::Active => return Err(Refusal::NotAsking),
        other => return Err(Refusal::WrongStatus(other)),
    }
    let visit = state.current().ok_or(Refusal::NotAsking)?;
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    let question = match &visit.judged {
        Some(judged) => Question::Gate(judged),
        None => Question::Step(step.ask.as_ref().ok_or(Refusal::NotAsking)?),
    };
    Ok((step, visit, question))
}

fn refuse_other_choices(ask: &Ask, answer: &str) -> Result<(), Refusal> {
    if ask.choices.is_empty() || ask.choices.iter().any(|choice| choice == answer) {
        return Ok(());
    }
    Err(Refusal::BadChoice {
        answer: answer.to_owned(),
        choices: ask.choices.clone(),
    })
}

fn gate_decision(answer: &str) -> Result<GateDecision, Refusal> {
    answer.parse().map_err(|()| Refusal::BadChoice {
        answer: answer.to_owned(),
        choices: GateDecision::ALL
            .map(|decision| decision.as_str().to_owned())
            .to_vec(),
    })
}

/// Checks whether a person may give this answer at a visit. At a gate, returns the corresponding decision.
pub fn may_answer(
    state: &RunState,
    workflow: &Workflow,
    visit: VisitNumber,
    answer: &str,
) -> Result<Option<GateDecision>, Refusal> {
    still_open(state, visit, |_| false)?;
    let (_, _, question) = question(state, workflow)?;
    match question {
        Question::Gate(_) => gate_decision(answer).map(Some),
        Question::Step(ask) => refuse_other_choices(ask, answer).map(|()| None),
    }
}

/// Accepts a person's answer to a question, or a person's decision at a gate.
pub(super) fn answered(
    mut so_far: Unfolding<'_>,
    state: &RunState,
    number: Option<VisitNumber>,
    (answer, reason): (Option<String>, Option<String>),
) -> Decided {
    let same = |ending: &Ending| {
        let result = ending.result.as_ref();
        let given = result
            .and_then(|result| result.get("answer").or_else(|| result.get("decision")))
            .and_then(Value::as_str);
        given.is_some() && (answer.is_none() || given == answer.as_deref())
    };
    if let Some(number) = number
        && still_open(state, number, same)?.is_none()
    {
        return Ok(Decision::Already);
    }
    let (step, visit, question) = question(state, so_far.workflow)?;
    let ask = match question {
        Question::Gate(judged) => {
            let said = answer.unwrap_or_default();
            return decided(so_far, step, visit, (judged, said.trim(), reason));
        }
        Question::Step(ask) => ask,
    };
    let answer = answer
        .filter(|answer| !answer.trim().is_empty())
        .unwrap_or_default();
    refuse_other_choices(ask, &answer)?;
    if answer.is_empty() {
        return Err(Refusal::NO_ANSWER);
    }
    let result = serde_json::json!({ "answer": answer });
    let end = outcome_of(&so_far, step, visit, Some(&result))?;
    let ended = Event::Ended {
        visit: visit.number,
        outcome: end.outcome,
        result: Some(result),
        reason: reason.filter(|reason| !reason.trim().is_empty()),
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        exhausted: end.exhausted,
        no_progress: end.no_progress,
        tree: None,
    };
    advance(&mut so_far, step, vec![ended], end.outcome)?;
    Ok(Decision::Accept(so_far.events))
}

/// Accepts a person's decision about work that a gate sent back too many times.
fn decided(
    mut so_far: Unfolding<'_>,
    step: &StepDef,
    visit: &Visit,
    (judged, answer, reason): (&Value, &str, Option<String>),
) -> Decided {
    let decision = gate_decision(answer)?;
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    // The `Cancelled` event records the reason, so the visit does not.
    let kept_reason = reason.clone().filter(|_| decision != GateDecision::Abort);
    let ended = ended_by(visit, judged, decision, kept_reason);
    let ending = match decision {
        GateDecision::Abort => {
            return Ok(Decision::Accept(vec![ended, Event::Cancelled { reason }]));
        }
        GateDecision::Continue => vec![ended],
        GateDecision::Accept => {
            let findings = gate::blocking(visit);
            let accepted = Event::RisksAccepted {
                visit: visit.number,
                findings,
                reason: reason.ok_or(Refusal::NO_REASON_TO_ACCEPT)?,
            };
            vec![accepted, ended]
        }
    };
    advance(&mut so_far, step, ending, decision.outcome())?;
    Ok(Decision::Accept(so_far.events))
}

/// Accepts a gate's findings as risks, so they no longer block. If nothing else blocks the gate, it passes.
pub(super) fn accept_risks(
    mut so_far: Unfolding<'_>,
    state: &RunState,
    number: VisitNumber,
    numbers: &[u32],
    reason: String,
) -> Decided {
    if !state.status.is_open() {
        return Err(Refusal::WrongStatus(state.status));
    }
    if reason.trim().is_empty() {
        return Err(Refusal::Empty("the reason"));
    }
    let visit = state.visit(number).ok_or(Refusal::UnknownVisit(number))?;
    let open = gate::blocking(visit);
    let mut findings = Vec::new();
    for &number in numbers {
        let index = (number as usize).checked_sub(1);
        let finding = index
            .and_then(|index| open.get(index))
            .ok_or(Refusal::UnknownFinding(number))?;
        if !state.has_accepted(finding) {
            findings.push(finding.clone());
        }
    }
    if findings.is_empty() {
        return Ok(Decision::Already);
    }
    let accepted = Event::RisksAccepted {
        visit: number,
        findings,
        reason: reason.clone(),
    };
    so_far.record(accepted);
    let is_asked =
        state.status == RunStatus::Waiting && state.current().map(|visit| visit.number) == Some(number);
    let step = so_far.workflow.step(&visit.step);
    if let (true, Some(judged), Some(step)) = (is_asked, &visit.judged, step)
        && open.iter().all(|finding| so_far.state.has_accepted(finding))
    {
        let decision = GateDecision::Accept;
        let ended = ended_by(visit, judged, decision, Some(reason));
        advance(&mut so_far, step, vec![ended], decision.outcome())?;
    }
    Ok(Decision::Accept(so_far.events))
}

/// Ends a gate's visit with a person's decision.
fn ended_by(visit: &Visit, judged: &Value, decision: GateDecision, reason: Option<String>) -> Event {
    let mut result = judged.clone();
    result["decision"] = Value::from(decision.as_str());
    Event::Ended {
        visit: visit.number,
        outcome: decision.outcome(),
        result: Some(result),
        reason,
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        no_progress: false,
        exhausted: true,
        tree: visit.tree.clone(),
    }
}
