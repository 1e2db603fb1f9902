//! Moves in a walk: the possible actions of an agent, a person or sub-agents at a step.

use serde_json::{Value, json};

use super::child::{ChildReport, ChildState, Escalation};
use super::command::{Command, Report};
use super::gate::GateDecision;
use super::variants::results;
use super::visit::Visit;
use crate::id::{RunId, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::workflow::StepDef;

/// A possible move at a visit.
pub(super) struct Move<'a> {
    pub command: Command<'a>,
    pub children: Vec<ChildReport>,
}

/// All possible moves at a visit. `child_result` is a sample report from one of the step's sub-agents.
pub(super) fn moves<'a>(
    step: &StepDef,
    visit: &Visit,
    (literals, guards): (&[Value], &[GuardPath]),
    child_result: &dyn Fn(&StepDef) -> Value,
) -> Vec<Move<'a>> {
    if visit.judged.is_some() {
        let decided = GateDecision::ALL.map(|decision| Command::Answer {
            visit: Some(visit.number),
            answer: Some(decision.as_str().to_owned()),
            reason: Some("an example".to_owned()),
        });
        return decided
            .into_iter()
            .map(|command| Move {
                command,
                children: Vec::new(),
            })
            .collect();
    }
    let reports: Vec<Vec<ChildReport>> = if step.dispatch.is_none() {
        vec![Vec::new()]
    } else if step.gate.is_some() {
        let finding = json!({
            "severity": "must", "category": "example", "location": "somewhere", "element": "something",
            "problem": "it is wrong", "action": "fix it",
        });
        let review = |findings: &[Value]| {
            let result = json!({ "checks": ["example"], "findings": findings });
            reported(visit, &ChildState::Finished(Some(result)))
        };
        vec![review(&[]), review(&[finding])]
    } else {
        let stopped = ChildState::Escalated(Escalation::Blocked, "an example".to_owned());
        vec![
            reported(visit, &ChildState::Finished(Some(child_result(step)))),
            reported(visit, &stopped),
        ]
    };
    let mut found = Vec::new();
    for children in reports {
        let asks = children.iter().any(|report| report.state.asks());
        let unanswered = asks.then_some(Command::Done {
            visit: visit.number,
            report: Report::Unanswered,
            note: None,
        });
        for command in commands(step, visit.number, literals, guards)
            .into_iter()
            .chain(unanswered)
        {
            found.push(Move {
                command,
                children: children.clone(),
            });
        }
    }
    found
}

/// The move in which all of a visit's sub-agents end in this state.
fn reported(visit: &Visit, state: &ChildState) -> Vec<ChildReport> {
    let slots = visit.children().iter().zip(1_u32..).map(|(_, slot)| slot);
    let report = |slot: u32| ChildReport {
        slot,
        run: RunId::from_random(u64::from(slot)),
        state: state.clone(),
        tree: None,
        also_found: Vec::new(),
    };
    slots.map(report).collect()
}

fn commands<'a>(
    step: &StepDef,
    visit: VisitNumber,
    literals: &[Value],
    guards: &[GuardPath],
) -> Vec<Command<'a>> {
    if let Some(ask) = &step.ask {
        let words = literals
            .iter()
            .filter_map(Value::as_str)
            .filter(|word| !word.trim().is_empty());
        let free: Vec<String> = std::iter::once("an answer")
            .chain(words)
            .map(str::to_owned)
            .collect();
        let answers = if ask.choices.is_empty() {
            free
        } else {
            ask.choices.clone()
        };
        return answers
            .into_iter()
            .map(|answer| Command::Answer {
                visit: Some(visit),
                answer: Some(answer),
                reason: None,
            })
            .collect();
    }
    let mut found: Vec<Command<'a>> = if step.result.is_empty() || step.dispatch.is_some() {
        vec![Command::Done {
            visit,
            report: Report::Done(None),
            note: None,
        }]
    } else {
        results(&step.result, literals, |field| is_read(step, field, guards))
            .into_iter()
            .map(|result| Command::Done {
                visit,
                report: Report::Done(Some(result)),
                note: None,
            })
            .collect()
    };
    if step.leads_to(Outcome::Fail).is_some() {
        found.push(Command::Done {
            visit,
            report: Report::Failed {
                reason: "the step cannot be completed".to_owned(),
            },
            note: None,
        });
    }
    found
}

/// A path that a guard reads, and the guard's step.
pub(super) struct GuardPath {
    pub step: StepId,
    pub segments: Vec<String>,
}

/// Whether a guard reads this field of the step's result.
pub(super) fn is_read(step: &StepDef, field: &str, guards: &[GuardPath]) -> bool {
    guards.iter().any(|path| match path.segments.as_slice() {
        [root, name, ..] if root == "result" => path.step == step.id && name == field,
        [root] if root == "result" => path.step == step.id,
        [root, id, name, ..] if root == "state" => *id == step.id.as_str() && name == field,
        _ => false,
    })
}
