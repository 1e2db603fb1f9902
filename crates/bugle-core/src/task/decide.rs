//! Commands on a task, and how they affect its ancestors and descendants.
//!
//! A closed task never has open descendants. A task with open descendants cannot be finished, skipping a task skips its
//! descendants, and reopening a descendant reopens the task. So the current position is never inside a closed task.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Removal, Task, TaskEvent};
use super::status::TaskStatus;
use crate::id::{RunId, TaskId};
use crate::name::{AgentName, SkillAddress};
use crate::rights::{Action, MissingAuthority};

/// Maximum length of a title, in characters.
pub const MAX_TITLE_LENGTH: usize = 500;
/// Maximum length of a note or reason, in characters.
pub const MAX_NOTE_LENGTH: usize = 20_000;

/// A command on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskCommand {
    /// Start the task.
    Start {
        /// The agent that starts the task.
        agent: Option<AgentName>,
        /// The run that starts the task.
        run: Option<RunId>,
        /// Whether to take the task over from another agent.
        take_over: bool,
    },
    /// Close the task as done.
    Done,
    /// Skip the task and its descendants.
    Skip {
        /// The reason.
        reason: Option<String>,
    },
    /// Mark the task as failed.
    Fail {
        /// The reason.
        reason: String,
    },
    /// Mark the task as blocked: another agent or a person must act first.
    Block {
        /// The reason.
        reason: String,
    },
    /// Reopen or release the task, or restore it if it was removed.
    Reopen,
    /// Record a note.
    Note(String),
    /// Change the task's title.
    Retitle(String),
    /// Change or remove the task's skill.
    NameSkill(Option<SkillAddress>),
    /// Assign the task to an agent, or unassign it.
    Assign(Option<AgentName>),
    /// Remove the task and its descendants from the tree.
    Remove,
}

/// A task's relatives and dependencies.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskRelations<'a> {
    /// The task's ancestors, nearest first.
    pub above: &'a [Task],
    /// The task's descendants, parents before children, including removed ones.
    pub inside: &'a [Task],
    /// The open dependencies of the task and its ancestors, declared by the plan or by hand.
    pub waits_for: &'a [TaskId],
    /// The open tasks that precede the task or one of its ancestors in plan order.
    pub comes_after: &'a [TaskId],
}

/// Why Bugle refuses a command on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskRefusal {
    /// The task has open descendants.
    OpenInside(Vec<TaskId>),
    /// A dependency is open.
    Waits(Vec<TaskId>),
    /// An earlier task in plan order is open.
    NotItsTurn(Vec<TaskId>),
    /// The task is already closed.
    Closed(TaskStatus),
    /// Another agent is working on the task.
    Held(AgentName),
    /// An open run is working on the task, or dispatches the tasks of its plan.
    InRun(RunId),
    /// The caller lacks permission for a task that is not its own.
    NotAllowed(Action, MissingAuthority),
    /// The task was removed.
    Removed,
    /// An ancestor was removed.
    ParentRemoved(TaskId),
    /// A required string is empty.
    Empty(&'static str),
    /// A string is too long.
    TooLong {
        /// The string's name in messages, such as `the title`.
        what: &'static str,
        /// The maximum number of characters.
        most: usize,
    },
}

/// Events for several tasks, in order.
pub type TaskChanges = Vec<(TaskId, TaskEvent)>;

/// The events that a command causes; empty if it changes nothing.
pub fn decide_task(
    task: &Task,
    around: TaskRelations<'_>,
    command: &TaskCommand,
) -> Result<TaskChanges, TaskRefusal> {
    if task.removed.is_some() && *command != TaskCommand::Reopen {
        return match command {
            TaskCommand::Remove => Ok(Vec::new()),
            _ => Err(TaskRefusal::Removed),
        };
    }
    let one = |event| Ok(vec![(task.id.clone(), event)]);
    match command {
        TaskCommand::Start {
            agent,
            run,
            take_over,
        } => start(task, around, agent.as_ref(), run.as_ref(), *take_over),
        TaskCommand::Done => done(task, around),
        TaskCommand::Skip { reason } => skip(task, around, reason.as_deref()),
        TaskCommand::Fail { reason } => {
            let reason = words("the reason", reason, MAX_NOTE_LENGTH)?;
            open(task)?;
            one(TaskEvent::Failed { reason })
        }
        TaskCommand::Block { reason } => {
            let reason = words("the reason", reason, MAX_NOTE_LENGTH)?;
            open(task)?;
            one(TaskEvent::Blocked { reason })
        }
        TaskCommand::Reopen => reopen(task, around),
        TaskCommand::Note(text) => one(TaskEvent::Noted {
            text: words("the note", text, MAX_NOTE_LENGTH)?,
        }),
        TaskCommand::Retitle(title) => {
            let title = title_of(title)?;
            if title == task.title {
                return Ok(Vec::new());
            }
            one(TaskEvent::Retitled { title })
        }
        TaskCommand::NameSkill(skill) if *skill == task.skill => Ok(Vec::new()),
        TaskCommand::NameSkill(skill) => one(TaskEvent::SkillNamed { skill: skill.clone() }),
        TaskCommand::Assign(agent) if *agent == task.agent => Ok(Vec::new()),
        TaskCommand::Assign(agent) => one(TaskEvent::Assigned { agent: agent.clone() }),
        TaskCommand::Remove => Ok(remove(task, around)),
    }
}

/// Normalises a title to one line. Refuses an empty or overlong title.
pub fn title_of(text: &str) -> Result<String, TaskRefusal> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words("the title", &line, MAX_TITLE_LENGTH)
}

/// Reopens the closed ancestors of an open task.
pub fn opened_above(above: &[Task], because: &TaskId) -> TaskChanges {
    above
        .iter()
        .filter(|task| !task.status.is_open())
        .map(|task| {
            let with = Some(because.clone());
            (task.id.clone(), TaskEvent::Reopened { with })
        })
        .collect()
}

fn words(what: &'static str, text: &str, most: usize) -> Result<String, TaskRefusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(TaskRefusal::Empty(what));
    }
    if text.chars().count() > most {
        return Err(TaskRefusal::TooLong { what, most });
    }
    Ok(text.to_owned())
}

fn open(task: &Task) -> Result<(), TaskRefusal> {
    if task.status.is_open() {
        Ok(())
    } else {
        Err(TaskRefusal::Closed(task.status))
    }
}

fn unhindered(around: TaskRelations<'_>) -> Result<(), TaskRefusal> {
    if around.waits_for.is_empty() {
        Ok(())
    } else {
        Err(TaskRefusal::Waits(around.waits_for.to_vec()))
    }
}

/// Checks plan order, which decides only when a task can start. A started task can end even if an edit has put other
/// tasks before it.
fn in_turn(task: &Task, around: TaskRelations<'_>) -> Result<(), TaskRefusal> {
    if task.status != TaskStatus::Pending || around.comes_after.is_empty() {
        Ok(())
    } else {
        Err(TaskRefusal::NotItsTurn(around.comes_after.to_vec()))
    }
}

fn start(
    task: &Task,
    around: TaskRelations<'_>,
    agent: Option<&AgentName>,
    run: Option<&RunId>,
    take_over: bool,
) -> Result<TaskChanges, TaskRefusal> {
    open(task)?;
    unhindered(around)?;
    in_turn(task, around)?;
    if task.status == TaskStatus::Active {
        let other = task
            .agent
            .as_ref()
            .filter(|holder| agent.is_some_and(|agent| agent != *holder));
        match other {
            Some(holder) if !take_over => return Err(TaskRefusal::Held(holder.clone())),
            None if run.is_none() && (agent.is_none() || agent == task.agent.as_ref()) => {
                return Ok(Vec::new());
            }
            _ => {}
        }
    }
    let event = TaskEvent::Started {
        agent: agent.cloned(),
        run: run.cloned(),
    };
    Ok(vec![(task.id.clone(), event)])
}

fn done(task: &Task, around: TaskRelations<'_>) -> Result<TaskChanges, TaskRefusal> {
    match task.status {
        TaskStatus::Done => return Ok(Vec::new()),
        TaskStatus::Skipped => return Err(TaskRefusal::Closed(TaskStatus::Skipped)),
        TaskStatus::Pending | TaskStatus::Active | TaskStatus::Blocked | TaskStatus::Failed => {}
    }
    unhindered(around)?;
    in_turn(task, around)?;
    let unfinished: Vec<TaskId> = open_inside(around).map(|task| task.id.clone()).collect();
    if !unfinished.is_empty() {
        return Err(TaskRefusal::OpenInside(unfinished));
    }
    Ok(vec![(task.id.clone(), TaskEvent::Finished)])
}

fn open_inside(around: TaskRelations<'_>) -> impl Iterator<Item = &Task> {
    around.inside.iter().filter(|task| task.is_open())
}

fn skip(task: &Task, around: TaskRelations<'_>, reason: Option<&str>) -> Result<TaskChanges, TaskRefusal> {
    match task.status {
        TaskStatus::Skipped => return Ok(Vec::new()),
        TaskStatus::Done => return Err(TaskRefusal::Closed(TaskStatus::Done)),
        TaskStatus::Pending | TaskStatus::Active | TaskStatus::Blocked | TaskStatus::Failed => {}
    }
    let reason = match reason {
        Some(reason) => Some(words("the reason", reason, MAX_NOTE_LENGTH)?),
        None => None,
    };
    let with_it = open_inside(around).map(|inner| {
        let event = TaskEvent::Skipped {
            reason: None,
            with: Some(task.id.clone()),
        };
        (inner.id.clone(), event)
    });
    let mut changes: TaskChanges = with_it.collect();
    changes.push((task.id.clone(), TaskEvent::Skipped { reason, with: None }));
    Ok(changes)
}

fn reopen(task: &Task, around: TaskRelations<'_>) -> Result<TaskChanges, TaskRefusal> {
    // Name the outermost removed ancestor. Restoring that ancestor also restores this task.
    if let Some(parent) = around.above.iter().rfind(|parent| parent.removed.is_some()) {
        return Err(TaskRefusal::ParentRemoved(parent.id.clone()));
    }
    let mut changes = TaskChanges::new();
    if task.removed.is_some() {
        changes.push((task.id.clone(), TaskEvent::Restored));
        if task.removed == Some(Removal::Vanished) {
            // Detach the task from its plan. Otherwise, the next import would remove it again.
            changes.push((task.id.clone(), TaskEvent::Unplanned));
        }
        let went_along = around
            .inside
            .iter()
            .filter(|inner| inner.removed.as_ref() == Some(&Removal::With(task.id.clone())));
        let back: Vec<&Task> = std::iter::once(task).chain(went_along).collect();
        changes.extend(
            back.iter()
                .skip(1)
                .map(|inner| (inner.id.clone(), TaskEvent::Restored)),
        );
        let opened = opened_by_what_is_back(&back);
        changes.extend(opened.iter().map(|(id, with)| {
            let with = Some((*with).clone());
            ((*id).clone(), TaskEvent::Reopened { with })
        }));
        if task.status.is_open() || opened.contains_key(&task.id) {
            changes.extend(opened_above(around.above, &task.id));
        }
        return Ok(changes);
    }
    if task.status == TaskStatus::Pending {
        return Ok(changes);
    }
    changes.push((task.id.clone(), TaskEvent::Reopened { with: None }));
    if task.agent.is_some() {
        changes.push((task.id.clone(), TaskEvent::Assigned { agent: None }));
    }
    if !task.status.is_open() {
        changes.extend(reopened_with(task, around.inside));
        changes.extend(opened_above(around.above, &task.id));
    }
    Ok(changes)
}

/// The restored tasks that are closed but contain an open task, each with that open task. An import can add a subtask
/// to a removed task.
fn opened_by_what_is_back<'a>(back: &[&'a Task]) -> BTreeMap<&'a TaskId, &'a TaskId> {
    let by_id: BTreeMap<&TaskId, &Task> = back.iter().map(|task| (&task.id, *task)).collect();
    let mut opened = BTreeMap::new();
    for open in back.iter().filter(|task| task.status.is_open()) {
        let mut above = open.parent.as_ref().and_then(|parent| by_id.get(parent));
        while let Some(task) = above {
            if !task.status.is_open() {
                opened.entry(&task.id).or_insert(&open.id);
            }
            above = task.parent.as_ref().and_then(|parent| by_id.get(parent));
        }
    }
    opened
}

/// The events that reopen the descendants skipped together with the task. Descendants of a subtask that is closed for
/// another reason stay closed.
fn reopened_with(task: &Task, inside: &[Task]) -> TaskChanges {
    let mut closed: BTreeSet<&TaskId> = BTreeSet::new();
    let mut changes = TaskChanges::new();
    // Parents come before their children.
    for inner in inside {
        let in_closed = inner
            .parent
            .as_ref()
            .is_some_and(|parent| closed.contains(parent));
        if inner.skipped_with.as_ref() == Some(&task.id) && !in_closed {
            let with = Some(task.id.clone());
            changes.push((inner.id.clone(), TaskEvent::Reopened { with }));
        } else if !inner.status.is_open() {
            closed.insert(&inner.id);
        }
    }
    changes
}

fn remove(task: &Task, around: TaskRelations<'_>) -> TaskChanges {
    let went_along = around.inside.iter().filter(|inner| inner.removed.is_none());
    let mut changes: TaskChanges = went_along
        .map(|inner| {
            let why = Removal::With(task.id.clone());
            (inner.id.clone(), TaskEvent::Removed { why })
        })
        .collect();
    let why = Removal::ByHand;
    changes.push((task.id.clone(), TaskEvent::Removed { why }));
    changes
}
