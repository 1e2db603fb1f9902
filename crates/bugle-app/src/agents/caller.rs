//! The caller of a command: the agent that the command names, the session's agent, or the user.

use bugle_core::id::Actor;
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{AgentRow, ProjectId, Store};

use crate::{AppError, Context, addresses, projects};

/// Maximum number of renames to follow.
const MAX_NAMES: usize = 8;

/// The caller.
#[derive(Clone)]
pub(crate) struct Me {
    /// The caller's project, if known.
    pub project: Option<ProjectId>,
    /// The caller's home: the project and branch that the caller may omit from addresses.
    pub home: Home,
    /// The caller's address.
    pub address: AgentAddress,
    /// The caller's row, if the caller is a known agent.
    pub row: Option<AgentRow>,
}

impl Me {
    /// A known agent.
    pub(crate) fn of(row: AgentRow) -> Self {
        Self {
            project: Some(row.project.clone()),
            home: row.address.home(),
            address: row.address.clone(),
            row: Some(row),
        }
    }
}

/// The caller: the named agent, else the session's agent, else the user.
pub(crate) fn me(store: &mut Store, ctx: &Context, name: Option<&str>) -> Result<Me, AppError> {
    let known = match &ctx.session {
        Some(session) => store.agent_of_session(session)?,
        None => None,
    };
    let here = match &known {
        Some(_) => None,
        None => projects::project(store, ctx)?,
    };
    me_with(store, ctx, name, known, here)
}

/// Like [`me`], for a project that has already been read.
pub(crate) fn me_in(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
    here: Option<&ProjectId>,
) -> Result<Me, AppError> {
    let known = match &ctx.session {
        Some(session) => store.agent_of_session(session)?,
        None => None,
    };
    me_with(store, ctx, name, known, here.cloned())
}

/// The caller. `known` is the session's agent, and `here` is the current project.
fn me_with(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
    known: Option<AgentRow>,
    here: Option<ProjectId>,
) -> Result<Me, AppError> {
    let known = match (known, &ctx.session, &ctx.agent, &here) {
        // Some clients do not pass the session id to commands.
        (None, None, Some(agent), Some(here)) => store.agent(here, agent)?,
        (known, ..) => known,
    };
    let (project, home) = match &known {
        Some(row) => (Some(row.project.clone()), row.address.home()),
        None => (here, addresses::home(ctx)),
    };
    let (address, row) = match (name.or(ctx.acting_as.as_deref()), known, &ctx.actor) {
        (Some(name), known, _) => agent_called(store, &home, project.as_ref(), name, known.as_ref())?,
        (None, Some(row), _) => (row.address.clone(), Some(row)),
        (None, None, Actor::Agent(session) | Actor::Relay { agent: session, .. }) => {
            let own = AgentAddress::of_session(&session.0, &home);
            (own.ok_or_else(|| unknown_caller(ctx))?, None)
        }
        (None, None, Actor::Person(_)) => (AgentAddress::human(&home), None),
        (None, None, Actor::Program) => return Err(unknown_caller(ctx)),
    };
    Ok(Me {
        project,
        home,
        address,
        row,
    })
}

/// The address of the agent named `name` at `home`, and its row if one exists. `known` is an agent of this project
/// that the caller has already read.
pub(crate) fn agent_called(
    store: &mut Store,
    home: &Home,
    project: Option<&ProjectId>,
    name: &str,
    known: Option<&AgentRow>,
) -> Result<(AgentAddress, Option<AgentRow>), AppError> {
    let address = addresses::named(name, home)?;
    match (project, known) {
        (_, Some(row)) if row.address == address && row.renamed.is_none() => Ok((address, Some(row.clone()))),
        (Some(project), _) if address.project() == home.project() => current_agent(store, project, &address),
        _ => Ok((address, None)),
    }
}

/// Follows renames to an agent's current address.
pub(crate) fn current_name(
    store: &mut Store,
    project: &ProjectId,
    address: &AgentAddress,
) -> Result<AgentAddress, AppError> {
    Ok(current_agent(store, project, address)?.0)
}

/// Follows renames to an agent's current address; also returns its row, if one exists.
pub(crate) fn current_agent(
    store: &mut Store,
    project: &ProjectId,
    address: &AgentAddress,
) -> Result<(AgentAddress, Option<AgentRow>), AppError> {
    let mut address = address.clone();
    let mut row = store.agent(project, &address)?;
    for _ in 0..MAX_NAMES {
        let Some(next) = row.as_ref().and_then(|row| row.renamed.clone()) else {
            break;
        };
        row = store.agent(project, &next)?;
        address = next;
    }
    Ok((address, row))
}

fn unknown_caller(ctx: &Context) -> AppError {
    if ctx.interface.is_mcp() {
        return AppError::Usage {
            what: "cannot identify the caller: the client sends no session id".to_owned(),
            hints: vec![
                "Choose a name for yourself, and pass the same name as `as` in every call.".to_owned(),
            ],
        };
    }
    AppError::Usage {
        what: "cannot identify the caller: found neither an agent session nor a terminal".to_owned(),
        hints: vec![
            "If you are a person, run the command in a terminal; your name is `human`.".to_owned(),
            "In a script, pass a name: `--as NAME` to send, `--for NAME` to read (`--for human` for user messages)."
                .to_owned(),
        ],
    }
}
