//! Looking after all agents, once: what is to be done about each is decided in the core, and done here.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::Duration;

use bugle_core::agent::{HandOver, Move, ProcessState, Signal, Situation, next_move};
use bugle_core::id::Timestamp;
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{
    AgentRow, AgentStore as _, LaunchRow, LaunchStore as _, MessageStore as _, ProcessId, ProjectId,
    TaskStore as _,
};
use bugle_wire::setup::Client;

use super::carry::{Ended, both};
use super::process::{self, Request, ask_group, wait_until_gone};
use super::steer::Again;
use super::told::Afterwards;
use crate::agent::signalled;
use crate::wake::{HandingOver, Replaced, ShortClock, WakeRequest};
use crate::{App, AppError};

/// How many things are done about one agent before others have their turn.
const MOST_MOVES: usize = 4;
/// How often a carrier is started for one prompt that none of them takes.
pub const MOST_CARRIERS: u32 = 3;
/// How long an agent may take to end when the supervisor does.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process that the supervisor waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// Whose agent it is.
    pub project: ProjectId,
    /// The agent.
    pub agent: AgentAddress,
    /// Its folder.
    pub directory: String,
    /// The process; none before there is one.
    pub process: Option<ProcessId>,
}

/// What a look at all agents led to.
#[derive(Debug, Default)]
pub struct Pass {
    /// Those for whom a carrier is to be started.
    pub to_start: Vec<Watched>,
    /// Those whose process is running.
    pub running: Vec<Watched>,
    /// When to look again at the latest.
    pub next: Option<Timestamp>,
    /// Whether anything was changed, so that it is worth while to look once more at once.
    pub moved: bool,
    /// What was done and what went wrong, for people.
    pub notes: Vec<String>,
}

impl App {
    /// A number that is another one after somebody else has written into the store.
    pub fn changes(&mut self) -> Result<i64, AppError> {
        Ok(self.store.changes()?)
    }

    /// Looks at all agents that something may have to be done about, and does it.
    pub fn supervise(&mut self, clock: ShortClock<'_>) -> Result<Pass, AppError> {
        let mut pass = Pass::default();
        let mut agents: BTreeMap<(String, String), (ProjectId, AgentAddress)> = BTreeMap::new();
        let mut add = |project: ProjectId, agent: AgentAddress| {
            agents.insert((project.0.clone(), agent.to_string()), (project, agent));
        };
        for row in self.store.agents_with_process()? {
            add(row.project, row.address);
        }
        for row in self.store.agents_to_wake()? {
            add(row.project, row.address);
        }
        for launch in self.store.open_launches()? {
            add(launch.project, launch.agent);
        }
        for (project, agent) in agents.into_values() {
            // What is wrong with one agent must not keep the others from being looked after.
            if let Err(error) = self.look_after(&project, &agent, clock, &mut pass) {
                let text = format!("@{agent} cannot be looked after: {error}.");
                let person = AgentAddress::human(&agent.home());
                self.tell_person(&project, &person, &text, Some(&text))?;
                pass.notes.push(text);
            }
        }
        Ok(pass)
    }

    fn look_after(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        clock: ShortClock<'_>,
        pass: &mut Pass,
    ) -> Result<(), AppError> {
        for _ in 0..MOST_MOVES {
            let Some(row) = self.store.agent(project, agent)? else {
                return Ok(());
            };
            let launch = self.store.launch(project, agent)?;
            let seen = self.situation(&row, launch.as_ref())?;
            let watched = || Watched {
                project: project.clone(),
                agent: agent.clone(),
                directory: row.directory.clone(),
                process: row.process,
            };
            match next_move(&seen, crate::now()) {
                Move::Rest => {
                    if seen.process == ProcessState::Alive {
                        pass.running.push(watched());
                    }
                    return Ok(());
                }
                Move::RecoverAt(due) => {
                    pass.next = Some(pass.next.map_or(due, |next| next.min(due)));
                    return Ok(());
                }
                Move::Send => {
                    pass.to_start.push(watched());
                    return Ok(());
                }
                Move::Bury => {
                    self.bury(&row)?;
                    pass.notes
                        .push(format!("@{agent}: its process died without a word"));
                }
                Move::Wake => {
                    if self.at_agent(&row, |app| app.limit_of(&row))?.is_some()
                        || !self.make_prompt(&row, None, clock)?
                    {
                        return Ok(());
                    }
                    pass.notes.push(format!("@{agent}: woken"));
                }
                Move::Report => self.report(&row, Afterwards::Nothing)?,
                Move::Recover if self.at_agent(&row, |app| app.limit_of(&row))?.is_some() => {
                    self.report(&row, Afterwards::Nothing)?;
                }
                Move::Recover => {
                    self.report(&row, Afterwards::Recovered)?;
                    self.recover(&row, row.recoveries.saturating_add(1), clock)?;
                    pass.notes.push(format!("@{agent}: started again"));
                }
                Move::GiveUp => {
                    self.report(&row, Afterwards::GivenUp)?;
                    self.store.together(|store| {
                        let now = store.agent(project, agent)?;
                        now.map_or(Ok(()), |now| signalled(store, now, Signal::GivenUp).map(|_| ()))
                    })?;
                    pass.notes.push(format!("@{agent}: given up"));
                }
            }
            pass.moved = true;
        }
        Ok(())
    }

    fn situation(&mut self, row: &AgentRow, launch: Option<&LaunchRow>) -> Result<Situation, AppError> {
        let unread = self.store.unread(&row.project, &row.address, 1)?;
        let last = unread
            .rows
            .last()
            .map_or(0, |last| last.place.saturating_add(unread.more));
        // What a prompt told is not worth another one, also if it could not be sent.
        let told = launch.and_then(|launch| launch.told).map_or(0, |told| told.1);
        let is_called = last > told && self.store.called_at(&row.project, &row.address)?.is_some();
        Ok(Situation {
            standing: row.standing,
            hand_over: launch.map(|launch| launch.state),
            process: row.process.map_or(ProcessState::None, process::state),
            is_called,
            is_open_elsewhere: self.is_open_elsewhere(row)?,
            can_be_resumed: row.client.as_deref().and_then(Client::named).is_some()
                && (row.session.is_some() || launch.is_some()),
            has_open_work: row.task.is_some() || self.has_open_work(row)?,
            recoveries: row.recoveries,
            since: launch.map_or(row.changed_at, |launch| launch.changed_at),
        })
    }

    /// The process that carried a prompt is gone: what it started goes too, and its end is written down.
    fn bury(&mut self, row: &AgentRow) -> Result<(), AppError> {
        if let Some(process) = row.process {
            ask_group(process, Request::Kill);
        }
        let ended = Ended {
            code: Some(-9),
            ..Ended::default()
        };
        self.process_over(&row.project, &row.address, &ended, true)
    }

    /// An agent that died at work is told what it left, in a new session.
    pub(super) fn recover(
        &mut self,
        row: &AgentRow,
        recoveries: u32,
        clock: ShortClock<'_>,
    ) -> Result<(), AppError> {
        let launch = LaunchRow {
            is_new_session: true,
            ..self.next_launch(row)?
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
            only_look: false,
        };
        let handing_over = HandingOver {
            launch,
            recoveries: Some(recoveries),
            errand: match row.task {
                Some(_) => Some(self.errand(row)?),
                None => None,
            },
        };
        self.at_agent(row, |app| app.hand_over_wake(&request, clock, &handing_over))
            .map(|_| ())
    }

    /// Starts the process that carries an agent's prompt.
    pub fn start_carrier(&self, watched: &Watched) -> Result<Child, AppError> {
        process::start_carrier(&self.place, &watched.project, &watched.agent, &watched.directory)
    }

    /// No carrier took a prompt, however often one was started: what it tells is unread again, and the person is told.
    pub fn not_carried(&mut self, watched: &Watched, why: &str) -> Result<(), AppError> {
        let (project, agent) = (&watched.project, &watched.agent);
        let now = crate::now();
        let row = self.store.together(|store| {
            let Some((mut row, mut launch)) = both(store, project, agent)? else {
                return Ok(None);
            };
            if launch.state != HandOver::Taken {
                return Ok(None);
            }
            row.standing = row.standing.after(Signal::GivenUp);
            row.changed_at = now;
            store.keep_agent(&row)?;
            launch.state = HandOver::Failed;
            launch.changed_at = now;
            if let Some(told) = launch.told {
                // None of what it was told so far is worth another try: only what comes later is.
                let given = store.give_back(project, agent, told)?;
                launch.told = Some((given, given));
            }
            store.keep_launch(&launch)?;
            Ok::<_, AppError>(Some(row))
        })?;
        let Some(row) = row else { return Ok(()) };
        let ended = Ended {
            error: Some(why.to_owned()),
            ..Ended::default()
        };
        self.tell_failed_start(&row, &ended)
    }

    /// Waits until a process is gone.
    pub fn wait_for(process: ProcessId) {
        wait_until_gone(process, None);
    }

    /// Waits until a process that this one started has ended. It does not ask it for its exit code.
    pub fn wait_for_child(pid: u32) {
        wait_until_gone(process::with_number(pid), None);
    }

    /// Stops the turn of an agent because its supervisor ends, and ends its process if it does not.
    pub fn stop_with_supervisor(&mut self, watched: &Watched) -> Result<(), AppError> {
        let name = watched.agent.to_string();
        if self.stop_turn(&name, Signal::Interrupted, Again::AtOnce).is_ok() {
            return Ok(());
        }
        let process = self
            .store
            .agent(&watched.project, &watched.agent)?
            .and_then(|row| row.process);
        if let Some(process) = process {
            ask_group(process, Request::Kill);
            wait_until_gone(process, Some(PATIENCE));
            let ended = Ended {
                code: Some(-9),
                ..Ended::default()
            };
            self.process_over(&watched.project, &watched.agent, &ended, true)?;
        }
        Ok(())
    }
}
