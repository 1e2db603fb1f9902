//! Prompts for agents: composes them and stores them for delivery.

use bugle_core::agent::Delivery;
use bugle_core::message::AgentAddress;
use bugle_core::reply::PromptView;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::wake::agent_prompt;
use bugle_store::{AgentRow, DeliveryRow, Store};

use crate::wakeup::{PromptTarget, Replaced, ShortClock, WakeRequest};
use crate::{AppError, Context, wakeup};

/// Composes the prompt for an agent that begins its task in a new session.
pub(super) fn compose_prompt(ctx: &Context, row: &AgentRow) -> Result<String, AppError> {
    let home = row.address.home();
    let role_text = match row.role {
        Some(role) => Some(crate::roles::show_role(ctx, role.as_str())?.text),
        None => None,
    };
    let starter = row.started_by.clone();
    let starter = starter
        .unwrap_or_else(|| AgentAddress::human(&home))
        .seen_from(&home);
    let say = ctx.command(&["say", &format!("@{starter} ...")]);
    let ask = ctx.command(&["ask", &format!("@{starter} ...")]);
    Ok(agent_prompt(&PromptView {
        agent: row.address.seen_from(&home),
        project: home.project().to_owned(),
        role: row.role.map(|role| role.as_str().to_owned()),
        role_text,
        task: row.task.clone().unwrap_or_default(),
        starter,
        say,
        ask,
    }))
}

/// Whether an agent's session is open in a client that Bugle did not start.
pub(super) fn is_open_elsewhere(store: &mut Store, row: &AgentRow) -> Result<bool, AppError> {
    let Some(session) = &row.session else {
        return Ok(false);
    };
    let known = store.session(session)?;
    Ok(row.process.is_none() && known.is_some_and(|known| known.ended.is_none()))
}

/// Composes an agent's next prompt and stores it for delivery, with the settings of the previous prompt. Returns false
/// if the prompt would be empty.
pub(super) fn make_prompt(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    last: Option<DeliveryRow>,
    message: Option<String>,
    clock: ShortClock<'_>,
) -> Result<bool, AppError> {
    let delivery = next_delivery(ctx, row, last);
    // A client that never started has not received its task yet.
    let is_new = delivery.is_new_session;
    let target = PromptTarget {
        agent: row,
        delivery,
        recoveries: None,
        prompt: match row.task {
            Some(_) if is_new => Some(compose_prompt(ctx, row)?),
            _ => None,
        },
    };
    let request = WakeRequest {
        agent: Some(row.address.name().to_owned()),
        reason: if is_new {
            WakeReason::Startup
        } else {
            WakeReason::Mention
        },
        replaces: None,
        budget: Budget::PROMPT,
        message,
        dry_run: false,
    };
    wakeup::wake_as_prompt(store, &agent_context(ctx, row), &request, clock, &target)
}

/// An agent's next delivery. Uses the settings of the previous delivery, and the agent's session if there is one.
pub(super) fn next_delivery(ctx: &Context, row: &AgentRow, last: Option<DeliveryRow>) -> DeliveryRow {
    last.unwrap_or_else(|| DeliveryRow {
        project: row.project.clone(),
        agent: row.address.clone(),
        model: None,
        arguments: Vec::new(),
        wakeup: None,
        state: Delivery::Settled,
        is_new_session: row.session.is_none(),
        mail: None,
        changed_at: ctx.now(),
    })
}

/// An agent's context: its folder, session and identity.
pub(super) fn agent_context(ctx: &Context, row: &AgentRow) -> Context {
    let mut own = ctx.moved_to(std::path::Path::new(&row.directory));
    own.session.clone_from(&row.session);
    own.agent = Some(row.address.clone());
    if let Some(session) = &row.session {
        own.actor = bugle_core::id::Actor::Agent(session.clone());
    }
    own
}

/// Stores a prompt that restarts an agent in a new session, with a summary of the agent's unfinished work. Returns
/// false if the prompt would be empty.
pub(super) fn recover(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    last: Option<DeliveryRow>,
    recoveries: u32,
    clock: ShortClock<'_>,
) -> Result<bool, AppError> {
    let delivery = DeliveryRow {
        is_new_session: true,
        ..next_delivery(ctx, row, last)
    };
    let request = WakeRequest {
        agent: Some(row.address.name().to_owned()),
        reason: WakeReason::Event,
        replaces: Some(Replaced {
            agent: row.address.name().to_owned(),
            log: row.log.as_ref().map(std::path::PathBuf::from),
        }),
        budget: Budget::PROMPT,
        message: None,
        dry_run: false,
    };
    let target = PromptTarget {
        agent: row,
        delivery,
        recoveries: Some(recoveries),
        prompt: match row.task {
            Some(_) => Some(compose_prompt(ctx, row)?),
            None => None,
        },
    };
    wakeup::wake_as_prompt(store, &agent_context(ctx, row), &request, clock, &target)
}
