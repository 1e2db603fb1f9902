//! Controls agents that Bugle started: prompt, recover, interrupt and kill.

use std::process::Child;
use std::time::Duration;

use bugle_core::agent::{AgentStatus, Contact, Delivery, Reaction, Signal};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{AgentRow, ProcessId, Store};

use super::log_view::client_of;
use super::prompt::{is_open_elsewhere, make_prompt, recover};
use super::{limits, runner, take_over};
use crate::agents::apply_signal;
use crate::store_password::check_agents_can_sign_in;
use crate::supervisor_process::hosts::{host_of, require_here};
use crate::supervisor_process::process::{self, GroupSignal, signal_group, wait_until_gone};
use crate::wakeup::ShortClock;
use crate::{AppError, Context, addresses, agents, messages};

/// Maximum time for a client to exit after a signal.
const PATIENCE: Duration = Duration::from_secs(10);

/// When an agent receives the undelivered messages of a stopped turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redelivery {
    /// With its next message.
    WhenSpokenTo,
    /// As soon as a supervisor runs.
    AtOnce,
}

/// The outcome of a prompt.
#[derive(Debug)]
pub enum PromptOutcome {
    /// This process is starting the agent's client with the prompt.
    Started(AgentAddress, Child),
    /// The agent is busy or its session is open elsewhere, so the prompt was posted as a message.
    Queued(AgentAddress),
}

/// Prompts an agent now, or at the end of its current turn if it is busy.
pub fn prompt_agent(
    store: &mut Store,
    ctx: &Context,
    name: &str,
    text: &str,
    clock: ShortClock<'_>,
) -> Result<PromptOutcome, AppError> {
    if text.trim().is_empty() {
        return Err(AppError::Usage {
            what: "the prompt is empty".to_owned(),
            hints: Vec::new(),
        });
    }
    let row = agents::resolve_agent(store, ctx, name)?;
    let must_wait = row.state.after(Signal::Contacted).reaction(Contact::Prompt) != Reaction::Wake;
    let is_on_other_machine = host_of(store, &row)?.is_some();
    if must_wait || row.process.is_some() || is_on_other_machine || is_open_elsewhere(store, &row)? {
        let text = |home: &Home| format!("@{} {text}", row.address.seen_from(home));
        if let Ok(me) = agents::me(store, ctx, None) {
            messages::say(store, ctx, &text(&me.home), None)?;
        } else {
            // A prompt from a script counts as the user's.
            let home = addresses::home(ctx);
            messages::say_on(store, ctx, home.branch(), &text(&home))?;
        }
        return Ok(PromptOutcome::Queued(row.address));
    }
    client_of(&row)?;
    check_agents_can_sign_in(ctx)?;
    refuse_beyond_limit(store, ctx, &row)?;
    let last = store.transaction(|tx| {
        if let Some(now) = tx.agent(&row.project, &row.address)? {
            apply_signal(tx, ctx, now, Signal::Contacted)?;
        }
        Ok::<_, AppError>(tx.delivery(&row.project, &row.address)?)
    })?;
    make_prompt(store, ctx, &row, last, Some(text.to_owned()), clock)?;
    let runner = process::start_runner(ctx, &row.project, &row.address, &row.directory)?;
    Ok(PromptOutcome::Started(row.address, runner))
}

/// Restarts an agent in a new session with its task, its open work and the old session's last activity. For an agent
/// that died, or whose session cannot be resumed.
pub fn recover_agent(
    store: &mut Store,
    ctx: &Context,
    name: &str,
    clock: ShortClock<'_>,
) -> Result<PromptOutcome, AppError> {
    let mut row = agents::resolve_agent(store, ctx, name)?;
    if let Some(host) = host_of(store, &row)? {
        row = take_over::take_over(store, ctx, row, &host)?;
    }
    if row.process.is_some() || is_open_elsewhere(store, &row)? {
        return Err(AppError::Usage {
            what: format!(
                "cannot recover @{}: the agent is running, or its session is open in a client",
                row.address
            ),
            hints: vec!["Stop the agent or close the client, and run the same command again.".to_owned()],
        });
    }
    client_of(&row)?;
    check_agents_can_sign_in(ctx)?;
    refuse_beyond_limit(store, ctx, &row)?;
    let last = store.delivery(&row.project, &row.address)?;
    recover(store, ctx, &row, last, 0, clock)?;
    let runner = process::start_runner(ctx, &row.project, &row.address, &row.directory)?;
    Ok(PromptOutcome::Started(row.address, runner))
}

pub(super) fn refuse_beyond_limit(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<(), AppError> {
    match limits::limit_of(store, ctx, row)? {
        None => Ok(()),
        Some(reached) => Err(limits::beyond_limit(
            ctx,
            &format!("cannot start @{}", row.address),
            &reached,
        )),
    }
}

/// Waits until an agent has no process. Keeps waiting if a supervisor restarts the agent.
pub fn wait_for_agent(store: &mut Store, ctx: &Context, name: &str) -> Result<(), AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    let mut process = row.process;
    while let Some(running) = process {
        wait_until_gone(running, None);
        process = store
            .agent(&row.project, &row.address)?
            .and_then(|row| row.process);
        // The agent's runner records the exit, unless the runner was killed.
        if process == Some(running) {
            break;
        }
    }
    Ok(())
}

/// Records that the caller has seen how an agent ended, so that the supervisor neither reports nor restarts the agent.
/// Returns a notice if the agent is waiting for an answer.
pub fn acknowledge_end(store: &mut Store, ctx: &Context, name: &str) -> Result<Option<String>, AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    store.transaction(|tx| {
        if let Some((_, mut delivery)) = agents::agent_with_delivery(tx, &row.project, &row.address)?
            && delivery.state == Delivery::Exited
        {
            delivery.state = Delivery::Settled;
            tx.keep_delivery(&delivery)?;
        }
        Ok::<_, AppError>(())
    })?;
    let blocked = row.state.status == AgentStatus::Blocked;
    Ok(blocked.then(|| {
        format!(
            "@{} asked a question and is waiting for the answer. `{}` shows the question.",
            row.address.seen_from(&row.address.home()),
            ctx.command(&["message", "channel"])
        )
    }))
}

/// Stops an agent's turn. The session can be resumed.
pub fn interrupt_agent(store: &mut Store, ctx: &Context, name: &str) -> Result<AgentAddress, AppError> {
    let (row, process) = running(store, ctx, name)?;
    stop_turn(store, ctx, &row, process, Redelivery::WhenSpokenTo)?;
    Ok(row.address)
}

/// Stops an agent's turn by interrupting `process`, and waits until the process has ended.
pub(super) fn stop_turn(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    process: ProcessId,
    redelivery: Redelivery,
) -> Result<(), AppError> {
    settle(store, ctx, row, Signal::Interrupted, redelivery)?;
    signal_group(process, GroupSignal::Interrupt);
    if !wait_until_gone(process, Some(PATIENCE)) {
        return Err(AppError::System(format!(
            "@{} did not stop its turn in time; `{}` kills its process",
            row.address,
            ctx.command(&["agent", "kill", &row.address.seen_from(&row.address.home())])
        )));
    }
    Ok(())
}

/// Kills an agent's process group. Keeps the agent's log and work.
pub fn kill_agent(
    store: &mut Store,
    ctx: &Context,
    name: &str,
    force: bool,
) -> Result<AgentAddress, AppError> {
    let (row, process) = running(store, ctx, name)?;
    settle(store, ctx, &row, Signal::Killed, Redelivery::WhenSpokenTo)?;
    if !force {
        signal_group(process, GroupSignal::Terminate);
    }
    if force || !wait_until_gone(process, Some(PATIENCE)) {
        signal_group(process, GroupSignal::Kill);
        wait_until_gone(process, Some(PATIENCE));
    }
    // Also end the processes that the client left behind.
    signal_group(process, GroupSignal::Kill);
    // The runner records the exit, unless the runner was killed too.
    runner::record_death(store, ctx, &row.project, &row.address, process)?;
    Ok(row.address)
}

fn running(store: &mut Store, ctx: &Context, name: &str) -> Result<(AgentRow, ProcessId), AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    match row.process {
        Some(process) => Ok((row, process)),
        None => Err(AppError::NotFound {
            what: format!("@{} has no running process started by Bugle", row.address),
            hints: Vec::new(),
        }),
    }
}

/// Settles the delivery of an agent that was stopped on purpose, so that the supervisor neither reports nor restarts
/// the agent. Messages that the agent never received become unread again.
fn settle(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    signal: Signal,
    redelivery: Redelivery,
) -> Result<(), AppError> {
    let now = ctx.now();
    store.transaction(|tx| {
        let Some((row, mut delivery)) = agents::agent_with_delivery(tx, &row.project, &row.address)? else {
            return Ok(());
        };
        delivery.state = match (delivery.state, redelivery) {
            (Delivery::Carried, Redelivery::WhenSpokenTo) => Delivery::Stopped,
            (Delivery::Carried, Redelivery::AtOnce) => Delivery::Suspended,
            _ => Delivery::Settled,
        };
        delivery.changed_at = now;
        tx.keep_delivery(&delivery)?;
        apply_signal(tx, ctx, row, signal).map(|_| ())
    })
}
