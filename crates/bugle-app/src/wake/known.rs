//! What earlier steps and tasks found, and what happened lately.

use std::collections::BTreeMap;

use bugle_core::id::{Actor, Timestamp};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::task::TaskEvent;
use bugle_render::task_words::{self, spoken};
use bugle_store::{AgentStore as _, RunRow, Store as _, TaskRow, TaskStore as _};
use bugle_wire::{ActivityView, LearntView, TaskLine, TaskName};

use super::ShortClock;
use crate::agent::current_name;
use crate::message::home;
use crate::task::{Standpoint, name_of};
use crate::{App, AppError};

/// How many notes of one task are told.
const MOST_NOTES: usize = 5;
/// How many things that happened are told.
const MOST_HAPPENED: usize = 12;

impl App {
    /// What later work depends on: the results of the run's earlier steps; the notes of the task, of what it lies in, of
    /// what it waited for and of the siblings that are closed.
    pub(super) fn learnt(
        &mut self,
        run: Option<&RunRow>,
        task: Option<(&Standpoint, &[TaskRow])>,
    ) -> Result<Vec<LearntView>, AppError> {
        let mut learnt = Vec::new();
        if let Some((at, beside)) = task {
            for row in self.sources(at, beside)? {
                let events = self.store.task_events(&row.task.id)?;
                let notes: Vec<String> = events
                    .into_iter()
                    .filter_map(|recorded| match recorded.event {
                        TaskEvent::Noted { text } => Some(text),
                        _ => None,
                    })
                    .collect();
                let skipped = notes.len().saturating_sub(MOST_NOTES);
                learnt.extend(notes.into_iter().skip(skipped).map(|what| LearntView {
                    from: format!("noted with {}", spoken(&row.task)),
                    what,
                }));
            }
        }
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

    /// The tasks whose notes matter for this one, itself first; it is among those beside it.
    fn sources(&mut self, at: &Standpoint, beside: &[TaskRow]) -> Result<Vec<TaskRow>, AppError> {
        let task = &at.row;
        let mut sources = vec![task.clone()];
        sources.extend(at.above.iter().cloned());
        for on in task.task.waits_for.keys() {
            sources.extend(self.store.task(on)?);
        }
        let before = beside.iter().take_while(|row| row.task.id != task.task.id);
        sources.extend(before.filter(|row| !row.task.standing.is_open()).cloned());
        let mut seen = std::collections::BTreeSet::new();
        sources.retain(|row| seen.insert(row.task.id.clone()));
        Ok(sources)
    }

    /// What happened lately to the task, to what is around it, and to the run; the latest last.
    pub(super) fn activity(
        &mut self,
        run: Option<&RunRow>,
        task: Option<&Standpoint>,
        clock: ShortClock<'_>,
    ) -> Result<Vec<ActivityView>, AppError> {
        // By time, and in the order in which they are found where that is the same.
        let mut happened: BTreeMap<(Timestamp, usize), (Actor, String)> = BTreeMap::new();
        let mut count = 0;
        let mut note = |at: Timestamp, by: &Actor, what: String| {
            count += 1;
            happened.insert((at, count), (by.clone(), what));
        };
        if let Some(at) = task {
            let (before, _) = self.store.neighbours(&at.row)?;
            let around = [Some(&at.row), before.as_ref(), at.above.first()];
            for row in around.into_iter().flatten() {
                for recorded in self.store.task_events(&row.task.id)? {
                    let (kind, what) = task_words::event(&recorded.event);
                    if matches!(kind, "added" | "planned" | "skill_used" | "waits") {
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
            let detail = self.show(&crate::RunSelector::Run(run.id.clone()))?;
            let events = self.store.load(&run.id)?.map(|stored| stored.events);
            for (entry, recorded) in detail.timeline.into_iter().zip(events.unwrap_or_default()) {
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
            Actor::Agent(session) => session,
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
