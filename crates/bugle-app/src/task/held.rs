//! Whose a task is to whoever looks at it, and who may begin it.

use bugle_core::agent::{Approach, Holding};
use bugle_core::name::AgentName;
use bugle_core::task::{Standing, TaskCommand};
use bugle_store::{ProjectId, SqliteStore, TaskRow};

use crate::holder::{Holder, Worker, task_holder, worker, worker_named};
use crate::{App, AppError, Place};

/// Whose a task is, seen by somebody.
pub(super) enum Whose {
    /// Nobody was given it.
    Nobodys,
    /// Theirs.
    Own,
    /// Somebody else's.
    Anothers {
        /// That one.
        holder: Holder,
        /// Whether an agent looks at it: a person may begin what is meant for anybody.
        by_agent: bool,
    },
}

impl Whose {
    /// Who that is, in a sentence to whoever looks at it.
    pub(super) fn spoken(&self) -> Option<&str> {
        match self {
            Self::Nobodys => None,
            Self::Own => Some("you"),
            Self::Anothers { holder, .. } => Some(&holder.name),
        }
    }

    /// Whether it is meant for another agent, which may still come to it.
    pub(super) fn is_meant_for_another(&self) -> bool {
        matches!(self, Self::Anothers { holder, by_agent: true } if holder.holding == Holding::Perhaps)
    }
}

impl App {
    /// Whoever was named, else whoever acts here.
    pub(crate) fn worker_for(
        &mut self,
        project: &ProjectId,
        named: Option<&AgentName>,
    ) -> Result<Option<Worker>, AppError> {
        match named {
            Some(name) => worker_named(&mut self.store, &self.place, project, name).map(Some),
            None => worker(&mut self.store, &self.place),
        }
    }

    /// Whether a task is held by this one.
    pub(super) fn is_held_by(&mut self, row: &TaskRow, worker: &Worker) -> Result<bool, AppError> {
        match &row.task.agent {
            Some(holder) => worker.has(&mut self.store, &self.place, &row.project, holder),
            None => Ok(false),
        }
    }

    /// The first of these that is held by this one and has nothing open in it.
    pub(super) fn own_leaf(
        &mut self,
        rows: &[TaskRow],
        worker: Option<&Worker>,
    ) -> Result<Option<TaskRow>, AppError> {
        let Some(worker) = worker else { return Ok(None) };
        for row in rows.iter().filter(|row| row.open_children == 0) {
            if self.is_held_by(row, worker)? {
                return Ok(Some(row.clone()));
            }
        }
        Ok(None)
    }

    /// Whose a task is to somebody.
    pub(super) fn whose(&mut self, row: &TaskRow, reader: Option<&Worker>) -> Result<Whose, AppError> {
        whose(&mut self.store, &self.place, row, reader)
    }

    /// What somebody else is called who holds a task, for whoever acts here; theirs if it is their own.
    pub(crate) fn called_holder(
        &mut self,
        project: &ProjectId,
        holder: &AgentName,
        reader: Option<&Worker>,
    ) -> Result<Option<String>, AppError> {
        if let Some(reader) = reader
            && reader.has(&mut self.store, &self.place, project, holder)?
        {
            return Ok(None);
        }
        task_holder(&mut self.store, &self.place, project, holder, reader).map(|holder| Some(holder.name))
    }

    /// What there is to say about whoever has the task at which work stands.
    pub(super) fn said_of_holder(&self, row: &TaskRow, whose: &Whose) -> Vec<String> {
        let Whose::Anothers { holder, by_agent } = whose else {
            return Vec::new();
        };
        let id = row.task.id.as_str();
        let ready = self.place.command(&["task", "ready"]);
        match (row.task.standing, holder.holding) {
            (Standing::Active, Holding::Gone) => {
                let start = self.place.command(&["task", "start", id]);
                vec![format!(
                    "That was {}'s task, whose session is over. `{start}` takes it up.",
                    holder.name
                )]
            }
            (Standing::Active, _) => {
                let take = self.place.command(&["task", "start", id, "--take-over"]);
                vec![format!(
                    "That is {}'s task. What can start: `{ready}`. If that one is no longer at it, `{take}` takes it over.",
                    holder.name
                )]
            }
            (Standing::Pending, Holding::Perhaps) if *by_agent => {
                vec![format!(
                    "It is meant for {}. What else can start: `{ready}`.",
                    holder.name
                )]
            }
            _ => Vec::new(),
        }
    }
}

pub(super) fn whose(
    store: &mut SqliteStore,
    place: &Place,
    row: &TaskRow,
    reader: Option<&Worker>,
) -> Result<Whose, AppError> {
    let Some(name) = &row.task.agent else {
        return Ok(Whose::Nobodys);
    };
    if let Some(reader) = reader
        && reader.has(store, place, &row.project, name)?
    {
        return Ok(Whose::Own);
    }
    Ok(Whose::Anothers {
        holder: task_holder(store, place, &row.project, name, reader)?,
        by_agent: reader.is_some_and(|reader| reader.is_agent),
    })
}

/// The first of these tasks that somebody may begin: one that was given to nobody, or to them.
pub(super) fn first_for(
    store: &mut SqliteStore,
    place: &Place,
    rows: Vec<TaskRow>,
    worker: Option<&Worker>,
) -> Result<Option<TaskRow>, AppError> {
    for row in rows {
        let free = match (&row.task.agent, worker) {
            (None, _) => true,
            (Some(holder), Some(worker)) => worker.has(store, place, &row.project, holder)?,
            (Some(_), None) => false,
        };
        if free {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// A command as it is carried out: whoever begins a task without a name does so under their own; what is theirs already
/// stays under the name that it has, and what was left by a session that is over is theirs to take up.
pub(super) fn begun_by(
    store: &mut SqliteStore,
    place: &Place,
    row: &TaskRow,
    command: &TaskCommand,
) -> Result<TaskCommand, AppError> {
    let TaskCommand::Start {
        agent,
        run,
        take_over,
    } = command
    else {
        return Ok(command.clone());
    };
    let beginner = match agent {
        Some(name) => Some(worker_named(store, place, &row.project, name)?),
        None => worker(store, place)?,
    };
    let mut take_over = *take_over;
    let mut name = beginner.as_ref().map(|beginner| beginner.name.clone());
    match whose(store, place, row, beginner.as_ref())? {
        Whose::Nobodys => {}
        Whose::Own => name.clone_from(&row.task.agent),
        Whose::Anothers { holder, .. } => take_over |= holder.holding.goes_to(Approach::GoesOn),
    }
    Ok(TaskCommand::Start {
        agent: name,
        run: run.clone(),
        take_over,
    })
}
