//! Delivers a prompt: claims it for the process that runs the client, and records the client's start and end.

use std::path::PathBuf;

use bugle_client::Client;
use bugle_client::launch::{LaunchOptions, Session};
use bugle_core::agent::{Delivery, Signal};
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, DeliveryRow, MailRange, ProcessId, ProjectId, Store};

use super::log_file::log_path;
use super::notices::{self, ClientExit};
use crate::supervisor_process::process;
use crate::wakeup::decompress;
use crate::{AppError, Context, agents, fs_util};

/// The exit code of a killed process.
const KILLED: i32 = -9;

/// A prompt that this process has claimed, and how to start the client.
#[derive(Debug)]
pub struct ClaimedPrompt {
    /// The agent's project.
    pub project: ProjectId,
    /// The agent.
    pub agent: AgentAddress,
    /// The client.
    pub client: Client,
    /// The command line that starts the client.
    pub command: Vec<String>,
    /// Environment variables for the command.
    pub environment: Vec<(String, String)>,
    /// The file with the prompt, for the client's stdin.
    pub prompt: PathBuf,
    /// The log for the client's output.
    pub log: PathBuf,
    /// The client's working directory.
    pub directory: PathBuf,
    /// The wake-up that the prompt contains.
    pub wakeup: String,
}

/// Claims an agent's prompt for this process, which then runs the client and calls [`client_began`] and
/// [`client_ended`]. Returns `None` if there is no prompt or another process has claimed it.
pub fn claim_prompt(
    store: &mut Store,
    ctx: &Context,
    project: &str,
    agent: &str,
) -> Result<Option<ClaimedPrompt>, AppError> {
    let project = &ProjectId(project.to_owned());
    let agent: &AgentAddress =
        &agent
            .parse()
            .map_err(|bad: bugle_core::message::BadAddress| AppError::Usage {
                what: bad.to_string(),
                hints: Vec::new(),
            })?;
    let (high, low) = (ctx.random()?, ctx.random()?);
    let now = ctx.now();
    let claimed = store.transaction(|tx| {
        let Some((mut row, mut delivery)) = agents::agent_with_delivery(tx, project, agent)? else {
            return Ok(None);
        };
        if delivery.state != Delivery::Taken || row.process.is_some() || row.machine != *tx.machine() {
            return Ok(None);
        }
        let Some(client) = row.client.as_deref().and_then(Client::named) else {
            return Ok(None);
        };
        if delivery.is_new_session && client.takes_session_id() {
            agents::begin_session(tx, &mut row, &SessionId(session_id(high, low)))?;
        }
        row.process = Some(process::this_process());
        row.state = row.state.after(Signal::ProcessStarted);
        row.spent.wakeups = row.spent.wakeups.saturating_add(1);
        row.changed_at = now;
        tx.keep_agent(&row)?;
        delivery.state = Delivery::Carried;
        delivery.changed_at = now;
        tx.keep_delivery(&delivery)?;
        Ok::<_, AppError>(Some((client, row, delivery)))
    })?;
    let Some((client, row, delivery)) = claimed else {
        return Ok(None);
    };
    match prepare_client(store, ctx, client, &row, &delivery) {
        Ok(claimed) => Ok(Some(claimed)),
        Err(error) => {
            let exit = ClientExit {
                error: Some(error.to_string()),
                ..ClientExit::default()
            };
            record_exit(store, ctx, project, agent, &exit, None)?;
            Ok(None)
        }
    }
}

/// Writes the prompt to a file, so that the client can read it even if this process dies.
fn prepare_client(
    store: &mut Store,
    ctx: &Context,
    client: Client,
    row: &AgentRow,
    delivery: &DeliveryRow,
) -> Result<ClaimedPrompt, AppError> {
    let lost = || {
        AppError::System(format!(
            "the prompt for @{} is missing from the store",
            row.address
        ))
    };
    let wakeup = delivery.wakeup.as_ref().ok_or_else(lost)?;
    let bytes = store.wakeup_content(wakeup)?.ok_or_else(lost)?;
    let text = decompress(&bytes).ok_or_else(lost)?;
    let log = row
        .log
        .as_ref()
        .map_or_else(|| log_path(ctx, &row.project, &row.address), PathBuf::from);
    if let Some(parent) = log.parent() {
        fs_util::create_private_dir(parent)?;
    }
    // A client may reject access to a folder that does not exist.
    fs_util::create_private_dir(&ctx.bugle_home.join("work"))?;
    let prompt = log.with_extension("prompt");
    fs_util::write_atomic(&prompt, text.as_bytes())?;
    let session = match (&row.session, delivery.is_new_session) {
        (Some(session), false) => Session::Resumed(&session.0),
        (Some(session), true) if client.takes_session_id() => Session::NewWithId(&session.0),
        _ => Session::New,
    };
    let options = LaunchOptions {
        session,
        model: delivery.model.as_deref(),
        arguments: &delivery.arguments,
    };
    Ok(ClaimedPrompt {
        project: row.project.clone(),
        agent: row.address.clone(),
        client,
        command: client.run_command(&options),
        environment: client.run_environment(&options),
        prompt,
        log,
        directory: PathBuf::from(&row.directory),
        wakeup: wakeup.to_string(),
    })
}

/// Records that the client received the prompt in this session.
pub fn client_began(
    store: &mut Store,
    ctx: &Context,
    claimed: &ClaimedPrompt,
    session: &str,
) -> Result<(), AppError> {
    let session = SessionId(session.to_owned());
    let now = ctx.now();
    store.transaction(|tx| {
        let known = agents::agent_with_delivery(tx, &claimed.project, &claimed.agent)?;
        let Some((mut row, mut delivery)) = known.filter(|(row, _)| row.machine == *tx.machine()) else {
            return Ok(());
        };
        agents::begin_session(tx, &mut row, &session)?;
        tx.keep_agent(&row)?;
        if delivery.state != delivery.state.after_began() {
            delivery.state = delivery.state.after_began();
            delivery.is_new_session = false;
            delivery.changed_at = now;
            tx.keep_delivery(&delivery)?;
        }
        Ok(())
    })
}

/// Records that the client exited or could not be started.
pub fn client_ended(
    store: &mut Store,
    ctx: &Context,
    claimed: &ClaimedPrompt,
    exit: &ClientExit,
) -> Result<(), AppError> {
    record_exit(store, ctx, &claimed.project, &claimed.agent, exit, None)
}

/// Records that an agent's process died. Keeps an exit that the process recorded itself: the process may have exited
/// normally after its row was read.
pub(super) fn record_death(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    agent: &AgentAddress,
    process: ProcessId,
) -> Result<(), AppError> {
    let exit = ClientExit {
        code: Some(KILLED),
        ..ClientExit::default()
    };
    record_exit(store, ctx, project, agent, &exit, Some(process))
}

/// Records the end of an agent's process: updates the delivery, marks undelivered messages as unread, and reports a
/// failed start. `died` is set if the process ended without recording its exit.
fn record_exit(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    agent: &AgentAddress,
    exit: &ClientExit,
    died: Option<ProcessId>,
) -> Result<(), AppError> {
    let now = ctx.now();
    let failed = store.transaction(|tx| {
        let Some((mut row, mut delivery)) = agents::agent_with_delivery(tx, project, agent)? else {
            return Ok(None);
        };
        // Another machine has recovered the agent in the meantime, or another process has recorded the end.
        if row.machine != *tx.machine() || died.is_some() && row.process != died {
            return Ok(None);
        }
        let open_work = !notices::open_work(tx, &row)?.is_empty();
        let before = delivery.state;
        delivery.state = before.after_exit(died.is_some());
        delivery.changed_at = now;
        row.process = None;
        row.exit_code = exit.code;
        row.spent.tokens = row.spent.tokens.saturating_add(exit.spent.tokens);
        row.spent.cost = row.spent.cost.saturating_add(exit.spent.cost);
        // The state of an agent that was stopped on purpose is already set.
        if !before.is_stopped() {
            row.state = row.state.after(match delivery.state {
                // The prompt will be delivered again.
                Delivery::Taken => Signal::Interrupted,
                state => Signal::ProcessExited {
                    clean: exit.code == Some(0) && state != Delivery::Failed,
                    open_work,
                },
            });
        }
        row.changed_at = now;
        tx.keep_agent(&row)?;
        end_session(tx, &row)?;
        let failed = delivery.state == Delivery::Failed && before == Delivery::Carried;
        if (failed || before.is_stopped())
            && let Some(mail) = delivery.mail
        {
            // Only messages that arrive from now on cause another attempt.
            let last = tx.mark_unread(project, agent, mail)?;
            delivery.mail = Some(MailRange::empty(last));
        }
        if before == Delivery::Suspended {
            delivery.mail = None;
        }
        tx.keep_delivery(&delivery)?;
        Ok::<_, AppError>(failed.then_some(row))
    })?;
    if let Some(row) = failed {
        notices::report_failed_start(store, ctx, &row, exit)?;
    }
    Ok(())
}

/// Ends the agent's session, even if the client did not report the end.
fn end_session(store: &mut Store, row: &AgentRow) -> Result<(), AppError> {
    let known = match &row.session {
        Some(session) => store.session(session)?,
        None => None,
    };
    if let Some(mut known) = known.filter(|known| known.ended.is_none()) {
        known.ended = Some("exit".to_owned());
        store.keep_session(&known)?;
    }
    Ok(())
}

/// A random version 4 UUID, the format of clients' session ids.
fn session_id(high: u64, low: u64) -> String {
    let (time, middle, version) = (high >> 32, (high >> 16) & 0xffff, (high & 0x0fff) | 0x4000);
    let (variant, node) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{time:08x}-{middle:04x}-{version:04x}-{variant:04x}-{node:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_is_a_version_4_uuid() {
        assert_eq!(session_id(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(
            session_id(u64::MAX, u64::MAX),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
    }
}
