//! Putting tasks into the tree and moving them: where among its siblings a task stands.

use bugle_core::id::TaskId;
use bugle_core::name::{AgentName, SkillAddress};
use bugle_core::task::{
    LONGEST_NOTE, MOST_LEVELS, Rank, Task, TaskChanges, TaskEvent, TaskRefusal, WaitSource, opened_above,
    settle, title_of,
};
use bugle_render::task_words;
use bugle_store::{ProjectId, SqliteStore, TaskRow, TaskStore as _};
use bugle_wire::TasksChanged;

use super::change::{tasks, there, told};
use super::refusal::{refuse_cycle, refused};
use super::{ID_TRIES, new_task_id, recorded};
use crate::{App, AppError, Place};

/// Tasks that are to be added.
#[derive(Debug, Clone, Default)]
pub struct AddRequest {
    /// What is to be done, one task each.
    pub titles: Vec<String>,
    /// The task they lie in.
    pub under: Option<TaskId>,
    /// Where among their siblings they stand; behind all of them if not said.
    pub neighbour: Option<Neighbour>,
    /// The skill they name.
    pub skill: Option<SkillAddress>,
    /// Who they are given to.
    pub agent: Option<AgentName>,
    /// What they wait for.
    pub waits_for: Vec<TaskId>,
    /// Something to keep with each.
    pub note: Option<String>,
}

/// A place among siblings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Neighbour {
    /// Before all others.
    First,
    /// Right before this one.
    Before(TaskId),
    /// Right behind this one.
    After(TaskId),
}

/// Where a task is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Behind everything in this task.
    Under(TaskId),
    /// Before everything in this task.
    FirstUnder(TaskId),
    /// To the top, behind all others.
    Top,
    /// Next to another task, wherever that is.
    Beside(Neighbour),
}

impl App {
    /// Adds tasks.
    pub fn add_tasks(&mut self, request: &AddRequest) -> Result<TasksChanged, AppError> {
        let titles: Vec<String> = request
            .titles
            .iter()
            .map(|title| title_of(title).map_err(|refusal| refused_text(&refusal)))
            .collect::<Result<_, _>>()?;
        let project = self.kept_project()?;
        let mut resolved = request.clone();
        if let Some(note) = &request.note {
            resolved.note = Some(note_of(note)?);
        }
        resolved.waits_for = self.whole_ids(&request.waits_for)?;
        if let Some(under) = &request.under {
            resolved.under = Some(self.task_row(under)?.task.id);
        }
        if let Some(Neighbour::Before(other) | Neighbour::After(other)) = &mut resolved.neighbour {
            *other = self.task_row(other)?.task.id;
        }
        for _ in 0..ID_TRIES {
            let ids: Vec<TaskId> = titles.iter().map(|_| new_task_id()).collect::<Result<_, _>>()?;
            let place = &self.place;
            let added = self.store.together(|store| {
                let (project, changes) = adding(store, place, project.clone(), &resolved, &titles, &ids)?;
                let also = told(store, &changes, &ids)?;
                let written = store.change_tasks(&project, &recorded(place, changes))?;
                if written && !(resolved.waits_for.is_empty() && also.is_empty()) {
                    // What waits for the task they lie in now waits for them too; then none of this happened.
                    refuse_cycle(store, place, &project, &[], &ids)?;
                }
                Ok::<_, AppError>(written.then_some(also))
            })?;
            if let Some(also) = added {
                return self.changed_views(&ids, also);
            }
        }
        Err(AppError::System(
            "no free ids were found for the tasks".to_owned(),
        ))
    }

    /// Moves a task, with everything in it.
    pub fn move_task(&mut self, id: &TaskId, to: &Destination) -> Result<TasksChanged, AppError> {
        let id = self.task_row(id)?.task.id;
        let mut to = to.clone();
        match &mut to {
            Destination::Under(other)
            | Destination::FirstUnder(other)
            | Destination::Beside(Neighbour::Before(other) | Neighbour::After(other)) => {
                *other = self.task_row(other)?.task.id;
            }
            Destination::Top | Destination::Beside(Neighbour::First) => {}
        }
        let place = &self.place;
        let also = self.store.together(|store| {
            let row = there(store, &id)?;
            let changes = moving(store, place, &row, &to)?;
            let mut also = told(store, &changes, std::slice::from_ref(&id))?;
            if changes.is_empty() {
                also.push("It was so already.".to_owned());
            }
            store.change_tasks(&row.project, &recorded(place, changes))?;
            // Where it is now, it and what it waits for may stand in a circle; then none of this happened.
            refuse_cycle(store, place, &row.project, &[], &[])?;
            let now = there(store, &id)?;
            if now.task.parent != row.task.parent {
                let above = store.above(&now)?;
                also.insert(
                    0,
                    match above.first() {
                        Some(parent) => format!("It lies in {} now.", task_words::spoken(&parent.task)),
                        None => "It lies at the top now.".to_owned(),
                    },
                );
            }
            Ok::<_, AppError>(also)
        })?;
        self.changed(&id, also)
    }
}

fn adding(
    store: &mut SqliteStore,
    place: &Place,
    here: ProjectId,
    request: &AddRequest,
    titles: &[String],
    ids: &[TaskId],
) -> Result<(ProjectId, TaskChanges), AppError> {
    let parent = match (&request.under, &request.neighbour) {
        (Some(under), _) => Some(there(store, under)?),
        (None, Some(Neighbour::Before(other) | Neighbour::After(other))) => {
            match there(store, other)?.task.parent {
                Some(parent) => Some(there(store, &parent)?),
                None => None,
            }
        }
        (None, _) => None,
    };
    let project = parent.as_ref().map_or(here, |parent| parent.project.clone());
    let mut above: Vec<Task> = Vec::new();
    if let Some(parent) = &parent {
        if parent.task.removed.is_some() {
            return Err(refused(store, place, &parent.task, &TaskRefusal::Removed)?);
        }
        deep_enough(parent.path.levels() + 1)?;
        above = std::iter::once(parent.task.clone())
            .chain(tasks(store.above(parent)?))
            .collect();
    }
    let parent_id = parent.as_ref().map(|parent| parent.task.id.clone());
    let (ranks, mut changes) = ranked(
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
            let other = there(store, on)?;
            let why = if other.project != project {
                Some("that belongs to another project")
            } else if above.iter().any(|task| task.id == *on) {
                Some("it would lie in that")
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

/// Puts a task behind everything in another one, inside a transaction.
pub(crate) fn move_under(
    store: &mut SqliteStore,
    place: &Place,
    row: &TaskRow,
    under: &TaskId,
) -> Result<(), AppError> {
    let changes = moving(store, place, row, &Destination::Under(under.clone()))?;
    store.change_tasks(&row.project, &recorded(place, changes))?;
    refuse_cycle(store, place, &row.project, &[], &[])
}

fn moving(
    store: &mut SqliteStore,
    place: &Place,
    row: &TaskRow,
    to: &Destination,
) -> Result<TaskChanges, AppError> {
    let id = &row.task.id;
    if row.task.removed.is_some() {
        return Err(refused(store, place, &row.task, &TaskRefusal::Removed)?);
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
            (there(store, other)?.task.parent, Some(beside.clone()))
        }
    };
    let mut above: Vec<Task> = Vec::new();
    if let Some(parent) = &parent {
        let parent = there(store, parent)?;
        if parent.task.removed.is_some() {
            return Err(refused(store, place, &parent.task, &TaskRefusal::Removed)?);
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
                what: format!("{id} cannot be moved into {into}"),
                hints: Vec::new(),
            });
        }
        if parent.task.removed.is_some() {
            return Err(refused(store, place, &parent.task, &TaskRefusal::Removed)?);
        }
        let deepest = store.subtree(&row.project, &row.path)?;
        let below = deepest.iter().map(|inner| inner.path.levels()).max().unwrap_or(0);
        deep_enough(parent.path.levels() + 1 + below - row.path.levels())?;
        above = std::iter::once(parent.task.clone())
            .chain(tasks(store.above(&parent)?))
            .collect();
    }
    let (ranks, mut changes) = ranked(
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

fn deep_enough(levels: usize) -> Result<(), AppError> {
    if levels <= MOST_LEVELS {
        return Ok(());
    }
    Err(AppError::Usage {
        what: format!("tasks cannot lie more than {MOST_LEVELS} levels deep"),
        hints: Vec::new(),
    })
}

/// Ranks for so many new children of a task, and the moves of siblings that have to make room.
fn ranked(
    store: &mut SqliteStore,
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
                "there is no room for more tasks here".to_owned(),
            ));
        }
        return Ok((ranks, TaskChanges::new()));
    };
    let siblings: Vec<Task> = tasks(store.siblings(project, parent, true)?)
        .into_iter()
        .filter(|task| Some(&task.id) != moved)
        .collect();
    let place_of = |id: &TaskId| siblings.iter().position(|task| task.id == *id);
    let at = match neighbour {
        Neighbour::First => Some(0),
        Neighbour::Before(other) => place_of(other),
        Neighbour::After(other) => place_of(other).map(|place| place + 1),
    };
    let Some(at) = at else {
        return Err(AppError::Usage {
            what: "the task to stand beside lies elsewhere".to_owned(),
            hints: vec!["Leave out where it shall lie: it lies where the other one does.".to_owned()],
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

/// A note as it is kept: not empty, not too long.
fn note_of(text: &str) -> Result<String, AppError> {
    let text = text.trim();
    let what = "the note";
    if text.is_empty() {
        return Err(refused_text(&TaskRefusal::Empty(what)));
    }
    if text.chars().count() > LONGEST_NOTE {
        let most = LONGEST_NOTE;
        return Err(refused_text(&TaskRefusal::TooLong { what, most }));
    }
    Ok(text.to_owned())
}

fn refused_text(refusal: &TaskRefusal) -> AppError {
    let words = task_words::refusal(refusal, "", &[]).1;
    // An error of usage is told behind a colon and without a full stop.
    let mut letters = words.message.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string());
    AppError::Usage {
        what: format!("{}{}", first.unwrap_or_default(), letters.as_str()),
        hints: vec![words.remedy],
    }
}
