//! Describes the events of runs and tasks.

use bugle_core::count::counted;
use bugle_core::engine::{Event, Origin, TaskRef};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{Change, RunChange};
use serde_json::{Value, json};

use crate::text::excerpt;
use crate::{evidence_text, task_text};

/// Describes a change on one line.
pub fn change(change: &Change) -> String {
    match change {
        Change::Run(change) => run_change(change),
        Change::Task(event) => task_text::event(event),
    }
}

/// The result, evidence or other details of an event.
pub fn details(change: &Change) -> Option<Value> {
    let Change::Run(change) = change else { return None };
    match &change.event {
        // No details if no sub-agent has params.
        Event::Dispatched { children, .. } => children
            .iter()
            .any(|plan| !plan.params.is_empty())
            .then(|| json!(children.iter().map(|plan| &plan.params).collect::<Vec<_>>())),
        Event::RisksAccepted { findings, .. } => Some(json!(findings)),
        Event::Took { task, .. } => Some(json!(task.id)),
        Event::Ended { result, evidence, .. } => {
            let checked: Vec<String> = evidence.iter().map(evidence_text::report).collect();
            match (result, checked.is_empty()) {
                (None, true) => None,
                (Some(result), true) => Some(result.clone()),
                (result, false) => Some(json!({ "result": result, "evidence": checked })),
            }
        }
        _ => None,
    }
}

/// Describes a run's origin: a task, another run or a dispatch. `None` if the run was started independently.
pub fn origin(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Fresh => None,
        Origin::Task(task) => Some(format!("for task {}", task.label())),
        Origin::Fork { run, visit, .. } => Some(format!("forked from {run} at visit {visit}")),
        Origin::Child(child) => {
            let answered = child.answered.as_ref().map_or_else(String::new, |answered| {
                let (asked, answer) = (&answered.reason, &answered.answer);
                format!(
                    ", restarted after {}: \"{asked}\", answered: \"{answer}\"",
                    answered.kind.as_str()
                )
            });
            Some(format!("sub-agent {} as {}{answered}", child.token, child.role))
        }
    }
}

fn run_change(change: &RunChange) -> String {
    let step = change.step.as_ref().map_or("?", |step| step.as_str());
    match &change.event {
        Event::Started { skill, .. } => format!("started {skill}"),
        Event::Entered { visit, step, .. } => format!("visit {visit} entered {step}"),
        Event::Asked { visit } => match &change.question {
            Some(question) => format!("visit {visit} asked the user: {}", excerpt(question)),
            None => format!("visit {visit} asked the user"),
        },
        Event::Dispatched { visit, children } => {
            format!(
                "visit {visit} dispatched {}",
                counted(children.len(), "sub-agent")
            )
        }
        Event::Took { visit, task } => format!("visit {visit} started task {}", TaskRef::from(task).label()),
        Event::Closed {
            task, skipped: None, ..
        } => format!("task {task} is done"),
        Event::Closed {
            task,
            skipped: Some(why),
            ..
        } => format!("task {task} was skipped: {why}"),
        Event::Judged { visit, .. } => format!("visit {visit} of {step} did not pass and needs a decision"),
        Event::RisksAccepted { findings, reason, .. } => format!(
            "accepted the risk of {}: {reason}",
            counted(findings.len(), "finding")
        ),
        Event::Escalated { visit, kind, reason } => {
            format!("visit {visit} of {step} stopped ({}): {reason}", kind.as_str())
        }
        Event::LetGo { visit } => {
            format!("visit {visit} of {step} is on hold: the agent stopped repeatedly without progress")
        }
        Event::Noted { text, .. } => format!("noted: {text}"),
        Event::Ended {
            visit,
            outcome,
            reason,
            exhausted,
            no_progress,
            tree,
            ..
        } => {
            let limit = match (exhausted, no_progress) {
                (true, _) => ", limit reached",
                (_, true) => ", stopped: no progress",
                _ => "",
            };
            let files = tree
                .as_ref()
                .map(|tree| format!(", files at {tree}"))
                .unwrap_or_default();
            format!(
                "visit {visit} of {step} ended with {outcome}{limit}{}{files}{}",
                ending_facts(change),
                because(reason.as_ref())
            )
        }
        Event::Completed if change.outcome == Some(Outcome::Fail) => "failed".to_owned(),
        Event::Completed => "completed".to_owned(),
        Event::Paused { reason } => format!("paused{}", because(reason.as_ref())),
        Event::Resumed => "resumed".to_owned(),
        Event::Cancelled { reason } => format!("cancelled{}", because(reason.as_ref())),
        Event::Rewound { to } => format!("rewound to before visit {to} ({step})"),
        Event::Upgraded { pin, .. } => format!("upgraded to skill version {}", pin.short()),
    }
}

/// The answer, the self-review and the unfinished sub-agents of a visit that ended.
fn ending_facts(change: &RunChange) -> String {
    let mut out = String::new();
    if let Some(answer) = &change.answer {
        out.push_str(&format!(", answer: \"{}\"", excerpt(answer)));
    }
    if change.has_self_review {
        out.push_str(", a self-review");
    }
    if !change.unfinished.is_empty() {
        let children = change.unfinished.iter();
        let children = children.map(|child| format!("sub-agent {} ({})", child.slot, child.outcome));
        out.push_str(&format!(
            ", not done: {}",
            children.collect::<Vec<_>>().join(", ")
        ));
    }
    out
}

fn because(reason: Option<&String>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}
