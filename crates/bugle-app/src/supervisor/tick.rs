//! One tick of the supervisor: the core decides the next action for each agent, and this module executes it.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::Duration;

use bugle_client::Client;
use bugle_core::agent::{Delivery, ProcessState, Signal, Situation, SupervisorAction, next_action};
use bugle_core::id::Timestamp;
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{AgentRow, DeliveryRow, MailRange, ProcessId, ProjectId, Store};

use super::control::Redelivery;
use super::notices::Afterwards;
use super::runner::ClientExit;
use crate::agents::apply_signal;
use crate::supervisor::{compose_prompt, control, is_open_elsewhere, limits, notices, runner};
use crate::supervisor_process::process::{self, GroupSignal, signal_group, wait_until_gone};
use crate::wakeup::{PromptTarget, Replaced, ShortClock, WakeRequest};
use crate::{AppError, Context, agents, messages, wakeup};

/// How many actions one agent gets in a tick.
const MAX_MOVES: usize = 4;
/// How often a runner is started for a prompt that no runner claims.
pub const MAX_RUNNER_STARTS: u32 = 3;
/// How long an agent may take to end when the supervisor ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// An agent with a process, or one that needs one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisedAgent {
    /// Its project.
    pub project: ProjectId,
    /// Its address.
    pub agent: AgentAddress,
    /// Its folder.
    pub directory: String,
    /// Its process, if it has one.
    pub process: Option<ProcessId>,
}

/// The result of one tick.
#[derive(Debug, Default)]
pub struct Tick {
    /// Agents that need a runner.
    pub to_start: Vec<SupervisedAgent>,
    /// Agents with a running process.
    pub running: Vec<SupervisedAgent>,
    /// When the next tick is due at the latest.
    pub next: Option<Timestamp>,
    /// Whether anything changed, so that another tick should follow at once.
    pub moved: bool,
    /// Log lines for the user.
    pub notes: Vec<String>,
}

/// A number that changes after every commit by another connection.
pub fn data_version(store: &mut Store) -> Result<i64, AppError> {
    Ok(store.data_version()?)
}

/// Supervises all agents that have a process, unread mail or an open delivery.
pub fn supervise(store: &mut Store, ctx: &Context, clock: ShortClock<'_>) -> Result<Tick, AppError> {
    let mut tick = Tick::default();
    let mut agents: BTreeMap<(String, String), (ProjectId, AgentAddress)> = BTreeMap::new();
    let mut add = |project: ProjectId, agent: AgentAddress| {
        agents.insert((project.0.clone(), agent.to_string()), (project, agent));
    };
    for row in store.agents_with_process()? {
        add(row.project, row.address);
    }
    for row in store.agents_to_wake()? {
        add(row.project, row.address);
    }
    for delivery in store.open_deliveries()? {
        add(delivery.project, delivery.agent);
    }
    for (project, agent) in agents.into_values() {
        // An error with one agent must not affect the others.
        if let Err(error) = supervise_agent(store, ctx, &project, &agent, clock, &mut tick) {
            let text = format!("@{agent} cannot be looked after: {error}.");
            let person = AgentAddress::human(&agent.home());
            messages::notify_user(store, ctx, &project, &person, &text, Some(&text))?;
            tick.notes.push(text);
        }
    }
    Ok(tick)
}

fn supervise_agent(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    agent: &AgentAddress,
    clock: ShortClock<'_>,
    tick: &mut Tick,
) -> Result<(), AppError> {
    for _ in 0..MAX_MOVES {
        let Some(row) = store.agent(project, agent)? else {
            return Ok(());
        };
        let delivery = store.delivery(project, agent)?;
        let seen = situation(store, &row, delivery.as_ref())?;
        let watched = || SupervisedAgent {
            project: project.clone(),
            agent: agent.clone(),
            directory: row.directory.clone(),
            process: row.process,
        };
        match next_action(&seen, crate::ids::now()) {
            SupervisorAction::Nothing => {
                if seen.process == ProcessState::Alive {
                    tick.running.push(watched());
                }
                return Ok(());
            }
            SupervisorAction::RecoverAt(due) => {
                tick.next = Some(tick.next.map_or(due, |next| next.min(due)));
                return Ok(());
            }
            SupervisorAction::Deliver => {
                tick.to_start.push(watched());
                return Ok(());
            }
            SupervisorAction::RecordDeath => {
                record_death(store, ctx, &row)?;
                tick.notes
                    .push(format!("@{agent}: its process died without a word"));
            }
            SupervisorAction::Wake => {
                if control::as_agent(store, ctx, &row, |store, ctx| limits::limit_of(store, ctx, &row))?
                    .is_some()
                    || !control::make_prompt(store, ctx, &row, None, clock)?
                {
                    return Ok(());
                }
                tick.notes.push(format!("@{agent}: woken"));
            }
            SupervisorAction::ReportEnd => notices::report(store, ctx, &row, Afterwards::Nothing)?,
            SupervisorAction::Recover
                if control::as_agent(store, ctx, &row, |store, ctx| limits::limit_of(store, ctx, &row))?
                    .is_some() =>
            {
                notices::report(store, ctx, &row, Afterwards::Nothing)?;
            }
            SupervisorAction::Recover => {
                notices::report(store, ctx, &row, Afterwards::Recovered)?;
                recover(store, ctx, &row, row.recoveries.saturating_add(1), clock)?;
                tick.notes.push(format!("@{agent}: started again"));
            }
            SupervisorAction::AbandonRecovery => {
                notices::report(store, ctx, &row, Afterwards::RecoveryAbandoned)?;
                store.transaction(|tx| {
                    let now = tx.agent(project, agent)?;
                    now.map_or(Ok(()), |now| {
                        apply_signal(tx, now, Signal::RecoveryAbandoned).map(|_| ())
                    })
                })?;
                tick.notes.push(format!("@{agent}: given up"));
            }
        }
        tick.moved = true;
    }
    Ok(())
}

fn situation(
    store: &mut Store,
    row: &AgentRow,
    delivery: Option<&DeliveryRow>,
) -> Result<Situation, AppError> {
    let unread = store.unread(&row.project, &row.address, 1)?;
    let last = unread
        .rows
        .last()
        .map_or(0, |last| last.place.saturating_add(unread.more));
    // Messages of a prompt cause no further prompt, even if it could not be delivered.
    let prompted = delivery
        .and_then(|delivery| delivery.mail)
        .map_or(0, |mail| mail.up_to);
    let is_called = last > prompted && store.last_wake_seq(&row.project, &row.address)?.is_some();
    Ok(Situation {
        state: row.state,
        delivery: delivery.map(|delivery| delivery.state),
        process: row.process.map_or(ProcessState::None, process::state),
        is_called,
        is_open_elsewhere: is_open_elsewhere(store, row)?,
        can_be_resumed: row.client.as_deref().and_then(Client::named).is_some()
            && (row.session.is_some() || delivery.is_some()),
        has_open_work: row.task.is_some() || notices::has_open_work(store, row)?,
        recoveries: row.recoveries,
        since: delivery.map_or(row.changed_at, |delivery| delivery.changed_at),
    })
}

/// Records the death of an agent's process and kills what is left of its group.
fn record_death(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<(), AppError> {
    let Some(process) = row.process else {
        return Ok(());
    };
    signal_group(process, GroupSignal::Kill);
    runner::record_death(store, ctx, &row.project, &row.address, process)
}

/// Prepares the restart of an agent in a new session, with a summary of its unfinished work.
pub(super) fn recover(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    recoveries: u32,
    clock: ShortClock<'_>,
) -> Result<(), AppError> {
    let delivery = DeliveryRow {
        is_new_session: true,
        ..control::next_delivery(store, row)?
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
    let handing_over = PromptTarget {
        delivery,
        recoveries: Some(recoveries),
        prompt: match row.task {
            Some(_) => Some(compose_prompt(ctx, row)?),
            None => None,
        },
    };
    control::as_agent(store, ctx, row, |store, ctx| {
        wakeup::wake_as_prompt(store, ctx, &request, clock, &handing_over)
    })
    .map(|_| ())
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
    let now = crate::ids::now();
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
            // Messages that arrived so far cause no further attempt, only later ones do.
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

/// Waits until a process is gone.
pub fn wait_for(process: ProcessId) {
    wait_until_gone(process, None);
}

/// Waits until a child process has ended, without reaping it.
pub fn wait_for_child(pid: u32) {
    wait_until_gone(process::process_with_pid(pid), None);
}

/// Stops the turn of an agent because the supervisor ends. Kills its process if it does not stop.
pub fn stop_with_supervisor(
    store: &mut Store,
    ctx: &Context,
    watched: &SupervisedAgent,
) -> Result<(), AppError> {
    let name = watched.agent.to_string();
    if control::stop_turn(store, ctx, &name, Signal::Interrupted, Redelivery::AtOnce).is_ok() {
        return Ok(());
    }
    let process = store
        .agent(&watched.project, &watched.agent)?
        .and_then(|row| row.process);
    if let Some(process) = process {
        signal_group(process, GroupSignal::Kill);
        wait_until_gone(process, Some(PATIENCE));
        runner::record_death(store, ctx, &watched.project, &watched.agent, process)?;
    }
    Ok(())
}
