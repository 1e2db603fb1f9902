//! Notes and results of earlier steps and tasks, and recent events.

use std::collections::BTreeMap;

use bugle_core::id::{Actor, TaskId, Timestamp};
use bugle_core::reply::{ActivitySubject, ActivityView, Change, LearntView, TaskLine, TaskName};
use bugle_core::task::{RecordedTaskEvent, TaskEvent, WaitSource};
use bugle_store::{Store, TaskRow};

use super::ShortClock;
use super::actor_names::ActorNames;
use crate::AppError;
use crate::open_run::{OpenRun, RunWithEvents};
use crate::runs::timeline;
use crate::tasks::CurrentTask;

/// Maximum number of notes from the current task in a wake-up.
const MAX_OWN_NOTES: usize = 20;
/// Maximum number of notes from each other task.
const MAX_NOTES: usize = 5;
/// Maximum number of notes in total.
const MAX_TOLD: usize = 40;
/// Maximum number of recent events.
const MAX_HAPPENED: usize = 12;
/// Number of a run's latest events to read. This is more than are shown, because a rewind hides some events.
const MAX_EVENTS: usize = 64;

/// The tasks related to the current one, with their events.
pub(super) struct RelatedTasks {
    /// The tasks whose notes are shown, most useful first.
    pub(super) sources: Vec<TaskRow>,
    /// The tasks whose recent events are shown.
    near: Vec<TaskRow>,
    events: BTreeMap<TaskId, Vec<RecordedTaskEvent>>,
}

impl RelatedTasks {
    fn events_of(&self, row: &TaskRow) -> &[RecordedTaskEvent] {
        self.events.get(&row.task.id).map_or(&[], Vec::as_slice)
    }
}

/// Finds the related tasks: the current task, its ancestors, its dependencies, and closed earlier siblings of the task
/// and of its ancestors, nearest first. `beside` contains the siblings of the task, followed by the siblings of each
/// ancestor.
pub(super) fn related_tasks(
    store: &mut Store,
    at: &CurrentTask,
    beside: &[Vec<TaskRow>],
) -> Result<RelatedTasks, AppError> {
    let task = &at.row;
    let mut sources = vec![task.clone()];
    sources.extend(at.above.iter().cloned());
    let waits = task.task.waits_for.iter();
    for (on, _) in waits.filter(|(_, source)| **source != WaitSource::Order) {
        let open = at.waits.iter().find(|(row, _)| row.task.id == *on);
        match open {
            Some((row, _)) => sources.push(row.clone()),
            None => sources.extend(store.task(on)?),
        }
    }
    let mut near = vec![task.clone()];
    near.extend(at.above.first().cloned());
    for (row, beside) in std::iter::once(task).chain(&at.above).zip(beside) {
        let before = beside.iter().take_while(|other| other.task.id != row.task.id);
        let closed: Vec<&TaskRow> = before.filter(|row| !row.task.status.is_open()).collect();
        near.extend(closed.last().copied().cloned());
        sources.extend(closed.into_iter().rev().cloned());
    }
    let mut seen = std::collections::BTreeSet::new();
    sources.retain(|row| seen.insert(row.task.id.clone()));
    let ids: Vec<TaskId> = sources.iter().map(|row| row.task.id.clone()).collect();
    Ok(RelatedTasks {
        events: store.events_of_tasks(&ids)?,
        sources,
        near,
    })
}

/// Notes from related tasks, and results of the run's earlier steps.
pub(super) fn learnt(
    run: Option<&OpenRun>,
    related: Option<&RelatedTasks>,
) -> Result<Vec<LearntView>, AppError> {
    let mut learnt: Vec<LearntView> = Vec::new();
    if let Some(related) = related {
        for (at, row) in related.sources.iter().enumerate() {
            let limit = if at == 0 { MAX_OWN_NOTES } else { MAX_NOTES };
            let notes = related
                .events_of(row)
                .iter()
                .filter_map(|recorded| match &recorded.event {
                    TaskEvent::Noted { text } => Some(text),
                    _ => None,
                });
            // Latest first, so that the limit drops the earliest notes.
            for what in notes.rev().take(limit) {
                let entry = LearntView {
                    from: format!("note on {}", TaskName::of(&row.task).inline_label()),
                    what: what.clone(),
                };
                // Skip duplicates: an agent may run the same command twice.
                if !learnt.contains(&entry) {
                    learnt.push(entry);
                }
            }
        }
    }
    learnt.truncate(MAX_TOLD);
    if let Some(run) = run {
        let state = &run.state;
        if let Some(visit) = state.current() {
            for (step, result) in state.results_before(visit.number) {
                let what =
                    serde_json::to_string(&result).map_err(|error| AppError::System(error.to_string()))?;
                learnt.push(LearntView {
                    from: format!("result of step {step} in run {}", state.id),
                    what,
                });
            }
        }
    }
    Ok(learnt)
}

/// Recent events of the run and of tasks near the current task, in chronological order. Omits the notes in `learnt`.
pub(super) fn activity(
    store: &mut Store,
    names: &mut ActorNames<'_>,
    run: Option<&RunWithEvents>,
    related: Option<&RelatedTasks>,
    learnt: &[LearntView],
    clock: ShortClock<'_>,
) -> Result<Vec<ActivityView>, AppError> {
    // In chronological order, then in insertion order.
    let mut happened: BTreeMap<(Timestamp, usize), (Actor, ActivitySubject, Change)> = BTreeMap::new();
    let mut count = 0;
    let mut note = |at: Timestamp, by: &Actor, subject: ActivitySubject, change: Change| {
        count += 1;
        happened.insert((at, count), (by.clone(), subject, change));
    };
    if let Some(related) = related {
        for row in &related.near {
            for recorded in related.events_of(row) {
                let is_left_out = match &recorded.event {
                    TaskEvent::Noted { text } => learnt.iter().any(|entry| entry.what == *text),
                    TaskEvent::Added { .. }
                    | TaskEvent::Planned { .. }
                    | TaskEvent::SkillUsed { .. }
                    | TaskEvent::Waits { .. } => true,
                    _ => false,
                };
                if is_left_out {
                    continue;
                }
                note(
                    recorded.at,
                    &recorded.by,
                    ActivitySubject::Task(TaskName::of(&row.task)),
                    Change::Task(recorded.event.clone()),
                );
            }
        }
    }
    if let Some(run) = run {
        let state = &run.run.state;
        let events = run.last_events(store, MAX_EVENTS)?;
        for (entry, recorded) in timeline(&events, state, None).into_iter().zip(&events) {
            if !entry.left_behind {
                note(
                    recorded.at,
                    &recorded.by,
                    ActivitySubject::Run(state.id.clone()),
                    entry.change,
                );
            }
        }
    }
    let skipped = happened.len().saturating_sub(MAX_HAPPENED);
    let latest = happened.into_iter().skip(skipped);
    latest
        .map(|((at, _), (by, subject, change))| {
            Ok(ActivityView {
                at: clock(at),
                by: names.author(store, &by)?,
                subject,
                change,
            })
        })
        .collect()
}

/// The names of these tasks' dependencies that are not in `tasks`. `known` contains rows that the caller has read.
pub(crate) fn waited_for(
    store: &mut Store,
    tasks: &[TaskLine],
    known: &[&TaskRow],
) -> Result<Vec<TaskName>, AppError> {
    let mut names: Vec<TaskName> = Vec::new();
    for id in tasks.iter().flat_map(|line| &line.task.waits_for) {
        if tasks.iter().any(|line| line.task.id == *id) || names.iter().any(|name| name.id == *id) {
            continue;
        }
        if let Some(row) = known.iter().find(|row| row.task.id == *id) {
            names.push(TaskName::of(&row.task));
        } else if let Some(row) = store.task(id)? {
            names.push(TaskName::of(&row.task));
        }
    }
    Ok(names)
}
