//! Adds and moves tasks, and chooses their rank among their siblings.

use bugle_core::id::TaskId;
use bugle_core::interface::Interface;
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::reply::{SideEffect, TaskName, TasksChanged};
use bugle_core::task::{
    MAX_LEVELS, MAX_NOTE_LENGTH, Rank, Task, TaskChanges, TaskEvent, TaskRefusal, WaitSource, opened_above,
    settle, title_of,
};
use bugle_render::task_text;
use bugle_store::{ProjectId, Store, TaskRow};

use super::change::{self, side_effects, tasks};
use super::cycle_check::{CycleCheck, outermost_changed, refuse_cycle};
use super::refusal::refused;
use super::scope::{load_task, task_row};
use crate::ids::{NewIdError, with_new_ids};
use crate::{AppError, Context, event_record, projects};

/// A request to add tasks.
#[derive(Debug, Clone, Default)]
pub struct AddRequest {
    /// The titles of the new tasks.
    pub titles: Vec<String>,
    /// The parent of the new tasks.
    pub under: Option<TaskId>,
    /// The position of the new tasks among their siblings; last if `None`.
    pub neighbour: Option<Neighbour>,
    /// The skill of the new tasks.
    pub skill: Option<SkillAddress>,
    /// The agent to assign the new tasks to.
    pub agent: Option<AgentName>,
    /// The dependencies of the new tasks.
    pub waits_for: Vec<TaskId>,
    /// A note to add to each new task.
    pub note: Option<String>,
}

/// A position among siblings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Neighbour {
    /// Before all siblings.
    First,
    /// Right before this task.
    Before(TaskId),
    /// Right after this task.
    After(TaskId),
}

/// Where to move a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// The last child of this task.
    Under(TaskId),
    /// The first child of this task.
    FirstUnder(TaskId),
    /// The last task at the top level.
    Top,
    /// Next to another task, under the same parent.
    Beside(Neighbour),
}

/// Adds tasks.
pub fn add_tasks(store: &mut Store, ctx: &Context, request: &AddRequest) -> Result<TasksChanged, AppError> {
    let titles: Vec<String> = request
        .titles
        .iter()
        .map(|title| title_of(title).map_err(|refusal| usage_error(&refusal)))
        .collect::<Result<_, _>>()?;
    let project = projects::ensure_marked_project(store, ctx)?;
    let mut resolved = request.clone();
    if let Some(note) = &request.note {
        resolved.note = Some(parse_note(note)?);
    }
    resolved.waits_for = change::resolve_task_ids(store, ctx, &request.waits_for)?;
    if let Some(under) = &request.under {
        resolved.under = Some(task_row(store, ctx, under)?.task.id);
    }
    if let Some(Neighbour::Before(other) | Neighbour::After(other)) = &mut resolved.neighbour {
        *other = task_row(store, ctx, other)?.task.id;
    }
    let (ids, also) = with_new_ids("the tasks", || {
        let ids: Vec<TaskId> = titles
            .iter()
            .map(|_| ctx.new_task_id())
            .collect::<Result<_, _>>()?;
        let also = store.transaction(|tx| {
            let (project, changes) = plan_addition(tx, ctx, project.clone(), &resolved, &titles, &ids)?;
            let also = side_effects(tx, &changes, &ids)?;
            if !tx.change_tasks(&project, &event_record::task_events(ctx, changes.clone()))? {
                return Err(NewIdError::Taken);
            }
            if !(resolved.waits_for.is_empty() && also.is_empty()) {
                // Tasks that wait for the parent now also wait for the new tasks. A cycle rolls the transaction back.
                let mut check = CycleCheck::of_siblings(tx, &ids, &changes)?;
                check.new = &ids;
                refuse_cycle(tx, ctx, &project, check)?;
            }
            Ok(also)
        })?;
        Ok((ids, also))
    })?;
    change::changed_views(store, ctx, &ids, also)
}

/// Moves a task and everything below it.
pub fn move_task(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    to: &Destination,
) -> Result<TasksChanged, AppError> {
    let id = task_row(store, ctx, id)?.task.id;
    let mut to = to.clone();
    match &mut to {
        Destination::Under(other)
        | Destination::FirstUnder(other)
        | Destination::Beside(Neighbour::Before(other) | Neighbour::After(other)) => {
            *other = task_row(store, ctx, other)?.task.id;
        }
        Destination::Top | Destination::Beside(Neighbour::First) => {}
    }
    let also = store.transaction(|tx| {
        let row = load_task(tx, &id)?;
        let changes = plan_move(tx, ctx, &row, &to)?;
        let mut also = side_effects(tx, &changes, std::slice::from_ref(&id))?;
        if changes.is_empty() {
            also.push(SideEffect::NothingChanged);
        }
        tx.change_tasks(&row.project, &event_record::task_events(ctx, changes.clone()))?;
        let now = load_task(tx, &id)?;
        let above = tx.above(&now)?;
        // The move may create a dependency cycle, which rolls the transaction back.
        let check = CycleCheck::of(outermost_changed(&now.path, &above, &changes));
        refuse_cycle(tx, ctx, &row.project, check)?;
        if now.task.parent != row.task.parent {
            let parent = above.first().map(|parent| TaskName::of(&parent.task));
            also.insert(0, SideEffect::MovedUnder(parent));
        }
        Ok::<_, AppError>(also)
    })?;
    change::task_changed(store, ctx, &id, also)
}

fn plan_addition(
    store: &mut Store,
    ctx: &Context,
    here: ProjectId,
    request: &AddRequest,
    titles: &[String],
    ids: &[TaskId],
) -> Result<(ProjectId, TaskChanges), AppError> {
    let parent = match (&request.under, &request.neighbour) {
        (Some(under), _) => Some(load_task(store, under)?),
        (None, Some(Neighbour::Before(other) | Neighbour::After(other))) => {
            match load_task(store, other)?.task.parent {
                Some(parent) => Some(load_task(store, &parent)?),
                None => None,
            }
        }
        (None, _) => None,
    };
    let project = parent.as_ref().map_or(here, |parent| parent.project.clone());
    let mut above: Vec<Task> = Vec::new();
    if let Some(parent) = &parent {
        if parent.task.removed.is_some() {
            return Err(refused(store, ctx, &parent.task, &TaskRefusal::Removed)?);
        }
        check_depth(parent.path.levels() + 1)?;
        above = std::iter::once(parent.task.clone())
            .chain(tasks(store.above(parent)?))
            .collect();
    }
    let parent_id = parent.as_ref().map(|parent| parent.task.id.clone());
    let (ranks, mut changes) = choose_ranks(
        store,
        &project,
        parent_id.as_ref(),
        request.neighbour.as_ref(),
        None,
        titles.len(),
    )?;
    for ((title, id), rank) in titles.iter().zip(ids).zip(ranks) {
        let event = TaskEvent::Added {
            title: title.clone(),
            parent: parent_id.clone(),
            rank,
            skill: request.skill.clone(),
            agent: request.agent.clone(),
            plan: None,
        };
        changes.push((id.clone(), event));
        for on in &request.waits_for {
            let other = load_task(store, on)?;
            let why = if other.project != project {
                Some("tasks in different projects cannot depend on each other")
            } else if above.iter().any(|task| task.id == *on) {
                Some("a task cannot depend on its ancestor")
            } else {
                None
            };
            if let Some(why) = why {
                return Err(AppError::Usage {
                    what: format!("the task cannot wait for {on}: {why}"),
                    hints: Vec::new(),
                });
            }
            let says = WaitSource::Hand;
            changes.push((id.clone(), TaskEvent::Waits { on: on.clone(), says }));
        }
        if let Some(note) = &request.note {
            changes.push((id.clone(), TaskEvent::Noted { text: note.clone() }));
        }
    }
    if let Some(first) = ids.first() {
        changes.extend(opened_above(&above, first));
    }
    Ok((project, changes))
}

/// Makes a task the last child of another task, inside a transaction.
pub(crate) fn move_under(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    under: &TaskId,
) -> Result<(), AppError> {
    let changes = plan_move(store, ctx, row, &Destination::Under(under.clone()))?;
    store.change_tasks(&row.project, &event_record::task_events(ctx, changes.clone()))?;
    let moved = std::slice::from_ref(&row.task.id);
    let check = CycleCheck::of_siblings(store, moved, &changes)?;
    refuse_cycle(store, ctx, &row.project, check)
}

fn plan_move(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    to: &Destination,
) -> Result<TaskChanges, AppError> {
    let id = &row.task.id;
    if row.task.removed.is_some() {
        return Err(refused(store, ctx, &row.task, &TaskRefusal::Removed)?);
    }
    let (parent, neighbour) = match to {
        Destination::Under(parent) => (Some(parent.clone()), None),
        Destination::FirstUnder(parent) => (Some(parent.clone()), Some(Neighbour::First)),
        Destination::Top => (None, None),
        Destination::Beside(Neighbour::First) => (row.task.parent.clone(), Some(Neighbour::First)),
        Destination::Beside(beside @ (Neighbour::Before(other) | Neighbour::After(other))) => {
            if other == id {
                return Ok(TaskChanges::new());
            }
            (load_task(store, other)?.task.parent, Some(beside.clone()))
        }
    };
    let mut above: Vec<Task> = Vec::new();
    if let Some(parent) = &parent {
        let parent = load_task(store, parent)?;
        if parent.task.removed.is_some() {
            return Err(refused(store, ctx, &parent.task, &TaskRefusal::Removed)?);
        }
        let into = if row.path.holds(&parent.path) {
            Some("itself")
        } else if parent.project != row.project {
            Some("another project")
        } else {
            None
        };
        if let Some(into) = into {
            return Err(AppError::Usage {
                what: format!("cannot move {id} into {into}"),
                hints: Vec::new(),
            });
        }
        let deepest = store.subtree(&row.project, &row.path)?;
        let below = deepest.iter().map(|inner| inner.path.levels()).max().unwrap_or(0);
        check_depth(parent.path.levels() + 1 + below - row.path.levels())?;
        above = std::iter::once(parent.task.clone())
            .chain(tasks(store.above(&parent)?))
            .collect();
    }
    let (ranks, mut changes) = choose_ranks(
        store,
        &row.project,
        parent.as_ref(),
        neighbour.as_ref(),
        Some(id),
        1,
    )?;
    for rank in ranks {
        let parent = parent.clone();
        changes.push((id.clone(), TaskEvent::Moved { parent, rank }));
    }
    if row.task.is_open() {
        changes.extend(opened_above(&above, id));
    }
    Ok(changes)
}

fn check_depth(levels: usize) -> Result<(), AppError> {
    if levels <= MAX_LEVELS {
        return Ok(());
    }
    Err(AppError::Usage {
        what: format!("tasks cannot be nested more than {MAX_LEVELS} levels deep"),
        hints: Vec::new(),
    })
}

/// Chooses ranks for `count` new children of a task. Also returns the sibling moves that make room for them.
fn choose_ranks(
    store: &mut Store,
    project: &ProjectId,
    parent: Option<&TaskId>,
    neighbour: Option<&Neighbour>,
    moved: Option<&TaskId>,
    count: usize,
) -> Result<(Vec<Rank>, TaskChanges), AppError> {
    let Some(neighbour) = neighbour else {
        let mut last = store.last_rank(project, parent)?;
        let mut ranks = Vec::with_capacity(count);
        for _ in 0..count {
            last = Rank::portion(last, None, 1);
            ranks.extend(last);
        }
        if ranks.len() < count {
            return Err(AppError::System(
                "cannot add more tasks: this level of the task tree is full; add them under another task"
                    .to_owned(),
            ));
        }
        return Ok((ranks, TaskChanges::new()));
    };
    let siblings: Vec<Task> = tasks(store.siblings(project, parent, true)?)
        .into_iter()
        .filter(|task| Some(&task.id) != moved)
        .collect();
    let index_of = |id: &TaskId| siblings.iter().position(|task| task.id == *id);
    let at = match neighbour {
        Neighbour::First => Some(0),
        Neighbour::Before(other) => index_of(other),
        Neighbour::After(other) => index_of(other).map(|index| index + 1),
    };
    let Some(at) = at else {
        return Err(AppError::Usage {
            what: "the task named by `--before` or `--after` has a different parent".to_owned(),
            hints: vec![
                "Leave out `--under`: the new task gets the same parent as the named task.".to_owned(),
            ],
        });
    };
    let mut wanted: Vec<Option<Rank>> = siblings.iter().map(|task| Some(task.rank)).collect();
    wanted.splice(at..at, std::iter::repeat_n(None, count));
    let settled = settle(&wanted);
    let mut changes = TaskChanges::new();
    let others = settled[..at].iter().chain(&settled[at + count..]);
    for (task, rank) in siblings.iter().zip(others) {
        if task.rank != *rank {
            let event = TaskEvent::Moved {
                parent: parent.cloned(),
                rank: *rank,
            };
            changes.push((task.id.clone(), event));
        }
    }
    Ok((settled[at..at + count].to_vec(), changes))
}

/// Trims a note. Fails if the note is empty or too long.
fn parse_note(text: &str) -> Result<String, AppError> {
    let text = text.trim();
    let what = "the note";
    if text.is_empty() {
        return Err(usage_error(&TaskRefusal::Empty(what)));
    }
    if text.chars().count() > MAX_NOTE_LENGTH {
        let most = MAX_NOTE_LENGTH;
        return Err(usage_error(&TaskRefusal::TooLong { what, most }));
    }
    Ok(text.to_owned())
}

fn usage_error(refusal: &TaskRefusal) -> AppError {
    let text = task_text::refusal(refusal, Interface::Shell, "", "", &[]);
    // Usage errors start in lower case and end without a full stop.
    let mut letters = text.message.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string());
    AppError::Usage {
        what: format!("{}{}", first.unwrap_or_default(), letters.as_str()),
        hints: vec![text.remedy],
    }
}
