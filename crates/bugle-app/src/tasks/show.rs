//! Shows the task tree, and one task with its details.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::reply::{
    Author, Change, NoteView, Purpose, TaskDetail, TaskName, TaskNotice, TaskRun, TaskTree, TimelineEntry,
};
use bugle_core::task::{RecordedTaskEvent, TaskEvent};
use bugle_store::{Store, TaskRow};

use super::next_commands::commands;
use super::plan_of_task::{plan_above, plan_name};
use super::skill::selection_view;
use super::{Rules, TaskScope, line_views, task_view};
use crate::tasks::{ownership, position, resolve_scope, task_row};
use crate::{AppError, Context, plan_files, projects};

/// The level of detail to show for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The task, its position and the latest notes.
    Brief,
    /// [`Extent::Brief`] with all notes and the plan's text: everything that an agent needs for the task.
    Work,
    /// [`Extent::Work`] with the task's subtasks and history.
    Full,
}

/// Maximum number of subtasks shown with a task.
const MAX_INSIDE: usize = 300;
/// Number of notes that `Extent::Brief` shows.
const LAST_NOTES: usize = 3;
/// Maximum number of runs shown.
const MAX_RUNS: u32 = 5;

/// The task tree of a scope. Omits trees without an open task, unless `all` is set.
pub fn task_tree(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    all: bool,
    limit: u32,
) -> Result<TaskTree, AppError> {
    let empty = TaskTree {
        tasks: Vec::new(),
        more: false,
        position: None,
    };
    let scope = match scope {
        TaskScope::Here => TaskScope::Project,
        other => other.clone(),
    };
    let Some(subtree) = resolve_scope(store, ctx, &scope)? else {
        return Ok(empty);
    };
    let all = all || subtree.path.is_some();
    let asked = limit.saturating_add(1);
    let mut rows = store.window(&subtree.project, subtree.path.as_ref(), all, asked)?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let position = match &scope {
        TaskScope::Project => position::position(store, ctx, &TaskScope::Here)?,
        inner => position::position(store, ctx, inner)?,
    };
    let current = position.as_ref().map(|at| at.task.id.clone());
    Ok(TaskTree {
        tasks: line_views(&rows, current.as_ref()),
        more,
        position,
    })
}

/// This project's removed tasks.
pub fn removed_tasks(store: &mut Store, ctx: &Context, limit: u32) -> Result<TaskTree, AppError> {
    let mut rows = match projects::project(store, ctx)? {
        Some(project) => store.removed(&project, limit.saturating_add(1))?,
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

/// A task with its details.
pub fn show_task(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    extent: Extent,
    agent: Option<&AgentName>,
) -> Result<TaskDetail, AppError> {
    let row = task_row(store, ctx, id)?;
    let worker = ownership::worker_for(store, ctx, &row.project, agent)?;
    let owner = ownership::task_owner(store, ctx, &row, worker.as_ref())?;
    let above = store.above(&row)?;
    let events = store.task_events(&row.task.id)?;
    let has_notes = events
        .iter()
        .any(|recorded| matches!(recorded.event, TaskEvent::Noted { .. }));
    let people = if has_notes || extent == Extent::Full {
        store.people_of_task(&row.task.id)?
    } else {
        BTreeMap::new()
    };
    let person = |seq: u64| people.get(&seq).cloned();
    let numbered = || events.iter().zip(1..);
    let mut notes: Vec<NoteView> = numbered()
        .filter_map(|(recorded, seq)| note(recorded, person(seq)))
        .collect();
    let earlier_notes = match extent {
        Extent::Brief => notes.len().saturating_sub(LAST_NOTES),
        Extent::Work | Extent::Full => 0,
    };
    notes.drain(..earlier_notes);
    let plan = plan_above(store, &row, &above)?;
    let mut notices = Vec::new();
    let mut excerpt = None;
    if let Some(plan) = &plan {
        let here = projects::project(store, ctx)?;
        let file = plan_files::file_state(ctx, here.as_ref(), plan);
        notices.extend(plan_files::file_notice(ctx, plan, file.as_ref()).map(TaskNotice::Plan));
        if extent != Extent::Brief {
            excerpt = Some(plan_files::read_excerpt(
                store,
                plan,
                Some(&row.task),
                file.as_ref(),
            )?);
        }
    }
    let (text, constraints) =
        excerpt.map_or((None, Vec::new()), |excerpt| (excerpt.text, excerpt.constraints));
    let mut inside = Vec::new();
    if extent == Extent::Full {
        let most = u32::try_from(MAX_INSIDE).unwrap_or(u32::MAX);
        let asked = most.saturating_add(2);
        let mut rows = store.window(&row.project, Some(&row.path), true, asked)?;
        if rows.len() > MAX_INSIDE + 1 {
            rows.truncate(MAX_INSIDE + 1);
            notices.push(TaskNotice::MoreSubtasks {
                list: ctx.command(&["task", "list", row.task.id.as_str(), "--limit", "100000"]),
            });
        }
        inside = line_views(&rows, None);
        inside.retain(|line| line.task.id != row.task.id);
    }
    let rules = Rules::load(ctx);
    let pins = store.skill_pins(&row.root)?;
    let choice = rules.choose(ctx, &row, &above, &pins, None);
    notices.extend(rules.problems.into_iter().map(TaskNotice::Rules));
    let name = |row: &TaskRow| TaskName::of(&row.task);
    let waits = store.waits_for(&row, &above)?;
    let begun = position::is_begun(store, &row)?;
    let mut commands = commands(ctx, &row, &owner);
    if extent == Extent::Full {
        commands.retain(|command| command.purpose != Purpose::ShowDetails);
    }
    Ok(TaskDetail {
        place: position::place(store, &row, &waits, &owner)?,
        task: task_view(&row, begun),
        above: above.iter().map(name).collect(),
        skill: selection_view(ctx, &row, &above, &pins, &choice),
        needed_by: store.waiting_for(&row.task.id)?.iter().map(name).collect(),
        notes,
        earlier_notes,
        runs: store
            .runs_of_task(&row.task.id, MAX_RUNS)?
            .into_iter()
            .map(|run| TaskRun {
                run: run.id,
                skill: run.skill,
                status: run.status,
            })
            .collect(),
        inside,
        plan: plan.as_ref().map(plan_name),
        text,
        constraints,
        history: if extent == Extent::Full {
            numbered()
                .map(|(recorded, seq)| timeline_entry(recorded, seq, person(seq)))
                .collect()
        } else {
            Vec::new()
        },
        commands,
        notices,
    })
}

fn note(recorded: &RecordedTaskEvent, person: Option<String>) -> Option<NoteView> {
    match &recorded.event {
        TaskEvent::Noted { text } => Some(NoteView {
            at: recorded.at,
            by: Author::from(&recorded.by),
            person,
            text: text.clone(),
        }),
        _ => None,
    }
}

fn timeline_entry(recorded: &RecordedTaskEvent, seq: u64, person: Option<String>) -> TimelineEntry {
    TimelineEntry {
        seq,
        at: recorded.at,
        by: Author::from(&recorded.by),
        person,
        change: Change::Task(recorded.event.clone()),
        left_behind: false,
    }
}
