//! Runs as people look at them: a list, one with its timeline, and a fork of one.

use bugle_core::engine::{
    ChildReport, ChildState, Event, Origin, Recorded, RunState, Visit, fork, verdict_of,
};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::rights::Action;
use bugle_core::task::TaskBrief;
use bugle_render::words;
use bugle_store::{RunFilter, RunRow, Scope, Store as _};
use bugle_wire::{Position, RunDetail, RunList, RunSummary, TimelineEntry};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::{Reply, RunSelector};
use crate::delegation::is_stale;
use crate::{App, AppError, pin, view};

impl App {
    /// The runs of this project, or of all.
    pub fn runs(&mut self, everywhere: bool, open_only: bool, limit: u32) -> Result<RunList, AppError> {
        let scope = if everywhere {
            Scope::All
        } else {
            match self.project()? {
                Some(project) => Scope::Project(project),
                None => {
                    return Ok(RunList {
                        runs: Vec::new(),
                        more: 0,
                    });
                }
            }
        };
        let filter = RunFilter {
            scope,
            open_only,
            limit,
        };
        let runs: Vec<RunSummary> = self.store.runs(&filter)?.iter().map(summary).collect();
        let more = self.store.count_runs(&filter)?.saturating_sub(runs.len() as u64);
        Ok(RunList { runs, more })
    }

    /// A run and everything that happened to it.
    pub fn show(&mut self, selector: &RunSelector) -> Result<RunDetail, AppError> {
        let row = self.select(selector)?;
        let stored = self.store.load(&row.id)?.ok_or_else(|| AppError::NotFound {
            what: format!("there is no run {}", row.id),
            hints: Vec::new(),
        })?;
        let state = RunState::replay(&row.id, &stored.events).map_err(bugle_store::StoreError::from)?;
        let origin = match &state.origin {
            Origin::Fresh => None,
            Origin::Fork { run, visit } => Some(format!("forked from {run} at visit {visit}")),
            Origin::Child(child) => {
                let answered = child.answered.as_ref().map_or_else(String::new, |answered| {
                    let (asked, answer) = (&answered.reason, &answered.answer);
                    format!(
                        ", had again after {}: \"{asked}\", answered: \"{answer}\"",
                        answered.kind.as_str()
                    )
                });
                Some(format!("sub-agent {} as {}{answered}", child.token, child.role))
            }
        };
        let there = self.place.rooted(&row.directory);
        let compiled = pin::load(&mut self.store, &state.pin)?;
        let mut notices: Vec<String> = pin::drift(&there, state.skill.as_str(), &compiled)
            .into_iter()
            .collect();
        notices.extend(stale_verdict(&state, &row.directory));
        notices.extend(ended_without_success(&state));
        notices.extend(self.children_lines(&state)?);
        Ok(RunDetail {
            summary: summary(&row),
            pin: state.pin.to_string(),
            params: state.params.clone(),
            origin,
            timeline: timeline(&stored.events, &state),
            notices,
            command: state
                .status
                .is_open()
                .then(|| view::go_on(&self.place, &state.id)),
        })
    }

    /// Starts a run that begins where another one entered a visit.
    pub fn fork(&mut self, selector: &RunSelector, at: VisitNumber) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let stored = self.store.load(&row.id)?.ok_or_else(|| AppError::NotFound {
            what: format!("there is no run {}", row.id),
            hints: Vec::new(),
        })?;
        let Some(events) = fork(&row.id, &stored.events, at) else {
            let run = self.read(&row.id)?;
            return Err(self.refused(&run, &bugle_core::engine::Refusal::UnknownVisit(at)));
        };
        if row.child.is_some() {
            let run = self.read(&row.id)?;
            return Err(self.refused(&run, &bugle_core::engine::Refusal::OnlyForWholeRuns));
        }
        let run = self.read(&row.id)?;
        let by = self.recorded_actor(&run, Action::Fork)?;
        let mut pins = events.iter().filter_map(|event| match event {
            Event::Started { pin, .. } | Event::Upgraded { pin } => Some(pin),
            _ => None,
        });
        let version = pins.next_back().unwrap_or(&row.pin);
        let workflow = pin::load(&mut self.store, version)?.workflow;
        let state = self
            .create_by(&by, (&row.project, &row.directory), &workflow, events)?
            .ok_or_else(|| AppError::System("no free id was found for the run".to_owned()))?;
        let run = self.read(&state.id)?;
        self.reply(&run)
    }
}

/// A notice that the files have changed since the latest verdict, if that let them pass.
fn stale_verdict(state: &RunState, directory: &str) -> Option<String> {
    let judged = |visit: &&Visit| verdict_of(visit).is_some();
    let gate = state.lineage(state.head()?.number).find(judged)?;
    // Work that goes back is there to be changed.
    let passed = gate
        .ending
        .as_ref()
        .filter(|ending| ending.outcome == Outcome::Ok)?;
    is_stale(passed.tree.as_ref(), directory).then(|| {
        format!(
            "The verdict of visit {} ({}) is stale: the files have changed since.",
            gate.number, gate.step
        )
    })
}

/// A notice that a sub-agent's run is over and its work is not done.
fn ended_without_success(state: &RunState) -> Option<String> {
    let report = ChildReport::of(state)?.state;
    matches!(report, ChildState::Failed(_) | ChildState::Escalated(..)).then(|| {
        format!(
            "This sub-agent's work is not done: it {}.",
            words::child_state(&report)
        )
    })
}

/// The sub-agents of a visit whose work is not done, as its join says.
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

pub(crate) fn summary(row: &RunRow) -> RunSummary {
    RunSummary {
        position: Position {
            skill: row.skill.clone(),
            run: row.id.to_string(),
            status: row.status.to_string(),
            visit: row.visit.map(|visit| format!("{}#{visit}", row.id)),
            step: row.step.clone(),
        },
        directory: row.directory.clone(),
        started_at: row.started_at.0,
        changed_at: row.changed_at.0,
    }
}

/// What happened to a run, in order: all its events, or the last of them.
pub(crate) fn timeline(events: &[Recorded], state: &RunState) -> Vec<TimelineEntry> {
    let led_here: BTreeSet<VisitNumber> = state
        .head()
        .map(|head| state.passed(head.number).map(|passed| passed.number).collect())
        .unwrap_or_default();
    let first = state.version.saturating_sub(events.len() as u64) + 1;
    let entries = events.iter().zip(first..).map(|(recorded, seq)| {
        let (kind, visit, summary, details) = described(&recorded.event, state);
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
            left_behind: visit.is_some_and(|visit| !led_here.contains(&visit)),
        }
    });
    entries.collect()
}

/// So many of these, in words.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A task by its number and title.
fn named(task: &TaskBrief) -> String {
    format!("{} {} ({})", task.number, task.title, task.id)
        .trim()
        .to_owned()
}

/// The same for what sub-agents, tasks and reviews bring.
fn described_delegation<'a>(event: &Event, step_of: &dyn Fn(VisitNumber) -> &'a str) -> Line {
    match event {
        Event::Dispatched { visit, children } => (
            "dispatched",
            Some(*visit),
            format!(
                "visit {visit} called for {}",
                counted(children.len(), "sub-agent")
            ),
            // Where nothing was passed on there is nothing to see.
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
                counted(findings.len(), "finding")
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
            format!("visit {visit} took up task {}", named(task)),
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

/// A line of a timeline: the kind of an event, its visit, what happened, and what else there is to see.
type Line = (&'static str, Option<VisitNumber>, String, Option<Value>);

/// An event as a line of a timeline.
fn described(event: &Event, state: &RunState) -> Line {
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
        | Event::Escalated { .. } => described_delegation(event, &step_of),
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
            let checked: Vec<String> = evidence.iter().map(bugle_render::words::evidence).collect();
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
