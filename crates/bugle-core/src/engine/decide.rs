//! The decisions. Each looks at the state and the rules, and answers with events or with a refusal.

use serde_json::{Map, Value};

use super::command::{Command, Decision, Environment, Report};
use super::context::context;
use super::event::{Event, Origin};
use super::manage;
use super::refusal::Refusal;
use super::state::{Ending, RunState, Status, Visit};
use crate::id::{ContentHash, VisitNumber};
use crate::name::SkillAddress;
use crate::outcome::{Outcome, Target};
use crate::shape::Shape;
use crate::workflow::{AtLimit, Evidence, StepDef, Workflow};

/// The events with which a run begins; none if the workflow has no step.
pub fn start(
    skill: SkillAddress,
    pin: ContentHash,
    workflow: &Workflow,
    params: Map<String, Value>,
) -> Vec<Event> {
    let mut events = vec![Event::Started {
        skill,
        pin,
        params,
        origin: Origin::Fresh,
    }];
    if let Some(entry) = workflow.entry() {
        events.extend(enter(entry, VisitNumber(1), None));
    }
    events
}

/// Decides a command.
pub fn decide(
    state: &RunState,
    workflow: &Workflow,
    command: Command<'_>,
    environment: Environment<'_>,
) -> Decision {
    let decided = match command {
        Command::Done { visit, report, note } => {
            done(state, workflow, visit, report, environment).map(|decision| with_note(decision, visit, note))
        }
        Command::Answer { visit, answer } => answered(state, workflow, visit, answer),
        Command::Note(text) => manage::note(state, text),
        Command::Pause { reason } => match state.status {
            Status::Active | Status::Waiting => Ok(Decision::Accept(vec![Event::Paused { reason }])),
            Status::Paused => Ok(Decision::Already),
            Status::Completed | Status::Cancelled => Err(Refusal::WrongStatus(state.status)),
        },
        Command::Resume => match state.status {
            Status::Paused => Ok(Decision::Accept(vec![Event::Resumed])),
            Status::Active | Status::Waiting => Ok(Decision::Already),
            Status::Completed | Status::Cancelled => Err(Refusal::WrongStatus(state.status)),
        },
        Command::Cancel { reason } => match state.status {
            Status::Cancelled => Ok(Decision::Already),
            Status::Completed => Err(Refusal::WrongStatus(state.status)),
            Status::Active | Status::Waiting | Status::Paused => {
                Ok(Decision::Accept(vec![Event::Cancelled { reason }]))
            }
        },
        Command::Rewind { to } => manage::rewind(state, workflow, to),
        Command::Upgrade { pin, workflow: newer } => manage::upgrade(state, pin, newer),
    };
    decided.unwrap_or_else(Decision::Refuse)
}

/// A decision, or why there is none.
pub(super) type Decided = Result<Decision, Refusal>;

fn done(
    state: &RunState,
    workflow: &Workflow,
    number: VisitNumber,
    report: Report,
    environment: Environment<'_>,
) -> Decided {
    let same = |ending: &Ending| match &report {
        Report::Done(result) => {
            ending.reason.is_none() && says_the_same(result.as_ref(), ending.result.as_ref())
        }
        Report::Failed { .. } => ending.reason.is_some(),
    };
    let Some(visit) = still_open(state, number, same)? else {
        return Ok(Decision::Already);
    };
    if state.status != Status::Active {
        return Err(Refusal::WrongStatus(state.status));
    }
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    match report {
        Report::Failed { reason } => failed(workflow, step, visit, reason),
        Report::Done(result) => {
            let result = checked_result(step, result)?;
            if let Some(missing) = evidence(step, environment)? {
                return Ok(missing);
            }
            let (outcome, exhausted) = outcome_of(state, workflow, step, visit, result.as_ref())?;
            let ended = Event::Ended {
                visit: number,
                outcome,
                result,
                reason: None,
                evidence: environment.evidence.unwrap_or_default().to_vec(),
                exhausted,
            };
            Ok(Decision::Accept(advance(workflow, step, visit, ended, outcome)))
        }
    }
}

/// The visit, if it is the one that is open; nothing if it ended as is said now, because the answer got lost and is asked
/// for again. That holds as long as the answer would still be the same.
fn still_open(
    state: &RunState,
    number: VisitNumber,
    same: impl Fn(&Ending) -> bool,
) -> Result<Option<&Visit>, Refusal> {
    let visit = state.visit(number).ok_or(Refusal::UnknownVisit(number))?;
    match &visit.ending {
        Some(ending)
            if is_latest_ended(state, number) && same(ending) && state.status != Status::Cancelled =>
        {
            Ok(None)
        }
        Some(ending) => Err(Refusal::StaleVisit {
            visit: number,
            ended: Some(ending.outcome),
        }),
        None if state.head().is_some_and(|head| head.number == number) => Ok(Some(visit)),
        None => Err(Refusal::StaleVisit {
            visit: number,
            ended: None,
        }),
    }
}

/// Whether a visit is the last that ended: only its answer is still the one that would be given.
fn is_latest_ended(state: &RunState, number: VisitNumber) -> bool {
    state.head().is_some_and(|head| match head.ending {
        None => head.after == Some(number),
        Some(_) => head.number == number,
    })
}

/// A note about a visit is kept with its end, or not at all.
fn with_note(decision: Decision, visit: VisitNumber, note: Option<String>) -> Decision {
    match (decision, note.filter(|text| !text.trim().is_empty())) {
        (Decision::Accept(mut events), Some(text)) => {
            events.insert(0, Event::Noted { visit, text });
            Decision::Accept(events)
        }
        (decision, _) => decision,
    }
}

fn failed(workflow: &Workflow, step: &StepDef, visit: &Visit, reason: String) -> Decided {
    if step.leads_to(Outcome::Fail).is_none() {
        return Err(Refusal::CannotFail);
    }
    if reason.trim().is_empty() {
        return Err(Refusal::Empty("the reason"));
    }
    let ended = Event::Ended {
        visit: visit.number,
        outcome: Outcome::Fail,
        result: None,
        reason: Some(reason),
        evidence: Vec::new(),
        exhausted: false,
    };
    Ok(Decision::Accept(advance(
        workflow,
        step,
        visit,
        ended,
        Outcome::Fail,
    )))
}

fn checked_result(step: &StepDef, result: Option<Value>) -> Result<Option<Value>, Refusal> {
    if step.result.is_empty() {
        return match result {
            None => Ok(None),
            Some(Value::Object(map)) if map.is_empty() => Ok(None),
            Some(_) => Err(Refusal::ResultUnexpected),
        };
    }
    let expected = Shape::Object(step.result.clone());
    let Some(result) = result else {
        return Err(Refusal::ResultMissing(expected));
    };
    let mismatches = expected.mismatches(&result);
    if mismatches.is_empty() {
        Ok(Some(without_nulls(result)))
    } else {
        Err(Refusal::ResultMismatch { mismatches, expected })
    }
}

/// Whether a result handed in again is the one that was accepted; none at all is the command run once more.
fn says_the_same(given: Option<&Value>, accepted: Option<&Value>) -> bool {
    let given = given.cloned().map(without_nulls);
    let empty = given
        .as_ref()
        .and_then(Value::as_object)
        .is_some_and(Map::is_empty);
    given.is_none() || given.as_ref() == accepted || (empty && accepted.is_none())
}

/// An optional field given as null is a field left out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, without_nulls(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

fn evidence(step: &StepDef, environment: Environment<'_>) -> Result<Option<Decision>, Refusal> {
    if step.expect.is_empty() {
        return Ok(None);
    }
    let commands: Vec<String> = step
        .expect
        .iter()
        .filter_map(|evidence| match evidence {
            Evidence::Command { line, .. } => Some(line.clone()),
            Evidence::Artifact { .. } => None,
        })
        .collect();
    if !commands.is_empty() && !environment.trusted {
        return Err(Refusal::Untrusted { commands });
    }
    let Some(reports) = environment.evidence else {
        return Ok(Some(Decision::NeedsEvidence(step.expect.clone())));
    };
    // Every piece asked for must have been looked for: a report that is not there proves nothing.
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

/// How a visit ends: the first route whose guard holds, else the loop, else `ok`.
fn outcome_of(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
    result: Option<&Value>,
) -> Result<(Outcome, bool), Refusal> {
    if step.route.is_empty() && step.repeat.is_none() {
        return Ok((Outcome::Ok, false));
    }
    let values = context(state, visit.number).for_guards(workflow, result);
    let holds = |guard: &crate::expression::Expression| {
        guard.holds(&values).map_err(|error| Refusal::GuardFailed {
            guard: guard.to_string(),
            message: error.to_string(),
        })
    };
    let mut decided = None;
    for route in &step.route {
        if holds(&route.when)? {
            decided = Some(route.outcome);
            break;
        }
    }
    let Some(repeat) = &step.repeat else {
        return Ok((decided.unwrap_or(Outcome::Ok), false));
    };
    let outcome = match decided {
        Some(outcome) => outcome,
        None if holds(&repeat.until)? => Outcome::Ok,
        None => Outcome::Iterate,
    };
    if outcome == Outcome::Iterate && state.iteration(visit.number) >= repeat.limit {
        let ended = match repeat.at_limit {
            AtLimit::Ok => Outcome::Ok,
            AtLimit::Fail => Outcome::Fail,
        };
        return Ok((ended, true));
    }
    Ok((outcome, false))
}

/// A visit ended: what follows.
fn advance(workflow: &Workflow, step: &StepDef, visit: &Visit, ended: Event, outcome: Outcome) -> Vec<Event> {
    let mut events = vec![ended];
    match step.leads_to(outcome) {
        Some(Target::Step(next)) => {
            if let Some(next) = workflow.step(next) {
                events.extend(enter(next, visit.number.following(), Some(visit.number)));
            }
        }
        // A validated workflow maps every outcome that can happen.
        Some(Target::End) | None => events.push(Event::Completed),
    }
    events
}

pub(super) fn enter(step: &StepDef, visit: VisitNumber, after: Option<VisitNumber>) -> Vec<Event> {
    let mut events = vec![Event::Entered {
        visit,
        step: step.id.clone(),
        after,
    }];
    if step.ask.is_some() {
        events.push(Event::Asked { visit });
    }
    events
}

fn answered(
    state: &RunState,
    workflow: &Workflow,
    number: Option<VisitNumber>,
    answer: Option<String>,
) -> Decided {
    let same = |ending: &Ending| {
        let given = ending
            .result
            .as_ref()
            .and_then(|result| result.get("answer"))
            .and_then(Value::as_str);
        given.is_some() && (answer.is_none() || given == answer.as_deref())
    };
    if let Some(number) = number
        && still_open(state, number, same)?.is_none()
    {
        return Ok(Decision::Already);
    }
    match state.status {
        Status::Waiting => {}
        Status::Active => return Err(Refusal::NotAsking),
        other => return Err(Refusal::WrongStatus(other)),
    }
    let visit = state.current().ok_or(Refusal::NotAsking)?;
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    let ask = step.ask.as_ref().ok_or(Refusal::NotAsking)?;
    let answer = answer
        .filter(|answer| !answer.trim().is_empty())
        .ok_or(Refusal::Empty("the answer"))?;
    if !ask.choices.is_empty() && !ask.choices.contains(&answer) {
        return Err(Refusal::BadChoice {
            answer,
            choices: ask.choices.clone(),
        });
    }
    let result = serde_json::json!({ "answer": answer });
    let (outcome, exhausted) = outcome_of(state, workflow, step, visit, Some(&result))?;
    let ended = Event::Ended {
        visit: visit.number,
        outcome,
        result: Some(result),
        reason: None,
        evidence: Vec::new(),
        exhausted,
    };
    Ok(Decision::Accept(advance(workflow, step, visit, ended, outcome)))
}
