//! Checks whether the caller may perform an action: gathers the facts for the decision in `bugle_core::rights`.

use bugle_core::id::{Actor, RunId, SessionId, Timestamp};
use bugle_core::reply::{RefusalReason, Refused};
use bugle_core::rights::{Action, Caller, MissingAuthority, Right, is_heard, right};
use bugle_store::Store;

use crate::{App, AppError, Context, Lineage, ancestors};

/// The caller, identified by the environment and the ancestors of this process.
enum CallerFacts {
    /// A person.
    Person,
    /// An agent, with its session if known.
    Agent {
        session: Option<SessionId>,
        /// Whether another agent started the client. If so, the prompts do not come from a user.
        is_nested: bool,
    },
    /// A program outside any session.
    Program,
}

fn caller_facts(ctx: &Context) -> CallerFacts {
    if ctx.lineage == Lineage::Person {
        return CallerFacts::Person;
    }
    let above = ancestors::ancestry();
    match &ctx.actor {
        Actor::Agent(session) | Actor::Relay { agent: session, .. } => CallerFacts::Agent {
            is_nested: above.is_nested || above.session.as_ref().is_some_and(|other| other != session),
            session: Some(session.clone()),
        },
        _ if ctx.lineage == Lineage::Client || above.has_client || ctx.interface.is_mcp() => {
            CallerFacts::Agent {
                is_nested: above.is_nested,
                session: above.session,
            }
        }
        Actor::Person(_) => CallerFacts::Person,
        Actor::Program => CallerFacts::Program,
    }
}

/// Whether the caller is an agent whose session is unknown.
pub(crate) fn is_agent_without_session(ctx: &Context) -> bool {
    matches!(caller_facts(ctx), CallerFacts::Agent { session: None, .. })
}

/// The caller of a task command.
pub(crate) enum TaskCaller {
    /// A person.
    Person,
    /// An agent, with its session if known.
    Agent(Option<SessionId>),
    /// A program outside any session.
    Program,
}

/// The caller. Reads the ancestors only if the environment names no session.
pub(crate) fn task_caller(ctx: &Context) -> TaskCaller {
    match ctx.actor.session() {
        Some(session) if ctx.lineage != Lineage::Person => TaskCaller::Agent(Some(session.clone())),
        _ => match caller_facts(ctx) {
            CallerFacts::Person => TaskCaller::Person,
            CallerFacts::Agent { session, .. } => TaskCaller::Agent(session),
            CallerFacts::Program => TaskCaller::Program,
        },
    }
}

/// When the user last typed something in the calling agent's session.
pub(crate) fn user_input(store: &mut Store, ctx: &Context) -> Result<Option<Timestamp>, AppError> {
    match caller_facts(ctx) {
        CallerFacts::Agent { session, is_nested } => last_input(store, session.as_ref(), is_nested),
        CallerFacts::Person | CallerFacts::Program => Ok(None),
    }
}

fn last_input(
    store: &mut Store,
    session: Option<&SessionId>,
    is_nested: bool,
) -> Result<Option<Timestamp>, AppError> {
    let known = match session {
        Some(session) if !is_nested => store.session(session)?,
        _ => None,
    };
    Ok(known.and_then(|known| known.memory.user_spoke))
}

/// The actor to record for an action outside a run; an error if the caller may not perform it. `command` is the
/// command that the user can run instead.
pub(crate) fn permit(
    store: &mut Store,
    ctx: &Context,
    action: Action,
    command: &[&str],
) -> Result<Actor, AppError> {
    let permitted = permitted(store, ctx, action, None, None)?;
    permitted.map_err(|lack| not_allowed(ctx, action, lack, command))
}

/// The actor to record for an action. User input before `since` does not count.
pub(crate) fn permitted(
    store: &mut Store,
    ctx: &Context,
    action: Action,
    since: Option<Timestamp>,
    run: Option<&RunId>,
) -> Result<Result<Actor, MissingAuthority>, AppError> {
    let facts = caller_facts(ctx);
    let caller = match &facts {
        CallerFacts::Person => Caller::Person,
        CallerFacts::Agent { session, is_nested } => {
            let input = last_input(store, session.as_ref(), *is_nested)?;
            Caller::Agent {
                heard: is_heard(input, since),
            }
        }
        CallerFacts::Program => Caller::Program {
            on_agents_run: is_held_by_agent(store, run)?,
        },
    };
    Ok(match (right(action, caller), facts) {
        (Right::Refused(lack), _) => Err(lack),
        (
            Right::Relayed,
            CallerFacts::Agent {
                session: Some(agent), ..
            },
        ) => Ok(Actor::Relay {
            agent,
            user: ctx.user.clone(),
        }),
        (Right::Own | Right::Relayed, _) => Ok(ctx.actor.clone()),
    })
}

/// Whether an agent's session holds a run.
fn is_held_by_agent(store: &mut Store, run: Option<&RunId>) -> Result<bool, AppError> {
    let Some(run) = run else { return Ok(false) };
    let row = store.run(run)?;
    Ok(row.is_some_and(|row| row.session.is_some()))
}

/// Refuses an action that the caller may not perform. Opens the store only for an agent, to read when its user last
/// typed something.
pub fn permit_at(ctx: &Context, action: Action, command: &[&str]) -> Result<(), AppError> {
    let caller = match caller_facts(ctx) {
        CallerFacts::Person => Caller::Person,
        CallerFacts::Agent { .. } => {
            let mut app = App::open(ctx.clone())?;
            return permit(&mut app.store, ctx, action, command).map(drop);
        }
        CallerFacts::Program => Caller::Program { on_agents_run: false },
    };
    match right(action, caller) {
        Right::Own | Right::Relayed => Ok(()),
        Right::Refused(lack) => Err(not_allowed(ctx, action, lack, command)),
    }
}

fn not_allowed(ctx: &Context, action: Action, lack: MissingAuthority, command: &[&str]) -> AppError {
    AppError::Refused(Box::new(Refused::new(RefusalReason::NotAllowed {
        action,
        lack,
        command: ctx.command_here(command),
    })))
}
