//! Agents: registration, names and state changes.
//!
//! A session identifies an agent. The folder and branch only matter when Bugle first sees the agent.

mod caller;
mod find;
mod started;

pub(crate) use caller::{Me, agent_called, current_agent, current_name, me, me_in};
pub use find::resolve_agent;
pub(crate) use started::{adopt_awaited_session, agent_from_environment, agent_with_delivery, begin_session};

use bugle_client::recognition::client_of_session;
use bugle_core::agent::{AgentState, Signal, automatic_name, is_readable};
use bugle_core::id::{Actor, SessionId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::role::AgentRole;
use bugle_store::{AgentRow, ProjectId, Store};

use crate::ids::{NewIdError, with_new_ids};
use crate::{AppError, Context, addresses, projects};

/// A request to register an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterRequest {
    /// The requested name; generated if missing.
    pub name: Option<String>,
    /// The agent's role.
    pub role: Option<AgentRole>,
    /// The agent's client.
    pub client: Option<String>,
}

/// Applies a signal to an agent. Writes nothing if the agent's state stays the same.
pub(crate) fn apply_signal(
    store: &mut Store,
    ctx: &Context,
    mut row: AgentRow,
    signal: Signal,
) -> Result<AgentRow, AppError> {
    let after = row.state.after(signal);
    if after != row.state {
        row.state = after;
        row.changed_at = ctx.now();
        store.keep_agent(&row)?;
    }
    Ok(row)
}

/// Applies a signal to an agent that was read without a lock: another process may have changed its state since.
pub(crate) fn send_signal(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    signal: Signal,
) -> Result<(), AppError> {
    let changes = AgentState::changes(signal);
    Ok(store.change_agent_state(&row.project, &row.address, &changes, ctx.now())?)
}

/// Identifies a caller without a session as the agent that `--as` names, and registers that agent if it is new. A
/// caller with a session keeps its own identity.
pub fn act_as(store: &mut Store, ctx: &mut Context) -> Result<(), AppError> {
    if ctx.acting_as.is_none() || ctx.session.is_some() {
        return Ok(());
    }
    let project = projects::ensure_project(store, ctx)?;
    let session = store.transaction(|tx| {
        let me = me(tx, ctx, None)?;
        if me.address.is_human() {
            return Ok(None);
        }
        let known = me
            .row
            .unwrap_or_else(|| new_agent(ctx, project.clone(), me.address));
        if known.session.is_some() {
            return Ok::<_, AppError>(known.session);
        }
        let (name, home) = (known.address.name(), known.address.home());
        let mut session = SessionId(format!("{name}@{}:{}", home.project(), home.branch()));
        // Another project may have the same name.
        if tx.agent_of_session(&session)?.is_some() {
            session = SessionId(format!("{name}@{}:{}", known.project.0, home.branch()));
        }
        let row = AgentRow {
            session: Some(session.clone()),
            ..known
        };
        if !tx.keep_agent(&row)? {
            tx.add_agent(&row)?;
        }
        Ok(Some(session))
    })?;
    take_session(ctx, session);
    Ok(())
}

/// Like [`act_as`], for a command that only reads: an unknown agent is not registered.
pub fn act_as_known(store: &mut Store, ctx: &mut Context) -> Result<(), AppError> {
    if ctx.acting_as.is_some() && ctx.session.is_none() {
        let session = me(store, ctx, None)?.row.and_then(|row| row.session);
        take_session(ctx, session);
    }
    Ok(())
}

fn take_session(ctx: &mut Context, session: Option<SessionId>) {
    if let Some(session) = session {
        ctx.actor = Actor::Agent(session.clone());
        ctx.session = Some(session);
    }
}

/// The session's agent, registered if it is new.
pub(crate) fn agent_of(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
    client: Option<&str>,
) -> Result<AgentRow, AppError> {
    if let Some(row) = store.agent_of_session(session)? {
        add_session_alias(store, &row, session)?;
        return Ok(row);
    }
    if let Some(row) = adopt_awaited_session(store, ctx, session)? {
        return Ok(row);
    }
    let project = projects::ensure_project(store, ctx)?;
    let home = addresses::home(ctx);
    let own = AgentAddress::of_session(&session.0, &home);
    let client = match client {
        Some(client) => Some(client.to_owned()),
        None => match store.session(session)? {
            Some(row) => Some(row.client),
            // The agent is known through a command or MCP call before the client has called a hook.
            None => client_of_session(&session.0, &|name| std::env::var_os(name))
                .map(|client| client.as_str().to_owned()),
        },
    };
    let mut readable = own.clone().filter(|own| is_readable(own.name()));
    with_new_ids("the agent", || {
        let address = match readable.take() {
            Some(own) => own,
            None => generated_address(ctx, client.as_deref().unwrap_or("agent"), &home)?,
        };
        let row = AgentRow {
            client: client.clone(),
            session: Some(session.clone()),
            machine: store.machine().clone(),
            ..new_agent(ctx, project.clone(), address)
        };
        store.row_transaction(|tx| {
            if !tx.add_agent(&row)? {
                // Another process of the same session may have registered the agent first. Otherwise the name is
                // taken.
                return tx.agent_of_session(session)?.ok_or(NewIdError::Taken);
            }
            if let Some(own) = own.as_ref().filter(|own| **own != row.address) {
                rename(tx, &row, own)?;
            }
            Ok(row.clone())
        })
    })
}

/// A new agent address at `home`, with a generated name.
fn generated_address(ctx: &Context, about: &str, home: &Home) -> Result<AgentAddress, AppError> {
    let name = automatic_name(about, ctx.random()?);
    AgentAddress::new(home.project(), home.branch(), &name).map_err(|bad| AppError::System(bad.to_string()))
}

/// Makes the session id an alias of the agent, so that messages to the id still arrive after the client starts a new
/// session.
fn add_session_alias(store: &mut Store, row: &AgentRow, session: &SessionId) -> Result<(), AppError> {
    match missing_alias(store, row, session)? {
        Some(own) => store.row_transaction(|tx| rename(tx, row, &own)),
        None => Ok(()),
    }
}

/// The address of an agent's session, if it is not an alias of the agent yet.
fn missing_alias(
    store: &mut Store,
    row: &AgentRow,
    session: &SessionId,
) -> Result<Option<AgentAddress>, AppError> {
    let own = AgentAddress::of_session(&session.0, &row.address.home());
    match own.filter(|own| *own != row.address) {
        Some(own) if store.agent(&row.project, &own)?.is_none() => Ok(Some(own)),
        _ => Ok(None),
    }
}

/// The session's agent. Returns `None` if the agent is not registered, or if messages to the session's id do not reach
/// it.
pub(crate) fn known_agent(store: &mut Store, session: &SessionId) -> Result<Option<AgentRow>, AppError> {
    let Some(row) = store.agent_of_session(session)? else {
        return Ok(None);
    };
    let alias = missing_alias(store, &row, session)?;
    Ok(alias.is_none().then_some(row))
}

/// A new agent that is not stored yet.
fn new_agent(ctx: &Context, project: ProjectId, address: AgentAddress) -> AgentRow {
    let directory = ctx.root.to_string_lossy().into_owned();
    AgentRow::new(project, address, directory, ctx.now())
}

/// Applies a signal to a session's agent.
pub(crate) fn signal_session(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
    signal: Signal,
) -> Result<(), AppError> {
    match store.agent_of_session(session)? {
        Some(row) => store.row_transaction(|tx| send_signal(tx, ctx, &row, signal)),
        None => Ok(()),
    }
}

/// Names the agent of this session, or registers an agent without a session.
pub fn register(
    store: &mut Store,
    ctx: &Context,
    request: &RegisterRequest,
) -> Result<AgentAddress, AppError> {
    let project = projects::ensure_project(store, ctx)?;
    let before = match ctx.session.clone() {
        Some(session) => Some(agent_of(store, ctx, &session, request.client.as_deref())?),
        None => None,
    };
    let home = before
        .as_ref()
        .map_or_else(|| addresses::home(ctx), |row| row.address.home());
    let about = request.role.map_or("agent", AgentRole::as_str);
    with_new_ids("the agent", || {
        let address = match (&request.name, &before) {
            (Some(name), _) => parse_agent_name(name, &home)?,
            (None, Some(row)) => row.address.clone(),
            (None, None) => generated_address(ctx, about, &home)?,
        };
        let own = before
            .clone()
            .unwrap_or_else(|| new_agent(ctx, project.clone(), address.clone()));
        let row = AgentRow {
            role: request.role.or(own.role),
            client: request.client.clone().or(own.client.clone()),
            ..own
        };
        let done = store.transaction(|tx| {
            if before.as_ref().is_some_and(|before| before.address == address) {
                return Ok(tx.keep_agent(&row)?);
            }
            let Some(before) = &before else {
                return Ok(tx.add_agent(&row)?);
            };
            if tx.agent(&row.project, &address)?.is_some() {
                return Ok(false);
            }
            // The session and the unread messages move to the new name.
            let old = AgentRow {
                session: None,
                state: AgentState::new(false),
                question: None,
                process: None,
                renamed: Some(address.clone()),
                ..before.clone()
            };
            tx.keep_agent(&old)?;
            let new = AgentRow {
                address: address.clone(),
                ..row.clone()
            };
            let made = tx.add_agent(&new)?;
            tx.forward_mail(&row.project, &old.address, &address, ctx.now())?;
            Ok::<_, AppError>(made)
        })?;
        if done {
            return Ok(address);
        }
        if request.name.is_none() {
            return Err(NewIdError::Taken);
        }
        Err(NewIdError::Failed(AppError::Usage {
            what: format!("an agent named {address} already exists; nothing was changed"),
            hints: vec![format!(
                "`{}` lists the agents.",
                ctx.command(&["agent", "list", "--all"])
            )],
        }))
    })
}

/// Makes `old` an alias of this agent, and forwards the unread messages of `old`.
fn rename(store: &mut Store, row: &AgentRow, old: &AgentAddress) -> Result<(), AppError> {
    let alias = AgentRow {
        renamed: Some(row.address.clone()),
        ..AgentRow::new(
            row.project.clone(),
            old.clone(),
            row.directory.clone(),
            row.created_at,
        )
    };
    store.add_agent(&alias)?;
    store.forward_mail(&row.project, old, &row.address, row.created_at)?;
    Ok(())
}

/// Parses a name for an agent at `home`; reserved names are an error.
pub(crate) fn parse_agent_name(name: &str, home: &Home) -> Result<AgentAddress, AppError> {
    let address = addresses::named(name, home)?;
    if address.is_human() || address.is_bugle() || address.home() != *home {
        return Err(AppError::Usage {
            what: format!("`{name}` is not a valid agent name"),
            hints: vec![
                "Use only a-z, 0-9, - and _. The names `human`, `all` and `bugle` are reserved.".to_owned(),
            ],
        });
    }
    Ok(address)
}
