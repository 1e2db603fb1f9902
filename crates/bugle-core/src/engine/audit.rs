//! Auditing a history: whether the rules could have produced the events that are recorded. Each group of events that was
//! appended at once came from one command; the command is read off the events, decided again, and must give the same
//! events.

use super::child::{ChildReport, ChildState};
use super::command::{Command, Decision, Environment, Report};
use super::decide::{decide, start};
use super::event::{Event, Origin};
use super::evidence::EvidenceReport;
use super::finish::{checked_result, evidence as missing_evidence};
use super::gate::blocking;
use super::state::RunState;
use super::tasks::{apply_decided, plan_in_view};
use crate::id::{RunId, VisitNumber};
use crate::outcome::Target;
use crate::workflow::Workflow;
use serde_json::Value;

/// The version of the rules, recorded with each event. Raise it whenever [`decide`] or [`start`] would answer a command of
/// an existing run differently: events of other versions are not decided again.
pub const RULES: u32 = 2;

/// The first event of a group that the rules could not have produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpossibleEvent {
    /// Its place in the group, from 0.
    pub index: usize,
    /// Why.
    pub why: String,
}

/// Whether a run can begin with these events. Where a run was forked, they are compared with the run that it came from.
pub fn audit_start(workflow: &Workflow, events: &[Event]) -> Result<(), ImpossibleEvent> {
    let Some(Event::Started {
        skill,
        pin,
        params,
        origin,
    }) = events.first()
    else {
        return Err(impossible(0, "the run does not begin with its start"));
    };
    if matches!(origin, Origin::Fork { .. }) {
        return Ok(());
    }
    match start(
        skill.clone(),
        pin.clone(),
        workflow,
        params.clone(),
        origin.clone(),
    ) {
        Ok(expected) => compare(&expected, events),
        Err(_) => Err(impossible(0, "the workflow cannot begin with these params")),
    }
}

/// Whether a run in this state can have had these events happen to it at once. `newer` is the workflow that an upgrade
/// among them moves to.
pub fn audit(
    state: &RunState,
    workflow: &Workflow,
    newer: Option<&Workflow>,
    events: &[Event],
) -> Result<(), ImpossibleEvent> {
    let facts = Facts::of(state, workflow, events);
    let mut nearest: Option<ImpossibleEvent> = None;
    for command in commands(state, workflow, newer, events) {
        // The tasks of a plan as they were then are not recorded with the run.
        if plan_in_view(state, &command, facts.evidence.as_deref()).is_some() {
            return follows_graph(state, workflow, events);
        }
        let environment = Environment {
            evidence: facts.evidence.as_deref(),
            trusted: true,
            children: &facts.children,
            self_reviews: &facts.self_reviews,
            tree: facts.tree,
            ..Environment::unknown()
        };
        let found = match decide(state, workflow, command, environment) {
            Decision::Accept(expected) => match compare(&expected, events) {
                Ok(()) => return Ok(()),
                Err(found) => found,
            },
            Decision::Already => impossible(0, "it had happened before"),
            Decision::NeedsEvidence(_) => impossible(0, "the evidence that the step expects is missing"),
            Decision::Refuse(refusal) => impossible(0, &format!("the rules refuse it ({})", refusal.code())),
        };
        if nearest.as_ref().is_none_or(|nearest| nearest.index < found.index) {
            nearest = Some(found);
        }
    }
    Err(nearest.unwrap_or_else(|| impossible(0, "no command does this")))
}

fn impossible(index: usize, why: &str) -> ImpossibleEvent {
    ImpossibleEvent {
        index,
        why: why.to_owned(),
    }
}

/// Whether the events that were recorded are those that were decided.
pub fn compare(expected: &[Event], recorded: &[Event]) -> Result<(), ImpossibleEvent> {
    let same = expected
        .iter()
        .zip(recorded)
        .take_while(|(expected, recorded)| decided(expected) == decided(recorded))
        .count();
    if same == expected.len() && same == recorded.len() {
        Ok(())
    } else if same == recorded.len() {
        Err(impossible(
            same.saturating_sub(1),
            "what follows from it is missing",
        ))
    } else {
        Err(impossible(same, "the workflow leads elsewhere"))
    }
}

/// An event as it was decided. Which files there were when a step was entered is found out afterwards.
fn decided(event: &Event) -> Event {
    let mut event = event.clone();
    if let Event::Entered { files, .. } = &mut event {
        *files = None;
    }
    event
}

/// What the world looked like when events happened, as far as they say so.
struct Facts<'a> {
    evidence: Option<Vec<EvidenceReport>>,
    tree: Option<&'a str>,
    children: Vec<ChildReport>,
    self_reviews: Vec<u32>,
}

impl<'a> Facts<'a> {
    fn of(state: &RunState, workflow: &Workflow, events: &'a [Event]) -> Self {
        // Only the first end was brought about by the command; later ones followed from it.
        let end = events.iter().find_map(|event| match event {
            Event::Ended {
                result,
                evidence,
                tree,
                ..
            } => Some((result.as_ref(), evidence.clone(), tree.as_deref())),
            Event::Judged { visit, result, tree } => {
                // What was found is not kept with a verdict that a person has to decide on.
                let step = state.visit(*visit).and_then(|visit| workflow.step(&visit.step));
                let found = step.map_or(Vec::new(), |step| {
                    step.expect.iter().map(EvidenceReport::met).collect()
                });
                Some((Some(result), found, tree.as_deref()))
            }
            _ => None,
        });
        let (result, evidence, tree) = match end {
            Some((result, evidence, tree)) => (result, Some(evidence), tree),
            None => (None, None, None),
        };
        Self {
            evidence,
            tree,
            children: result.map(reports_in).unwrap_or_default(),
            self_reviews: result.map(self_reviews_in).unwrap_or_default(),
        }
    }
}

/// The reviewers whose review was a self-review, as the verdict recorded it.
fn self_reviews_in(joined: &Value) -> Vec<u32> {
    let recorded = joined.pointer("/verdict/self_reviews").cloned();
    recorded
        .and_then(|slots| serde_json::from_value(slots).ok())
        .unwrap_or_default()
}

/// What sub-agents had reported, read off the result that joins it.
fn reports_in(joined: &Value) -> Vec<ChildReport> {
    let report = |entry: &Value| {
        let text = |key: &str| {
            entry
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let state = match entry.get("outcome")?.as_str()? {
            "finished" => ChildState::Finished(entry.get("result").cloned()),
            "failed" => ChildState::Failed(text("reason")),
            "escalated" => {
                let kind = serde_json::from_value(entry.get("escalation")?.clone()).ok()?;
                ChildState::Escalated(kind, text("reason"))
            }
            "waiting" => ChildState::Waiting,
            _ => ChildState::Cancelled,
        };
        Some(ChildReport {
            slot: u32::try_from(entry.get("slot")?.as_u64()?).ok()?,
            run: RunId::parse(entry.get("run")?.as_str()?).ok()?,
            state,
            tree: None,
        })
    };
    let entries = joined.get("children").and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(report).collect()
}

/// The commands that events can have come from.
fn commands<'a>(
    state: &RunState,
    workflow: &Workflow,
    newer: Option<&'a Workflow>,
    events: &[Event],
) -> Vec<Command<'a>> {
    let (note, rest) = match events {
        [Event::Noted { text, .. }, rest @ ..] => (Some(text.clone()), rest),
        _ => (None, events),
    };
    let command = match rest.first() {
        None => note.map(Command::Note),
        Some(Event::Rewound { to }) => Some(Command::Rewind { to: *to }),
        Some(Event::Upgraded { pin }) => newer.map(|workflow| Command::Upgrade {
            pin: pin.clone(),
            workflow,
        }),
        Some(Event::Paused { reason }) => Some(Command::Pause {
            reason: reason.clone(),
        }),
        Some(Event::Resumed) => Some(Command::Resume),
        Some(Event::Cancelled { reason }) => Some(Command::Cancel {
            reason: reason.clone(),
        }),
        Some(Event::LetGo { .. }) => Some(Command::LetGo),
        Some(Event::Escalated { visit, kind, reason }) => Some(Command::Done {
            visit: *visit,
            report: Report::Escalated {
                kind: *kind,
                reason: reason.clone(),
            },
            note,
        }),
        Some(Event::Judged { visit, .. }) => Some(Command::Done {
            visit: *visit,
            report: Report::Done(None),
            note,
        }),
        Some(Event::RisksAccepted {
            visit,
            findings,
            reason,
        }) => {
            let open = state.visit(*visit).map(blocking).unwrap_or_default();
            let number = |finding| {
                let index = open.iter().position(|open| open == finding)?;
                u32::try_from(index + 1).ok()
            };
            let accepted = Command::AcceptRisks {
                visit: *visit,
                findings: findings.iter().filter_map(number).collect(),
                reason: reason.clone(),
            };
            return [Some(accepted), ending(state, workflow, rest, note)]
                .into_iter()
                .flatten()
                .collect();
        }
        Some(Event::Ended { .. } | Event::Closed { .. }) => ending(state, workflow, rest, note),
        Some(_) => None,
    };
    command.into_iter().collect()
}

/// The command that ended a visit with these events.
fn ending<'a>(
    state: &RunState,
    workflow: &Workflow,
    events: &[Event],
    note: Option<String>,
) -> Option<Command<'a>> {
    let (visit, result, reason) = events.iter().find_map(|event| match event {
        Event::Ended {
            visit,
            result,
            reason,
            ..
        } => Some((*visit, result.as_ref(), reason.clone())),
        _ => None,
    })?;
    let open = state.visit(visit)?;
    if open.asked.is_some() {
        let text = |key: &str| {
            result
                .and_then(|result| result.get(key)?.as_str())
                .map(str::to_owned)
        };
        let cancelled = events.iter().find_map(|event| match event {
            Event::Cancelled { reason } => reason.clone(),
            _ => None,
        });
        return Some(Command::Answer {
            visit: Some(visit),
            answer: text(if open.judged.is_some() {
                "decision"
            } else {
                "answer"
            }),
            reason: reason.or(cancelled),
        });
    }
    let report = match (result, reason) {
        (None, Some(reason)) => Report::Failed { reason },
        (Some(joined), _) if is_dispatch(state, workflow, visit) => {
            if reports_in(joined).iter().any(|report| report.state.asks()) {
                Report::Unanswered
            } else {
                Report::Done(None)
            }
        }
        (result, _) => Report::Done(result.cloned()),
    };
    Some(Command::Done { visit, report, note })
}

fn is_dispatch(state: &RunState, workflow: &Workflow, visit: VisitNumber) -> bool {
    let step = state.visit(visit).and_then(|visit| workflow.step(&visit.step));
    step.is_some_and(|step| step.dispatch.is_some())
}

/// Whether events follow the edges of the workflow and bring what its steps ask for: what can be said without the tasks
/// of a plan as they were.
fn follows_graph(state: &RunState, workflow: &Workflow, events: &[Event]) -> Result<(), ImpossibleEvent> {
    let mut state = state.clone();
    let mut leads_to: Option<Target> = None;
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Ended {
                visit,
                outcome,
                result,
                reason,
                evidence,
                ..
            } => {
                let open = state
                    .visit(*visit)
                    .ok_or_else(|| impossible(index, "there is no such visit"))?;
                let step = workflow
                    .step(&open.step)
                    .ok_or_else(|| impossible(index, "the workflow has no such step"))?;
                let is_own = open.asked.is_none() && reason.is_none() && step.dispatch.is_none();
                if is_own && checked_result(step, result.clone()).is_err() {
                    return Err(impossible(index, "the result is not what the step asks for"));
                }
                let environment = Environment {
                    evidence: Some(evidence),
                    trusted: true,
                    ..Environment::unknown()
                };
                if is_own && !matches!(missing_evidence(step, environment), Ok(None)) {
                    return Err(impossible(index, "the evidence that the step expects is missing"));
                }
                leads_to = Some(step.leads_to(*outcome).cloned().unwrap_or(Target::End));
            }
            Event::Rewound { to } => {
                leads_to = state.visit(*to).map(|visit| Target::Step(visit.step.clone()));
            }
            Event::Entered { step, .. } if leads_to.take() != Some(Target::Step(step.clone())) => {
                return Err(impossible(index, "the workflow leads elsewhere"));
            }
            Event::Completed
                if !matches!(leads_to.take(), Some(Target::End))
                    && !events
                        .iter()
                        .any(|event| matches!(event, Event::Escalated { .. })) =>
            {
                return Err(impossible(index, "the workflow does not end there"));
            }
            _ => {}
        }
        apply_decided(&mut state, event);
    }
    match leads_to {
        Some(_) if !matches!(events.last(), Some(Event::Cancelled { .. })) => {
            Err(impossible(events.len() - 1, "what follows from it is missing"))
        }
        _ => Ok(()),
    }
}
