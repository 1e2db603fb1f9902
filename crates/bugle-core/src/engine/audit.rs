//! Audits a run's history: could the rules have produced the recorded events? Events that were appended together came
//! from one command. The audit derives that command from the events, decides it again, and compares the results.

use super::also_found::AlsoFound;
use super::child::ChildReport;
use super::command::{Command, Decision, Environment, Report};
use super::decide::{decide, start};
use super::dispatch::reports_in;
use super::event::{Event, Origin};
use super::evidence::EvidenceReport;
use super::finish::evidence as missing_evidence;
use super::gate::blocking;
use super::result::{checked_result, with_also_found};
use super::state::RunState;
use super::tasks::{apply_decided, plan_in_view};
use crate::id::VisitNumber;
use crate::outcome::Target;
use crate::workflow::Workflow;
use serde_json::Value;

/// The version of the rules, recorded with each event. Increment it whenever [`decide`] or [`start`] would answer a
/// command on an existing run differently, because [`audit`] applies only to events of the current version.
pub const RULES: u32 = 3;

/// The first event in a group that contradicts the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpossibleEvent {
    /// The event's index in the group.
    pub index: usize,
    /// The reason.
    pub why: String,
}

/// Checks that a run can start with these events. A fork's events are compared with its source elsewhere.
pub fn audit_start(workflow: &Workflow, events: &[Event]) -> Result<(), ImpossibleEvent> {
    let Some(Event::Started {
        skill,
        pin,
        params,
        origin,
        ..
    }) = events.first()
    else {
        return Err(impossible(0, "the first event does not start the run"));
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
        Err(_) => Err(impossible(0, "the workflow cannot start with these params")),
    }
}

/// Checks that one command can produce these events in this state. `newer` is the new workflow if the events include
/// an upgrade.
pub fn audit(
    state: &RunState,
    workflow: &Workflow,
    newer: Option<&Workflow>,
    events: &[Event],
) -> Result<(), ImpossibleEvent> {
    let facts = Facts::of(state, workflow, events);
    let mut nearest: Option<ImpossibleEvent> = None;
    for command in commands(state, workflow, newer, events) {
        // The run does not store the state of its plan's tasks at the time of the events.
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
            Decision::Already => impossible(0, "the command had already succeeded"),
            Decision::NeedsEvidence(_) => impossible(0, "the step's evidence is missing"),
            Decision::Refuse(refusal) => {
                impossible(0, &format!("the rules refuse the command ({})", refusal.code()))
            }
        };
        if nearest.as_ref().is_none_or(|nearest| nearest.index < found.index) {
            nearest = Some(found);
        }
    }
    Err(nearest.unwrap_or_else(|| impossible(0, "no command produces these events")))
}

fn impossible(index: usize, why: &str) -> ImpossibleEvent {
    ImpossibleEvent {
        index,
        why: why.to_owned(),
    }
}

/// Checks that the recorded events equal the decided events.
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
            "the events that must follow this event are missing",
        ))
    } else {
        Err(impossible(same, "replaying the rules gives a different event"))
    }
}

/// The event without the files recorded at the start of a visit, because these are added after the decision.
fn decided(event: &Event) -> Event {
    let mut event = event.clone();
    if let Event::Entered { files, .. } = &mut event {
        *files = None;
    }
    event
}

/// The facts at the time of the events, as far as the events reveal them.
struct Facts<'a> {
    evidence: Option<Vec<EvidenceReport>>,
    tree: Option<&'a str>,
    children: Vec<ChildReport>,
    self_reviews: Vec<u32>,
}

impl<'a> Facts<'a> {
    fn of(state: &RunState, workflow: &Workflow, events: &'a [Event]) -> Self {
        // The command ended only the first visit. The later visits ended as a consequence.
        let end = events.iter().find_map(|event| match event {
            Event::Ended {
                result,
                evidence,
                tree,
                ..
            } => Some((result.as_ref(), evidence.clone(), tree.as_deref())),
            Event::Judged { visit, result, tree } => {
                // Evidence is not recorded with a verdict that a person must decide on.
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
        let mut children = result.map(reports_in).unwrap_or_default();
        if let Some(first) = children.first_mut() {
            // The events do not say which sub-agent reported a problem.
            first.also_found = also_found_in(events);
        }
        Self {
            evidence,
            tree,
            children,
            self_reviews: result.map(self_reviews_in).unwrap_or_default(),
        }
    }
}

/// The reviewers that reviewed their own work, according to the recorded verdict.
fn self_reviews_in(joined: &Value) -> Vec<u32> {
    let recorded = joined.pointer("/verdict/self_reviews").cloned();
    recorded
        .and_then(|slots| serde_json::from_value(slots).ok())
        .unwrap_or_default()
}

/// The commands that could have produced these events.
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
        Some(Event::Upgraded { pin, .. }) => newer.map(|workflow| Command::Upgrade {
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

/// The command that ends a visit with these events.
fn ending<'a>(
    state: &RunState,
    workflow: &Workflow,
    events: &[Event],
    note: Option<String>,
) -> Option<Command<'a>> {
    let (visit, result, reason, returned) = events.iter().find_map(|event| match event {
        Event::Ended {
            visit,
            result,
            reason,
            merged,
            also_found,
            ..
        } => {
            let returned = merged.as_ref().map(|merged| &merged.returned).or(result.as_ref());
            let is_join = is_dispatch(state, workflow, *visit);
            let returned = returned.filter(|_| !is_join).cloned();
            Some((
                *visit,
                result.as_ref(),
                reason.clone(),
                with_also_found(returned, also_found),
            ))
        }
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
        (Some(joined), _)
            if is_dispatch(state, workflow, visit)
                && reports_in(joined).iter().any(|report| report.state.asks()) =>
        {
            Report::Unanswered
        }
        _ => Report::Done(returned),
    };
    Some(Command::Done { visit, report, note })
}

fn is_dispatch(state: &RunState, workflow: &Workflow, visit: VisitNumber) -> bool {
    let step = state.visit(visit).and_then(|visit| workflow.step(&visit.step));
    step.is_some_and(|step| step.dispatch.is_some())
}

/// Checks everything that does not depend on the plan's tasks: events follow the workflow's edges, and have the
/// required results and evidence.
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
                    .ok_or_else(|| impossible(index, "the visit does not exist"))?;
                let step = workflow
                    .step(&open.step)
                    .ok_or_else(|| impossible(index, "the workflow has no such step"))?;
                let is_own = open.asked.is_none() && reason.is_none() && step.dispatch.is_none();
                if is_own && checked_result(step, result.clone()).is_err() {
                    return Err(impossible(
                        index,
                        "the result does not have the shape that the step declares",
                    ));
                }
                let environment = Environment {
                    evidence: Some(evidence),
                    trusted: true,
                    ..Environment::unknown()
                };
                if is_own && !matches!(missing_evidence(step, environment), Ok(None)) {
                    return Err(impossible(index, "the step's evidence is missing"));
                }
                leads_to = Some(step.leads_to(*outcome).cloned().unwrap_or(Target::End));
            }
            Event::Rewound { to } => {
                leads_to = state.visit(*to).map(|visit| Target::Step(visit.step.clone()));
            }
            Event::Entered { step, .. } if leads_to.take() != Some(Target::Step(step.clone())) => {
                return Err(impossible(index, "the workflow has no transition to this step"));
            }
            Event::Completed
                if !matches!(leads_to.take(), Some(Target::End))
                    && !events
                        .iter()
                        .any(|event| matches!(event, Event::Escalated { .. })) =>
            {
                return Err(impossible(index, "the workflow does not end at this step"));
            }
            _ => {}
        }
        apply_decided(&mut state, event);
    }
    match leads_to {
        Some(_) if !matches!(events.last(), Some(Event::Cancelled { .. })) => Err(impossible(
            events.len() - 1,
            "the events that must follow this event are missing",
        )),
        _ => Ok(()),
    }
}

/// The problems that the first visit in these events ended with.
fn also_found_in(events: &[Event]) -> Vec<AlsoFound> {
    let ended = events.iter().find_map(|event| match event {
        Event::Ended { also_found, .. } => Some(also_found.clone()),
        _ => None,
    });
    ended.unwrap_or_default()
}
