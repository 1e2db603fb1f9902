//! One tick of the supervisor: `bugle_core` decides the next action for each agent, and this module executes it.

use std::process::Child;
use std::time::Duration;

use bugle_client::Client;
use bugle_core::agent::{
    CostlyFact, Delivery, ProcessState, Signal, Situation, SupervisorAction, decisive_fact, next_action,
};
use bugle_core::id::Timestamp;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, MailRange, ProcessId, ProjectId, Store, SupervisedRow};

use super::control::Redelivery;
use super::notices::{Afterwards, ClientExit, OpenWork};
use super::prompt::{agent_context, is_open_elsewhere, make_prompt, recover};
use super::{control, limits, notices, runner};
use crate::supervisor_process::process::{self, GroupSignal, signal_group, wait_until_gone};
use crate::wakeup::ShortClock;
use crate::{AppError, Context, agents, messages};

/// Maximum number of runners that Bugle starts for a prompt before it abandons the delivery.
pub const MAX_RUNNER_STARTS: u32 = 3;
/// Maximum time for an agent to stop its turn when the supervisor shuts down.
const PATIENCE: Duration = Duration::from_secs(10);

/// An agent that has a process or needs one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisedAgent {
    /// The agent's project.
    pub project: ProjectId,
    /// The agent's address.
    pub agent: AgentAddress,
    /// The agent's folder.
    pub directory: String,
    /// The agent's process, if there is one.
    pub process: Option<ProcessId>,
}

impl SupervisedAgent {
    fn of(row: &AgentRow) -> Self {
        Self {
            project: row.project.clone(),
            agent: row.address.clone(),
            directory: row.directory.clone(),
            process: row.process,
        }
    }
}

/// The result of one tick.
#[derive(Debug, Default)]
pub struct Tick {
    /// Agents that need a runner.
    pub to_start: Vec<SupervisedAgent>,
    /// Agents with a running process.
    pub running: Vec<SupervisedAgent>,
    /// The latest time for the next tick.
    pub next: Option<Timestamp>,
    /// Whether an agent changed in a way that may need another action. If so, the next tick should follow at once.
    pub moved: bool,
    /// Log lines for the user.
    pub notes: Vec<String>,
}

/// The store's data version, which changes after every commit by another connection.
pub fn data_version(store: &mut Store) -> Result<i64, AppError> {
    Ok(store.data_version()?)
}

/// Takes the next action for every agent that has a process, unread messages or an open delivery.
///
/// Reads every agent once, together with its delivery. Each write reads both again inside its own transaction, because
/// another process may have changed them in the meantime.
pub fn supervise(store: &mut Store, ctx: &Context, clock: ShortClock<'_>) -> Result<Tick, AppError> {
    let mut tick = Tick::default();
    for supervised in store.supervised_agents()? {
        // An error in one agent must not affect the others.
        if let Err(error) = act(store, ctx, &supervised, clock, &mut tick) {
            let agent = &supervised.agent.address;
            let text = format!("Cannot supervise @{agent}: {error}.");
            let person = AgentAddress::human(&agent.home());
            messages::notify_user(store, ctx, &supervised.agent.project, &person, &text, Some(&text))?;
            tick.notes.push(text);
        }
    }
    Ok(tick)
}

/// Takes the next action for an agent.
fn act(
    store: &mut Store,
    ctx: &Context,
    supervised: &SupervisedRow,
    clock: ShortClock<'_>,
    tick: &mut Tick,
) -> Result<(), AppError> {
    let row = &supervised.agent;
    let agent = &row.address;
    let (seen, work) = situation(store, supervised)?;
    match next_action(&seen, ctx.now()) {
        SupervisorAction::Nothing => {
            if seen.process == ProcessState::Alive {
                tick.running.push(SupervisedAgent::of(row));
            }
        }
        SupervisorAction::RecoverAt(due) => {
            tick.next = Some(tick.next.map_or(due, |next| next.min(due)));
        }
        SupervisorAction::Deliver => tick.to_start.push(SupervisedAgent::of(row)),
        SupervisorAction::RecordDeath => {
            record_death(store, ctx, row)?;
            tick.notes.push(format!("@{agent}: process died"));
            tick.moved = true;
        }
        SupervisorAction::Wake => {
            if !is_at_limit(store, ctx, row)?
                && make_prompt(store, ctx, row, supervised.delivery.clone(), None, clock)?
            {
                tick.notes.push(format!("@{agent}: woken"));
                tick.to_start.push(SupervisedAgent::of(row));
            }
        }
        SupervisorAction::ReportEnd => {
            notices::report(store, ctx, supervised, work, Afterwards::Nothing)?;
            tick.moved = true;
        }
        SupervisorAction::Recover if is_at_limit(store, ctx, row)? => {
            notices::report(store, ctx, supervised, work, Afterwards::Nothing)?;
            tick.moved = true;
        }
        SupervisorAction::Recover => {
            notices::report(store, ctx, supervised, work, Afterwards::Recovered)?;
            let recoveries = row.recoveries.saturating_add(1);
            if recover(store, ctx, row, supervised.delivery.clone(), recoveries, clock)? {
                tick.notes.push(format!("@{agent}: restarted"));
                tick.to_start.push(SupervisedAgent::of(row));
            }
        }
        SupervisorAction::AbandonRecovery => {
            notices::report(store, ctx, supervised, work, Afterwards::RecoveryAbandoned)?;
            tick.notes
                .push(format!("@{agent}: crashed too often, not restarted"));
            tick.moved = true;
        }
    }
    Ok(())
}

/// Whether a limit prevents an agent's next turn.
fn is_at_limit(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<bool, AppError> {
    let reached = limits::limit_of(store, &agent_context(ctx, row), row)?;
    Ok(reached.is_some())
}

/// The facts that decide an agent's next action. Also returns the agent's open work, if the facts depend on it.
fn situation(
    store: &mut Store,
    supervised: &SupervisedRow,
) -> Result<(Situation, Option<OpenWork>), AppError> {
    let (row, delivery) = (&supervised.agent, supervised.delivery.as_ref());
    // Messages that were part of a prompt cause no further prompt, even if that prompt was not delivered.
    let prompted = delivery
        .and_then(|delivery| delivery.mail)
        .map_or(0, |mail| mail.up_to);
    let mut seen = Situation {
        state: row.state,
        delivery: delivery.map(|delivery| delivery.state),
        process: row.process.map_or(ProcessState::None, process::state),
        is_called: supervised.called_at.is_some_and(|last| last > prompted),
        is_open_elsewhere: false,
        can_be_resumed: row.client.as_deref().and_then(Client::named).is_some()
            && (row.session.is_some() || delivery.is_some()),
        has_open_work: row.task.is_some(),
        recoveries: row.recoveries,
        since: delivery.map_or(row.changed_at, |delivery| delivery.changed_at),
    };
    let mut work = None;
    match decisive_fact(&seen) {
        Some(CostlyFact::IsOpenElsewhere) => seen.is_open_elsewhere = is_open_elsewhere(store, row)?,
        Some(CostlyFact::HasOpenWork) if !seen.has_open_work => {
            let found = notices::open_work(store, row)?;
            seen.has_open_work = !found.is_empty();
            work = Some(found);
        }
        Some(CostlyFact::HasOpenWork) | None => {}
    }
    Ok((seen, work))
}

/// Records that an agent's process died, and kills the rest of its process group.
fn record_death(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<(), AppError> {
    let Some(process) = row.process else {
        return Ok(());
    };
    signal_group(process, GroupSignal::Kill);
    runner::record_death(store, ctx, &row.project, &row.address, process)
}

/// Starts the runner that delivers an agent's prompt.
pub fn start_runner(ctx: &Context, watched: &SupervisedAgent) -> Result<Child, AppError> {
    process::start_runner(ctx, &watched.project, &watched.agent, &watched.directory)
}

/// Abandons a delivery that no runner claimed: its messages become unread again, and the user is notified.
pub fn abandon_delivery(
    store: &mut Store,
    ctx: &Context,
    watched: &SupervisedAgent,
    why: &str,
) -> Result<(), AppError> {
    let (project, agent) = (&watched.project, &watched.agent);
    let now = ctx.now();
    let row = store.transaction(|tx| {
        let Some((mut row, mut delivery)) = agents::agent_with_delivery(tx, project, agent)? else {
            return Ok(None);
        };
        if delivery.state != Delivery::Taken {
            return Ok(None);
        }
        row.state = row.state.after(Signal::RecoveryAbandoned);
        row.changed_at = now;
        tx.keep_agent(&row)?;
        delivery.state = Delivery::Failed;
        delivery.changed_at = now;
        if let Some(mail) = delivery.mail {
            // Only messages that arrive from now on cause another attempt.
            let last = tx.mark_unread(project, agent, mail)?;
            delivery.mail = Some(MailRange::empty(last));
        }
        tx.keep_delivery(&delivery)?;
        Ok::<_, AppError>(Some(row))
    })?;
    let Some(row) = row else { return Ok(()) };
    let exit = ClientExit {
        error: Some(why.to_owned()),
        ..ClientExit::default()
    };
    notices::report_failed_start(store, ctx, &row, &exit)
}

/// Waits until a process has ended.
pub fn wait_for(process: ProcessId) {
    wait_until_gone(process, None);
}

/// Waits until a child process has ended. Does not reap the process.
pub fn wait_for_child(pid: u32) {
    wait_until_gone(process::process_with_pid(pid), None);
}

/// Stops an agent's turn because the supervisor is shutting down. Kills the process if the turn does not stop in time.
pub fn stop_with_supervisor(
    store: &mut Store,
    ctx: &Context,
    watched: &SupervisedAgent,
) -> Result<(), AppError> {
    let Some(row) = store.agent(&watched.project, &watched.agent)? else {
        return Ok(());
    };
    let Some(process) = row.process else {
        return Ok(());
    };
    if control::stop_turn(store, ctx, &row, process, Redelivery::AtOnce).is_ok() {
        return Ok(());
    }
    signal_group(process, GroupSignal::Kill);
    wait_until_gone(process, Some(PATIENCE));
    runner::record_death(store, ctx, &watched.project, &watched.agent, process)
}
