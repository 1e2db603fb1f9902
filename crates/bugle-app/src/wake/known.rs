//! What earlier steps and tasks found, and what happened lately.

use crate::run::timeline;
use std::collections::BTreeMap;

use bugle_core::id::{Actor, TaskId, Timestamp};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::task::{RecordedTaskEvent, TaskEvent, WaitSource};
use bugle_render::task_words::{self, spoken};
use bugle_store::{AgentStore as _, RunRow, SnapshotStore as _, TaskRow, TaskStore as _};
use bugle_wire::{ActivityView, LearntView, TaskLine, TaskName};

use super::ShortClock;
use crate::agent::current_name;
use crate::message::home;
use crate::task::{Standpoint, name_of};
use crate::{App, AppError};

/// How many notes of the current task are told.
const MOST_OWN_NOTES: usize = 20;
/// How many notes of any other task are told.
const MOST_NOTES: usize = 5;
/// How many notes are told in all.
const MOST_TOLD: usize = 40;
/// How many things that happened are told.
const MOST_HAPPENED: usize = 12;

/// How many of a run's events are looked at for that: a rewind may have left some of them behind.
const MOST_EVENTS: u64 = 64;

/// The tasks from which something can be learnt about the current one, and all that happened to them.
pub(super) struct Surroundings {
    /// Those whose notes matter, the most useful first.
    sources: Vec<TaskRow>,
    /// Those of which it is told what happened lately.
    near: Vec<TaskRow>,
    events: BTreeMap<TaskId, Vec<RecordedTaskEvent>>,
}

impl Surroundings {
    fn of(&self, row: &TaskRow) -> &[RecordedTaskEvent] {
        self.events.get(&row.task.id).map_or(&[], Vec::as_slice)
    }
}

impl App {
    /// Gathers the tasks from which something can be learnt: the current one, what it lies in, what it waited for, and what
    /// was closed before it and before each of those it lies in, the nearest first. Beside each of these stand the rows that
    /// were looked up, its own first.
    pub(super) fn surroundings(
        &mut self,
        at: &Standpoint,
        beside: &[Vec<TaskRow>],
    ) -> Result<Surroundings, AppError> {
        let task = &at.row;
        let mut sources = vec![task.clone()];
        sources.extend(at.above.iter().cloned());
        let waits = task.task.waits_for.iter();
        for (on, _) in waits.filter(|(_, says)| **says != WaitSource::Order) {
            sources.extend(self.store.task(on)?);
        }
        let mut near = vec![task.clone()];
        near.extend(at.above.first().cloned());
        for (row, beside) in std::iter::once(task).chain(&at.above).zip(beside) {
            let before = beside.iter().take_while(|other| other.task.id != row.task.id);
            let closed: Vec<&TaskRow> = before.filter(|row| !row.task.standing.is_open()).collect();
            near.extend(closed.last().copied().cloned());
            sources.extend(closed.into_iter().rev().cloned());
        }
        let mut seen = std::collections::BTreeSet::new();
        sources.retain(|row| seen.insert(row.task.id.clone()));
        let ids: Vec<TaskId> = sources.iter().map(|row| row.task.id.clone()).collect();
        Ok(Surroundings {
            events: self.store.events_of_tasks(&ids)?,
            sources,
            near,
        })
    }

    /// What later work depends on: the notes of the tasks around it, and the results of the run's earlier steps.
    pub(super) fn learnt(
        &mut self,
        run: Option<&RunRow>,
        around: Option<&Surroundings>,
    ) -> Result<Vec<LearntView>, AppError> {
        let mut learnt: Vec<LearntView> = Vec::new();
        if let Some(around) = around {
            for (at, row) in around.sources.iter().enumerate() {
                let most = if at == 0 { MOST_OWN_NOTES } else { MOST_NOTES };
                let notes = around
                    .of(row)
                    .iter()
                    .filter_map(|recorded| match &recorded.event {
                        TaskEvent::Noted { text } => Some(text),
                        _ => None,
                    });
                // The latest first: if not all can be told, it is the earliest that are missing.
                for what in notes.rev().take(most) {
                    let entry = LearntView {
                        from: format!("noted with {}", spoken(&row.task)),
                        what: what.clone(),
                    };
                    // Who was not sure that a command was heard says it twice.
                    if !learnt.contains(&entry) {
                        learnt.push(entry);
                    }
                }
            }
        }
        learnt.truncate(MOST_TOLD);
        if let Some(run) = run {
            let state = self.read(&run.id)?.state;
            if let Some(visit) = state.current() {
                for (step, result) in state.results_before(visit.number) {
                    let what = serde_json::to_string(&result)
                        .map_err(|error| AppError::System(error.to_string()))?;
                    learnt.push(LearntView {
                        from: format!("result of step {step} of run {}", run.id),
                        what,
                    });
                }
            }
        }
        Ok(learnt)
    }

    /// What happened lately to the task, to what is around it, and to the run; the latest last. What is told among what was
    /// found is not told again.
    pub(super) fn activity(
        &mut self,
        run: Option<&RunRow>,
        around: Option<&Surroundings>,
        learnt: &[LearntView],
        clock: ShortClock<'_>,
    ) -> Result<Vec<ActivityView>, AppError> {
        // By time, and in the order in which they are found where that is the same.
        let mut happened: BTreeMap<(Timestamp, usize), (Actor, String)> = BTreeMap::new();
        let mut count = 0;
        let mut note = |at: Timestamp, by: &Actor, what: String| {
            count += 1;
            happened.insert((at, count), (by.clone(), what));
        };
        if let Some(around) = around {
            for row in &around.near {
                for recorded in around.of(row) {
                    let (kind, what) = task_words::event(&recorded.event);
                    let is_told = match &recorded.event {
                        TaskEvent::Noted { text } => learnt.iter().any(|entry| entry.what == *text),
                        _ => false,
                    };
                    if is_told || matches!(kind, "added" | "planned" | "skill_used" | "waits") {
                        continue;
                    }
                    note(
                        recorded.at,
                        &recorded.by,
                        format!("{}: {what}", spoken(&row.task)),
                    );
                }
            }
        }
        if let Some(run) = run {
            let state = self.state_of(&run.id)?;
            let events = self.store.last_events(&state, MOST_EVENTS)?;
            for (entry, recorded) in timeline(&events, &state).into_iter().zip(&events) {
                if !entry.left_behind {
                    note(
                        recorded.at,
                        &recorded.by,
                        format!("run {}: {}", run.id, entry.summary),
                    );
                }
            }
        }
        let skipped = happened.len().saturating_sub(MOST_HAPPENED);
        let latest = happened.into_iter().skip(skipped);
        let home = home(&self.place);
        latest
            .map(|((at, _), (by, what))| {
                Ok(ActivityView {
                    at: clock(at.0),
                    by: self.called(&by, &home)?,
                    what,
                })
            })
            .collect()
    }

    /// Whoever did something, as an agent here calls them.
    pub(super) fn called(&mut self, by: &Actor, home: &Home) -> Result<String, AppError> {
        let session = match by {
            Actor::Agent(session) | Actor::Relay { agent: session, .. } => session,
            Actor::Person(name) => return Ok(format!("{name}, a person")),
            Actor::Program => return Ok("a program outside any session".to_owned()),
        };
        let address = match self.store.agent_of_session(session)? {
            Some(row) => Some(row.address),
            None => match (AgentAddress::of_session(&session.0, home), self.project()?) {
                // Its client may have given it another session since.
                (Some(address), Some(project)) => Some(current_name(&mut self.store, &project, &address)?),
                (address, _) => address,
            },
        };
        Ok(address.map_or_else(
            || format!("the session {session}"),
            |address| format!("@{}", address.seen_from(home)),
        ))
    }

    /// The tasks that some of these wait for and that are not among them, by name.
    pub(crate) fn waited_for(&mut self, tasks: &[TaskLine]) -> Result<Vec<TaskName>, AppError> {
        let mut names: Vec<TaskName> = Vec::new();
        for id in tasks.iter().flat_map(|line| &line.task.waits_for) {
            let known =
                tasks.iter().any(|line| line.task.id == *id) || names.iter().any(|name| name.id == *id);
            if !known && let Some(row) = self.store.task(&crate::task::task_id(id)?)? {
                names.push(name_of(&row.task));
            }
        }
        Ok(names)
    }
}
