//! The timeline of a run: its events as lines of text.

use std::collections::BTreeSet;

use bugle_core::engine::{Event, Recorded, RunState, Visit, verdict_of};
use bugle_core::id::VisitNumber;
use bugle_core::task::TaskBrief;
use bugle_render::evidence_text;
use bugle_wire::TimelineEntry;
use serde_json::{Value, json};

/// The timeline of a run: a line for each of `events`, which are all of its events or the last of them.
pub(crate) fn timeline(events: &[Recorded], state: &RunState) -> Vec<TimelineEntry> {
    let on_path: BTreeSet<VisitNumber> = state
        .head()
        .map(|head| state.passed(head.number).map(|passed| passed.number).collect())
        .unwrap_or_default();
    let first = state.version.saturating_sub(events.len() as u64) + 1;
    let entries = events.iter().zip(first..).map(|(recorded, seq)| {
        let (kind, visit, summary, details) = event_line(&recorded.event, state);
        TimelineEntry {
            seq,
            at: recorded.at.0,
            by: recorded.by.to_string(),
            kind: kind.to_owned(),
            visit: visit.map(|visit| visit.0),
            outcome: match &recorded.event {
                Event::Ended { outcome, .. } => Some(outcome.to_string()),
                _ => None,
            },
            summary,
            details,
            left_behind: visit.is_some_and(|visit| !on_path.contains(&visit)),
        }
    });
    entries.collect()
}

/// A count with its noun.
fn plural(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A task's number, title and id.
fn task_label(task: &TaskBrief) -> String {
    format!("{} {} ({})", task.number, task.title, task.id)
        .trim()
        .to_owned()
}

/// Like [`event_line`], for events of sub-agents, tasks and reviews.
fn delegation_line<'a>(event: &Event, step_of: &dyn Fn(VisitNumber) -> &'a str) -> Line {
    match event {
        Event::Dispatched { visit, children } => (
            "dispatched",
            Some(*visit),
            format!("visit {visit} called for {}", plural(children.len(), "sub-agent")),
            // No details where no sub-agent has params.
            children
                .iter()
                .any(|plan| !plan.params.is_empty())
                .then(|| json!(children.iter().map(|plan| &plan.params).collect::<Vec<_>>())),
        ),
        Event::Judged { visit, .. } => (
            "judged",
            Some(*visit),
            format!(
                "visit {visit} of {} did not pass and waits for a decision",
                step_of(*visit)
            ),
            None,
        ),
        Event::RisksAccepted {
            visit,
            findings,
            reason,
        } => (
            "risks_accepted",
            Some(*visit),
            format!(
                "accepted as a risk: {}: {reason}",
                plural(findings.len(), "finding")
            ),
            Some(json!(findings)),
        ),
        Event::Escalated { visit, kind, reason } => (
            "escalated",
            Some(*visit),
            format!(
                "visit {visit} of {} stopped, {}: {reason}",
                step_of(*visit),
                kind.as_str()
            ),
            None,
        ),
        Event::Took { visit, task } => (
            "took",
            Some(*visit),
            format!("visit {visit} took up task {}", task_label(task)),
            Some(json!(task.id)),
        ),
        Event::Closed { visit, task, skipped } => (
            "closed",
            Some(*visit),
            match skipped {
                None => format!("task {task} is done"),
                Some(why) => format!("task {task} is left out: {why}"),
            },
            None,
        ),
        _ => ("other", None, String::new(), None),
    }
}

/// A line of a timeline: the kind of an event, its visit, a summary, and details.
type Line = (&'static str, Option<VisitNumber>, String, Option<Value>);

/// An event as a line of a timeline.
fn event_line(event: &Event, state: &RunState) -> Line {
    let step_of = |visit: VisitNumber| state.step_of(visit).map_or("?", |step| step.as_str());
    let because = |reason: &Option<String>| {
        reason
            .as_ref()
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default()
    };
    match event {
        Event::Started { skill, .. } => ("started", None, format!("started {skill}"), None),
        Event::Entered { visit, step, .. } => (
            "entered",
            Some(*visit),
            format!("visit {visit} entered {step}"),
            None,
        ),
        Event::Asked { visit } => (
            "asked",
            Some(*visit),
            format!("visit {visit} asked a person"),
            None,
        ),
        Event::Dispatched { .. }
        | Event::Took { .. }
        | Event::Closed { .. }
        | Event::Judged { .. }
        | Event::RisksAccepted { .. }
        | Event::Escalated { .. } => delegation_line(event, &step_of),
        Event::LetGo { visit } => (
            "let_go",
            Some(*visit),
            format!(
                "visit {visit} of {} waits: the agent stopped again and again without getting on",
                step_of(*visit)
            ),
            None,
        ),
        Event::Noted { visit, text } => ("noted", Some(*visit), format!("noted: {text}"), None),
        Event::Ended {
            visit,
            outcome,
            result,
            reason,
            evidence,
            exhausted,
            tree,
        } => {
            let limit = if *exhausted { ", at its limit" } else { "" };
            let files = tree
                .as_ref()
                .map(|tree| format!(", files at {tree}"))
                .unwrap_or_default();
            let self_review = match state.visit(*visit).and_then(verdict_of) {
                Some(verdict) if !verdict.self_reviews.is_empty() => ", a self-review",
                _ => "",
            };
            let not_done = not_done(state.visit(*visit), result.as_ref());
            let line = format!(
                "visit {visit} of {} ended {outcome}{limit}{self_review}{not_done}{files}{}",
                step_of(*visit),
                because(reason)
            );
            let checked: Vec<String> = evidence.iter().map(evidence_text::report).collect();
            let details = match (result, checked.is_empty()) {
                (None, true) => None,
                (Some(result), true) => Some(result.clone()),
                (result, false) => Some(json!({ "result": result, "evidence": checked })),
            };
            ("ended", Some(*visit), line, details)
        }
        Event::Completed => ("completed", None, "completed".to_owned(), None),
        Event::Paused { reason } => ("paused", None, format!("paused{}", because(reason)), None),
        Event::Resumed => ("resumed", None, "resumed".to_owned(), None),
        Event::Cancelled { reason } => ("cancelled", None, format!("cancelled{}", because(reason)), None),
        Event::Rewound { to } => (
            "rewound",
            None,
            format!("rewound to before visit {to} ({})", step_of(*to)),
            None,
        ),
        Event::Upgraded { pin } => (
            "upgraded",
            None,
            format!("moved to skill version {}", pin.short()),
            None,
        ),
    }
}

/// The sub-agents of a joined visit whose work is not done.
fn not_done(visit: Option<&Visit>, joined: Option<&Value>) -> String {
    let is_join = visit.is_some_and(|visit| visit.dispatched.is_some());
    let entries = joined.and_then(|joined| joined.get("children")?.as_array());
    let unfinished: Vec<String> = entries
        .filter(|_| is_join)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let outcome = entry
                .get("outcome")?
                .as_str()
                .filter(|outcome| *outcome != "finished")?;
            Some(format!("sub-agent {} ({outcome})", entry.get("slot")?))
        })
        .collect();
    if unfinished.is_empty() {
        String::new()
    } else {
        format!(", not done: {}", unfinished.join(", "))
    }
}
