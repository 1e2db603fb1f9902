//! The open runs and tasks of a lost agent.

use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_core::name::AgentName;
use bugle_core::wake::LostAgent;
use bugle_store::{ProjectId, RunFilter, RunRow, Scope, Store, TaskRow};

use super::WakeRequest;
use crate::agents::Me;
use crate::{AppError, Context, addresses, agents};

/// How many active tasks are searched for those of the agent.
const MAX_ACTIVE: u32 = 200;

/// A lost agent with its open runs and tasks.
pub(super) struct LostWork {
    pub(super) lost_agent: LostAgent,
    /// Its name, as an agent of this project sees it.
    pub(super) shown: String,
    pub(super) address: Option<AgentAddress>,
    /// Its open runs, the latest first.
    pub(super) runs: Vec<RunRow>,
    /// Its open tasks, in order.
    pub(super) tasks: Vec<TaskRow>,
}

impl LostWork {
    /// The name under which it has its tasks.
    pub(super) fn agent_name(&self) -> Option<AgentName> {
        let held = self.tasks.first().and_then(|row| row.task.agent.clone());
        held.or_else(|| AgentName::new(self.shown.trim_start_matches('@')).ok())
    }

    /// Whether it had a task.
    pub(super) fn has_task(&self, id: &str) -> bool {
        self.tasks.iter().any(|row| row.task.id.as_str() == id)
    }
}

/// The lost agent: the one that wakes up, if it has that name, else it is read.
fn lost_agent(store: &mut Store, ctx: &Context, bare: &str, woken: Option<&Me>) -> Result<Me, AppError> {
    match woken {
        Some(me) if me.row.is_some() && addresses::named(bare, &me.home)? == me.address => Ok(me.clone()),
        _ => agents::me(store, ctx, Some(bare)),
    }
}

/// Finds the open runs and tasks of the agent that the woken one replaces, if it replaces one.
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
    let (address, row) = match lost_agent(store, ctx, bare, woken) {
        Ok(found) => (Some(found.address), found.row),
        Err(AppError::Usage { .. }) => {
            let address = AgentAddress::of_session(bare, &home);
            let row = match (project, &address) {
                (Some(project), Some(address)) => store.agent(project, address)?,
                _ => None,
            };
            (address, row)
        }
        Err(error) => return Err(error),
    };
    let session = row.and_then(|row| row.session);
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
        limit: super::run_selection::MAX_RUNS,
    };
    let mut runs = store.runs(&filter(Scope::Session(session)))?;
    let mut tasks = Vec::new();
    if let Some(project) = project {
        let here = store.runs(&filter(Scope::Project(project.clone())))?;
        let own = |row: &RunRow| {
            let session = row.session.as_ref();
            session.is_some_and(|session| lost_agent.is_called(&session.0))
        };
        let known: Vec<_> = runs.iter().map(|row| row.id.clone()).collect();
        runs.extend(
            here.into_iter()
                .filter(|row| own(row) && !known.contains(&row.id)),
        );
        tasks = store.active(project, None, MAX_ACTIVE)?;
        tasks.retain(|row| lost_agent.holds(row.task.agent.as_ref()));
    }
    Ok(Some(LostWork {
        shown: address.as_ref().map_or_else(
            || bare.to_owned(),
            |address| format!("@{}", address.seen_from(&home)),
        ),
        lost_agent,
        address,
        runs,
        tasks,
    }))
}
