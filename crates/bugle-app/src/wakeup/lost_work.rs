//! A lost agent's open runs and tasks.

use bugle_core::id::SessionId;
use bugle_core::id::TaskId;
use bugle_core::message::AgentAddress;
use bugle_core::name::AgentName;
use bugle_core::wake::LostAgent;
use bugle_store::{AgentRow, ProjectId, RunFilter, RunRow, Scope, Store, TaskRow};

use super::WakeRequest;
use crate::agents::Me;
use crate::tasks::MAX_SCANNED;
use crate::{AppError, Context, addresses, agents};

/// Maximum number of open runs to read.
pub(crate) const MAX_RUNS: u32 = 20;

/// A lost agent with its open runs and tasks.
pub(super) struct LostWork {
    pub(super) lost_agent: LostAgent,
    /// The lost agent's name, relative to this project.
    pub(super) shown: String,
    pub(super) address: Option<AgentAddress>,
    /// The lost agent's row, if the agent is known.
    pub(super) row: Option<AgentRow>,
    /// The number of other agents' open runs in this project.
    pub(super) other_runs: u32,
    /// The project's active tasks, in order.
    pub(super) active: Vec<TaskRow>,
    /// The lost agent's open runs, latest first.
    pub(super) runs: Vec<RunRow>,
    /// The lost agent's open tasks, in order.
    pub(super) tasks: Vec<TaskRow>,
}

impl LostWork {
    /// The name under which the lost agent holds its tasks.
    pub(super) fn agent_name(&self) -> Option<AgentName> {
        let held = self.tasks.first().and_then(|row| row.task.agent.clone());
        held.or_else(|| AgentName::new(self.shown.trim_start_matches('@')).ok())
    }

    /// Whether the lost agent held this task.
    pub(super) fn has_task(&self, id: &TaskId) -> bool {
        self.tasks.iter().any(|row| row.task.id == *id)
    }
}

/// Finds the open runs and tasks of the agent that the woken agent replaces, if any.
pub(super) fn lost_work(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    project: Option<&ProjectId>,
    woken: Option<&Me>,
) -> Result<Option<LostWork>, AppError> {
    let Some(replaced) = &request.replaces else {
        return Ok(None);
    };
    let home = addresses::home(ctx);
    let bare = replaced.agent.trim_start_matches('@');
    let (from, its_project) = woken.map_or((&home, project), |me| (&me.home, me.project.as_ref()));
    let known = woken.and_then(|me| me.row.as_ref());
    let (address, found) = match agents::agent_called(store, from, its_project, bare, known) {
        Ok((address, row)) => (Some(address), row.filter(|_| its_project == project)),
        Err(AppError::Usage { .. }) => (AgentAddress::of_session(bare, &home), None),
        Err(error) => return Err(error),
    };
    let row = match (found, project, &address) {
        (None, Some(project), Some(address)) => store.agent(project, address)?,
        (found, _, _) => found,
    };
    let session = row.as_ref().and_then(|row| row.session.clone());
    let mut lost_agent = LostAgent::new(address.as_ref().map_or(bare, AgentAddress::name));
    if let Some(address) = &address {
        lost_agent = lost_agent.also_called(&format!("{}:{}", address.branch(), address.name()));
    }
    if let Some(session) = &session {
        lost_agent = lost_agent.also_called(&session.0);
    }
    let session = session.unwrap_or_else(|| SessionId(bare.to_owned()));
    let filter = |scope| RunFilter {
        scope,
        open_only: true,
        limit: MAX_RUNS,
    };
    let mut runs = store.runs(&filter(Scope::Session(session)))?;
    let mut active = Vec::new();
    let mut other_runs = 0;
    if let Some(project) = project {
        let here = store.runs(&filter(Scope::Project(project.clone())))?;
        let own = |row: &RunRow| {
            let session = row.session.as_ref();
            session.is_some_and(|session| lost_agent.is_called(&session.0))
        };
        for row in here {
            if runs.iter().any(|known| known.id == row.id) {
                continue;
            }
            if own(&row) {
                runs.push(row);
            } else {
                other_runs += 1;
            }
        }
        active = store.active(project, None, MAX_SCANNED)?;
    }
    let held = active
        .iter()
        .filter(|row| lost_agent.holds(row.task.agent.as_ref()));
    let tasks = held.cloned().collect();
    Ok(Some(LostWork {
        shown: address.as_ref().map_or_else(
            || bare.to_owned(),
            |address| format!("@{}", address.seen_from(&home)),
        ),
        lost_agent,
        address,
        row,
        other_runs,
        active,
        runs,
        tasks,
    }))
}
