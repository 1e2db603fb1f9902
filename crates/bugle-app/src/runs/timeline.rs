//! A run's timeline: its events as lines of text.

use std::collections::BTreeSet;

use bugle_core::count::counted;
use bugle_core::engine::{Event, Recorded, RunState, Visit, context, verdict_of};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{TimelineEntry, TimelineKind};
use bugle_core::task::TaskBrief;
use bugle_core::workflow::Workflow;
use bugle_render::evidence_text;
use bugle_render::template::Engine;
use bugle_render::text::excerpt;
use serde_json::{Value, json};

/// A run's timeline, with one line for each of `events`: all of the run's events, or the latest ones. Includes the text of
/// questions if `workflow` is given.
pub(crate) fn timeline(
    events: &[Recorded],
    state: &RunState,
    workflow: Option<&Workflow>,
) -> Vec<TimelineEntry> {
    let on_path: BTreeSet<VisitNumber> = state
        .head()
        .map(|head| state.passed(head.number).map(|passed| passed.number).collect())
        .unwrap_or_default();
    let first = state.version.saturating_sub(events.len() as u64) + 1;
    let outcomes = last_outcomes(events);
    let entries = events
        .iter()
        .zip(first..)
        .zip(outcomes)
        .map(|((recorded, seq), outcome)| {
            let (kind, visit) = kind_and_visit(&recorded.event);
            TimelineEntry {
                seq,
                at: recorded.at,
                by: recorded.by.to_string(),
                person: None,
                kind,
                visit,
                outcome: match &recorded.event {
                    Event::Ended { .. } | Event::Completed => outcome,
                    _ => None,
                },
                summary: match (&recorded.event, outcome) {
                    (Event::Completed, Some(Outcome::Fail)) => "failed".to_owned(),
                    (Event::Asked { visit }, _) => asked(*visit, state, workflow),
                    _ => summary(&recorded.event, state),
                },
                details: details(&recorded.event),
                left_behind: visit.is_some_and(|visit| !on_path.contains(&visit)),
            }
        });
    entries.collect()
}

/// For each event, the outcome of the last visit that had ended by then.
fn last_outcomes(events: &[Recorded]) -> impl Iterator<Item = Option<Outcome>> {
    events.iter().scan(None, |last, recorded| {
        if let Event::Ended { outcome, .. } = &recorded.event {
            *last = Some(*outcome);
        }
        Some(*last)
    })
}

/// A task's number, title and id.
fn task_label(task: &TaskBrief) -> String {
    format!("{} {} ({})", task.number, task.title, task.id)
        .trim()
        .to_owned()
}

/// The kind of an event, and the event's visit.
fn kind_and_visit(event: &Event) -> (TimelineKind, Option<VisitNumber>) {
    match event {
        Event::Started { .. } => (TimelineKind::Started, None),
        Event::Entered { visit, .. } => (TimelineKind::Entered, Some(*visit)),
        Event::Asked { visit } => (TimelineKind::Asked, Some(*visit)),
        Event::Dispatched { visit, .. } => (TimelineKind::Dispatched, Some(*visit)),
        Event::Took { visit, .. } => (TimelineKind::Took, Some(*visit)),
        Event::Closed { visit, .. } => (TimelineKind::Closed, Some(*visit)),
        Event::Judged { visit, .. } => (TimelineKind::Judged, Some(*visit)),
        Event::RisksAccepted { visit, .. } => (TimelineKind::RisksAccepted, Some(*visit)),
        Event::Escalated { visit, .. } => (TimelineKind::Escalated, Some(*visit)),
        Event::LetGo { visit } => (TimelineKind::LetGo, Some(*visit)),
        Event::Noted { visit, .. } => (TimelineKind::Noted, Some(*visit)),
        Event::Ended { visit, .. } => (TimelineKind::Ended, Some(*visit)),
        Event::Completed => (TimelineKind::Completed, None),
        Event::Paused { .. } => (TimelineKind::Paused, None),
        Event::Resumed => (TimelineKind::Resumed, None),
        Event::Cancelled { .. } => (TimelineKind::Cancelled, None),
        Event::Rewound { .. } => (TimelineKind::Rewound, None),
        Event::Upgraded { .. } => (TimelineKind::Upgraded, None),
    }
}

/// A one-line summary of an event.
fn summary(event: &Event, state: &RunState) -> String {
    let step_of = |visit: VisitNumber| state.step_of(visit).map_or("?", |step| step.as_str());
    let because = |reason: &Option<String>| {
        reason
            .as_ref()
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default()
    };
    match event {
        Event::Started { skill, .. } => format!("started {skill}"),
        Event::Entered { visit, step, .. } => format!("visit {visit} entered {step}"),
        Event::Asked { visit } => asked(*visit, state, None),
        Event::Dispatched { visit, children } => {
            format!(
                "visit {visit} dispatched {}",
                counted(children.len(), "sub-agent")
            )
        }
        Event::Took { visit, task } => format!("visit {visit} started task {}", task_label(task)),
        Event::Closed {
            task, skipped: None, ..
        } => format!("task {task} is done"),
        Event::Closed {
            task,
            skipped: Some(why),
            ..
        } => format!("task {task} was skipped: {why}"),
        Event::Judged { visit, .. } => format!(
            "visit {visit} of {} did not pass and needs a decision",
            step_of(*visit)
        ),
        Event::RisksAccepted { findings, reason, .. } => format!(
            "accepted the risk of {}: {reason}",
            counted(findings.len(), "finding")
        ),
        Event::Escalated { visit, kind, reason } => format!(
            "visit {visit} of {} stopped ({}): {reason}",
            step_of(*visit),
            kind.as_str()
        ),
        Event::LetGo { visit } => format!(
            "visit {visit} of {} is on hold: the agent stopped repeatedly without progress",
            step_of(*visit)
        ),
        Event::Noted { text, .. } => format!("noted: {text}"),
        Event::Ended {
            visit,
            outcome,
            result,
            reason,
            exhausted,
            tree,
            ..
        } => {
            let limit = if *exhausted { ", limit reached" } else { "" };
            let files = tree
                .as_ref()
                .map(|tree| format!(", files at {tree}"))
                .unwrap_or_default();
            let self_review = match state.visit(*visit).and_then(verdict_of) {
                Some(verdict) if !verdict.self_reviews.is_empty() => ", a self-review",
                _ => "",
            };
            let not_done = not_done(state.visit(*visit), result.as_ref());
            format!(
                "visit {visit} of {} ended with {outcome}{limit}{}{self_review}{not_done}{files}{}",
                step_of(*visit),
                answer(state.visit(*visit), result.as_ref()),
                because(reason)
            )
        }
        Event::Completed => "completed".to_owned(),
        Event::Paused { reason } => format!("paused{}", because(reason)),
        Event::Resumed => "resumed".to_owned(),
        Event::Cancelled { reason } => format!("cancelled{}", because(reason)),
        Event::Rewound { to } => format!("rewound to before visit {to} ({})", step_of(*to)),
        Event::Upgraded { pin, .. } => format!("upgraded to skill version {}", pin.short()),
    }
}

/// A question to the user, shortened.
fn asked(visit: VisitNumber, state: &RunState, workflow: Option<&Workflow>) -> String {
    let question = || {
        let workflow = workflow?;
        let ask = workflow.step(state.step_of(visit)?)?.ask.as_ref()?;
        let values = context(state, workflow, visit).for_templates();
        // The timeline is useful without the question, and the step shows the error.
        Engine::default().render(&ask.question, &values).ok()
    };
    match question() {
        Some(question) => format!("visit {visit} asked the user: {}", excerpt(&question)),
        None => format!("visit {visit} asked the user"),
    }
}

/// The user's answer to a visit's question, shortened.
fn answer(visit: Option<&Visit>, result: Option<&Value>) -> String {
    let is_asked = visit.is_some_and(|visit| visit.asked.is_some() || visit.judged.is_some());
    let given = result.filter(|_| is_asked).and_then(|result| {
        let answer = result.get("answer").or_else(|| result.get("decision"))?;
        answer.as_str()
    });
    given.map_or_else(String::new, |answer| format!(", answer: \"{}\"", excerpt(answer)))
}

/// The result, evidence or other details of an event.
fn details(event: &Event) -> Option<Value> {
    match event {
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

/// The sub-agents of a joined visit whose work is unfinished.
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
