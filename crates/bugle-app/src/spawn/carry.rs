//! What the process that carries a prompt writes down: that it has it, that the client has it, how the client ended.

use std::path::PathBuf;

use bugle_core::agent::{HandOver, Signal, Spent};
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_store::{
    AgentRow, AgentStore as _, LaunchRow, LaunchStore as _, MessageStore as _, ProjectId, SessionStore as _,
    SqliteStore, TaskStore as _,
};
use bugle_wire::setup::Client;
use bugle_wire::transcript::{Errand, Session, run_command};

use super::process;
use crate::wake::unpacked;
use crate::{App, AppError, folder};

/// A prompt that this process has to carry, and how.
#[derive(Debug)]
pub struct Carried {
    /// The client.
    pub client: Client,
    /// The words that start it; the first is its program.
    pub words: Vec<String>,
    /// The file with the prompt, for its standard input.
    pub prompt: PathBuf,
    /// The file to which is added what it prints.
    pub log: PathBuf,
    /// The folder that it works in.
    pub directory: PathBuf,
    /// The wake-up that the prompt is.
    pub wakeup: String,
}

/// How a client ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, or minus the signal's number; nothing if it could not be started.
    pub code: Option<i32>,
    /// What it used up.
    pub spent: Spent,
    /// The last that it complained of.
    pub error: Option<String>,
}

/// An agent and its prompt, as they are in this moment.
type Pair = (AgentRow, LaunchRow);

pub(super) fn both(
    store: &mut SqliteStore,
    project: &ProjectId,
    agent: &AgentAddress,
) -> Result<Option<Pair>, AppError> {
    let row = store.agent(project, agent)?;
    let launch = store.launch(project, agent)?;
    Ok(row.zip(launch))
}

impl App {
    /// This process takes an agent's prompt upon itself; nothing if there is none, or another process has it.
    fn carry(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<Option<Carried>, AppError> {
        let (high, low) = (crate::random()?, crate::random()?);
        let now = crate::now();
        let claimed = self.store.together(|store| {
            let Some((mut row, mut launch)) = both(store, project, agent)? else {
                return Ok(None);
            };
            if launch.state != HandOver::Taken || row.process.is_some() {
                return Ok(None);
            }
            let Some(client) = row.client.as_deref().and_then(Client::named) else {
                return Ok(None);
            };
            if launch.is_new_session && client.takes_session_id() {
                begin_session(store, &mut row, &SessionId(session_id(high, low)))?;
            }
            row.process = Some(process::this_process());
            row.standing = row.standing.after(Signal::ProcessStarted);
            row.spent.wakeups = row.spent.wakeups.saturating_add(1);
            row.changed_at = now;
            store.keep_agent(&row)?;
            launch.state = HandOver::Carried;
            launch.changed_at = now;
            store.keep_launch(&launch)?;
            Ok::<_, AppError>(Some((client, row, launch)))
        })?;
        let Some((client, row, launch)) = claimed else {
            return Ok(None);
        };
        match self.prepared(client, &row, &launch) {
            Ok(carried) => Ok(Some(carried)),
            Err(error) => {
                let ended = Ended {
                    error: Some(format!("cannot be started: {error}")),
                    ..Ended::default()
                };
                self.client_ended(project, agent, &ended)?;
                Ok(None)
            }
        }
    }

    /// Takes the prompt of an agent upon this process, has `run` run its client, and writes down how that ended. `run` is
    /// given what it calls once the client says its session.
    pub fn carry_named(
        &mut self,
        project: &str,
        agent: &str,
        run: impl FnOnce(&Carried, &mut dyn FnMut(&str) -> Result<(), AppError>) -> Result<Ended, AppError>,
    ) -> Result<(), AppError> {
        let project = ProjectId(project.to_owned());
        let agent: AgentAddress =
            agent
                .parse()
                .map_err(|bad: bugle_core::message::BadAddress| AppError::Usage {
                    what: bad.to_string(),
                    hints: Vec::new(),
                })?;
        let Some(carried) = self.carry(&project, &agent)? else {
            return Ok(());
        };
        let ended = run(&carried, &mut |session| {
            self.client_began(&project, &agent, session)
        });
        let ended = ended.unwrap_or_else(|error| Ended {
            error: Some(format!("cannot be looked after: {error}")),
            ..Ended::default()
        });
        self.client_ended(&project, &agent, &ended)
    }

    /// Puts the prompt where the client can read it, whatever becomes of this process.
    fn prepared(&mut self, client: Client, row: &AgentRow, launch: &LaunchRow) -> Result<Carried, AppError> {
        let lost = || AppError::System(format!("the prompt for @{} is not in the store", row.address));
        let wakeup = launch.wakeup.as_ref().ok_or_else(lost)?;
        let bytes = self.store.wakeup_content(wakeup)?.ok_or_else(lost)?;
        let text = unpacked(&bytes).ok_or_else(lost)?;
        let log = row
            .log
            .as_ref()
            .map_or_else(|| self.log_path(&row.project, &row.address), PathBuf::from);
        if let Some(parent) = log.parent() {
            folder::make_private(parent)?;
        }
        let prompt = log.with_extension("prompt");
        folder::write_whole(&prompt, text.as_bytes())?;
        let session = match (&row.session, launch.is_new_session) {
            (Some(session), false) => Session::Resumed(&session.0),
            (Some(session), true) if client.takes_session_id() => Session::NewAs(&session.0),
            _ => Session::New,
        };
        let errand = Errand {
            session,
            model: launch.model.as_deref(),
            arguments: &launch.arguments,
        };
        Ok(Carried {
            client,
            words: run_command(client, &errand),
            prompt,
            log,
            directory: PathBuf::from(&row.directory),
            wakeup: wakeup.to_string(),
        })
    }

    /// The agent that Bugle told the client around this that it is, if it is here.
    pub(crate) fn agent_told(&mut self) -> Result<Option<AgentRow>, AppError> {
        let Some(agent) = self.place.agent.clone() else {
            return Ok(None);
        };
        match self.project()? {
            Some(project) => Ok(self.store.agent(&project, &agent)?),
            None => Ok(None),
        }
    }

    /// The agent whose client was started and has not said its session yet, if this is a session of it: a client's hooks
    /// and commands may be quicker than its first line.
    pub(crate) fn agent_awaited(&mut self, session: &SessionId) -> Result<Option<AgentRow>, AppError> {
        let Some(told) = self.agent_told()? else {
            return Ok(None);
        };
        self.store.together(|store| {
            let Some((mut row, launch)) = both(store, &told.project, &told.address)? else {
                return Ok(None);
            };
            if launch.state != HandOver::Carried || !launch.is_new_session {
                return Ok(None);
            }
            begin_session(store, &mut row, session)?;
            store.keep_agent(&row)?;
            Ok(Some(row))
        })
    }

    /// The client has the prompt, in this session.
    fn client_began(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        session: &str,
    ) -> Result<(), AppError> {
        let session = SessionId(session.to_owned());
        let now = crate::now();
        self.store.together(|store| {
            let Some((mut row, mut launch)) = both(store, project, agent)? else {
                return Ok(());
            };
            begin_session(store, &mut row, &session)?;
            store.keep_agent(&row)?;
            if launch.state != launch.state.after_began() {
                launch.state = launch.state.after_began();
                launch.is_new_session = false;
                launch.changed_at = now;
                store.keep_launch(&launch)?;
            }
            Ok(())
        })
    }

    /// The client is over, or could not be started. What it never had is unread again, and the person is told.
    fn client_ended(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        ended: &Ended,
    ) -> Result<(), AppError> {
        let died = false;
        self.process_over(project, agent, ended, died)
    }

    /// An agent's process is over; if it died, nobody knows what it still did.
    pub(super) fn process_over(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        ended: &Ended,
        died: bool,
    ) -> Result<(), AppError> {
        let Some(row) = self.store.agent(project, agent)? else {
            return Ok(());
        };
        let open_work = self.has_open_work(&row)?;
        let now = crate::now();
        let failed = self.store.together(|store| {
            let Some((mut row, mut launch)) = both(store, project, agent)? else {
                return Ok(None);
            };
            let before = launch.state;
            launch.state = before.after_exit(died);
            launch.changed_at = now;
            row.process = None;
            row.exit_code = ended.code;
            row.spent.tokens = row.spent.tokens.saturating_add(ended.spent.tokens);
            row.spent.cost = row.spent.cost.saturating_add(ended.spent.cost);
            // Whoever stopped it has said how it stands.
            if !before.is_stopped() {
                row.standing = row.standing.after(match launch.state {
                    // Its prompt goes out once more.
                    HandOver::Taken => Signal::Interrupted,
                    state => Signal::ProcessExited {
                        clean: ended.code == Some(0) && state != HandOver::Failed,
                        open_work,
                    },
                });
            }
            row.changed_at = now;
            store.keep_agent(&row)?;
            end_session(store, &row)?;
            let failed = launch.state == HandOver::Failed && before == HandOver::Carried;
            if (failed || before.is_stopped())
                && let Some(told) = launch.told
            {
                // None of what it was told so far is worth another try: only what comes later is.
                let given = store.give_back(project, agent, told)?;
                launch.told = Some((given, given));
            }
            if before == HandOver::Suspended {
                launch.told = None;
            }
            store.keep_launch(&launch)?;
            Ok::<_, AppError>(failed.then_some(row))
        })?;
        if let Some(row) = failed {
            self.tell_failed_start(&row, ended)?;
        }
        Ok(())
    }
}

/// The agent works in this session from now on; what it had begun in another one goes on in it.
fn begin_session(store: &mut SqliteStore, row: &mut AgentRow, session: &SessionId) -> Result<(), AppError> {
    if row.session.as_ref() == Some(session) {
        return Ok(());
    }
    if let Some(before) = &row.session {
        store.hand_over(before, session)?;
    }
    row.session = Some(session.clone());
    Ok(())
}

/// The client that Bugle started is gone, whether it said so or not.
fn end_session(store: &mut SqliteStore, row: &AgentRow) -> Result<(), AppError> {
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

/// An id as clients make them up: 122 bits of chance in the usual form.
fn session_id(high: u64, low: u64) -> String {
    let (time, middle, version) = (high >> 32, (high >> 16) & 0xffff, (high & 0x0fff) | 0x4000);
    let (variant, node) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{time:08x}-{middle:04x}-{version:04x}-{variant:04x}-{node:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_has_the_usual_form() {
        assert_eq!(session_id(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(
            session_id(u64::MAX, u64::MAX),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
    }
}
