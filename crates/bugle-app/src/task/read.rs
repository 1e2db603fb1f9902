//! Tasks as people and agents look at them: the tree, and one with everything about it.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::task::{RecordedTaskEvent, TaskEvent, WaitSource};
use bugle_render::task_words;
use bugle_store::{TaskRow, TaskStore as _};
use bugle_wire::{NoteView, TaskDetail, TaskTree, TimelineEntry};

use super::position::{ALL_ABOUT_IT, commands, plan_name};
use super::skill::choice_view;
use super::{Rules, TaskScope, line_views, name_of, task_view};
use crate::{App, AppError};

/// How much is shown of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What it is and where it stands, with the last notes.
    Brief,
    /// What is needed to do it: that, all notes, and what the plan says.
    Work,
    /// Everything: that, what lies in it, and all that happened.
    Full,
}

/// How many tasks inside a task are shown with it.
const MOST_INSIDE: usize = 300;
/// How many notes are shown of a task in brief.
const LAST_NOTES: usize = 3;

impl App {
    /// The tree of tasks: of the project, or from one task on. Trees that are closed as a whole only if `all`.
    pub fn task_tree(&mut self, scope: &TaskScope, all: bool, limit: u32) -> Result<TaskTree, AppError> {
        let empty = TaskTree {
            tasks: Vec::new(),
            more: false,
            position: None,
        };
        let scope = match scope {
            TaskScope::Here => TaskScope::Project,
            other => other.clone(),
        };
        let Some(within) = self.within(&scope)? else {
            return Ok(empty);
        };
        let all = all || within.path.is_some();
        let asked = limit.saturating_add(1);
        let mut rows = self
            .store
            .window(&within.project, within.path.as_ref(), all, asked)?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let position = match &scope {
            TaskScope::Project => self.position(&TaskScope::Here)?,
            inner => self.position(inner)?,
        };
        let current: Option<TaskId> = position.as_ref().and_then(|at| at.task.id.parse().ok());
        Ok(TaskTree {
            tasks: line_views(&rows, current.as_ref()),
            more,
            position,
        })
    }

    /// What was taken out of the tree of this project.
    pub fn removed_tasks(&mut self, limit: u32) -> Result<TaskTree, AppError> {
        let mut rows = match self.project()? {
            Some(project) => self.store.removed(&project, limit.saturating_add(1))?,
            None => Vec::new(),
        };
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(TaskTree {
            tasks: line_views(&rows, None),
            more,
            position: None,
        })
    }

    /// A task and what there is to know about it.
    pub fn show_task(
        &mut self,
        id: &TaskId,
        extent: Extent,
        agent: Option<&AgentName>,
    ) -> Result<TaskDetail, AppError> {
        let row = self.task_row(id)?;
        let worker = self.worker_for(&row.project, agent)?;
        let whose = self.whose(&row, worker.as_ref())?;
        let above = self.store.above(&row)?;
        let events = self.store.task_events(&row.task.id)?;
        let mut notes: Vec<NoteView> = events.iter().filter_map(note).collect();
        let earlier_notes = match extent {
            Extent::Brief => notes.len().saturating_sub(LAST_NOTES),
            Extent::Work | Extent::Full => 0,
        };
        notes.drain(..earlier_notes);
        let plan = self.plan_above(&row, &above)?;
        let mut notices = Vec::new();
        let mut reading = None;
        if let Some(plan) = &plan {
            let file = self.file_state(plan)?;
            notices.extend(self.notices_of_file(plan, file.as_ref()));
            if extent != Extent::Brief {
                reading = Some(self.reading(plan, Some(&row.task), file.as_ref())?);
            }
        }
        let (text, constraints) =
            reading.map_or((None, Vec::new()), |reading| (reading.text, reading.constraints));
        let mut inside = Vec::new();
        if extent == Extent::Full {
            let most = u32::try_from(MOST_INSIDE).unwrap_or(u32::MAX);
            let asked = most.saturating_add(2);
            let mut rows = self.store.window(&row.project, Some(&row.path), true, asked)?;
            if rows.len() > MOST_INSIDE + 1 {
                rows.truncate(MOST_INSIDE + 1);
                notices.push(format!(
                    "There is more in it: `{}` shows it.",
                    self.place
                        .command(&["task", "list", row.task.id.as_str(), "--limit", "100000"])
                ));
            }
            inside = line_views(&rows, None);
            inside.retain(|line| line.task.id != row.task.id.as_str());
        }
        let rules = Rules::load(&self.place);
        let choice = rules.choose(&mut self.store, &self.place, &row, &above, None)?;
        notices.extend(rules.notices);
        let name = |row: &TaskRow| name_of(&row.task);
        let waits = self.store.waits_for(&row)?;
        let named = |in_order: bool| {
            let waits = waits
                .iter()
                .filter(|(_, says)| (*says == WaitSource::Order) == in_order);
            waits.map(|(row, _)| name(row)).collect()
        };
        let mut commands = commands(&self.place, &row, &whose);
        if extent == Extent::Full {
            commands.retain(|command| command.does != ALL_ABOUT_IT);
        }
        Ok(TaskDetail {
            sentence: self.sentence(&row, &above, &whose)?,
            task: task_view(&row, self.is_begun(&row)?),
            above: above.iter().map(name).collect(),
            skill: choice_view(&mut self.store, &self.place, &row, &above, &choice)?,
            waits_for: named(false),
            comes_after: named(true),
            needed_by: self.store.waiting_for(&row.task.id)?.iter().map(name).collect(),
            notes,
            earlier_notes,
            inside,
            plan: plan.as_ref().map(plan_name),
            text,
            constraints,
            history: if extent == Extent::Full {
                events.iter().zip(1..).map(timeline).collect()
            } else {
                Vec::new()
            },
            commands,
            notices,
        })
    }
}

fn note(recorded: &RecordedTaskEvent) -> Option<NoteView> {
    match &recorded.event {
        TaskEvent::Noted { text } => Some(NoteView {
            at: recorded.at.0,
            by: recorded.by.to_string(),
            text: text.clone(),
        }),
        _ => None,
    }
}

fn timeline((recorded, seq): (&RecordedTaskEvent, u64)) -> TimelineEntry {
    let (kind, summary) = task_words::event(&recorded.event);
    TimelineEntry {
        outcome: None,
        seq,
        at: recorded.at.0,
        by: recorded.by.to_string(),
        kind: kind.to_owned(),
        visit: None,
        summary,
        details: None,
        left_behind: false,
    }
}
