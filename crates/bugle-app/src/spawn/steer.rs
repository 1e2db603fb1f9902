//! Steering agents that Bugle started: a prompt out of turn, an interruption, an end.

use std::process::Child;
use std::time::Duration;

use bugle_core::agent::{AgentStatus, Contact, HandOver, Reaction, Signal};
use bugle_core::message::AgentAddress;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{AgentRow, AgentStore as _, LaunchRow, LaunchStore as _, ProcessId, TaskStore as _};

use super::carry::{Ended, both};
use super::log::client_of;
use super::process::{self, Request, ask_group, wait_until_gone};
use crate::agent::signalled;
use crate::wake::{HandingOver, ShortClock, WakeRequest};
use crate::{App, AppError};

/// How long a client may take to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(10);
/// What an exit code is when a process was killed.
const KILLED: i32 = -9;

/// When an agent whose turn was stopped gets what it never got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// With what is said to it next.
    WhenSpokenTo,
    /// As soon as somebody looks after it.
    AtOnce,
}

/// What became of a prompt.
#[derive(Debug)]
pub enum Prompted {
    /// The agent's client is being started with it by this process.
    Sent(AgentAddress, Child),
    /// The agent is in a turn, or its session is open elsewhere: it hears of it there.
    Said(AgentAddress),
}

impl App {
    /// Wakes an agent now, with something to do; if it is at work, it gets that at the end of its turn.
    pub fn prompt_agent(
        &mut self,
        name: &str,
        text: &str,
        clock: ShortClock<'_>,
    ) -> Result<Prompted, AppError> {
        if text.trim().is_empty() {
            return Err(AppError::Usage {
                what: "a prompt has more than spaces".to_owned(),
                hints: Vec::new(),
            });
        }
        let row = self.agent_called(name)?;
        let waits = row.standing.after(Signal::Contacted).reaction(Contact::Prompt) != Reaction::Wake;
        if waits || row.process.is_some() || self.is_open_elsewhere(&row)? {
            // Whoever steers agents without being one is the person.
            let (home, name) = match self.me(None) {
                Ok(me) => (me.home, None),
                Err(_) => (crate::message::home(&self.place), Some("human")),
            };
            self.say(&format!("@{} {text}", row.address.seen_from(&home)), name)?;
            return Ok(Prompted::Said(row.address));
        }
        client_of(&row)?;
        self.refuse_beyond_limit(&row)?;
        self.store.together(|store| {
            let now = store.agent(&row.project, &row.address)?;
            now.map_or(Ok(()), |now| signalled(store, now, Signal::Contacted).map(|_| ()))
        })?;
        self.make_prompt(&row, Some(text.to_owned()), clock)?;
        let carrier = process::start_carrier(&self.place, &row.project, &row.address, &row.directory)?;
        Ok(Prompted::Sent(row.address, carrier))
    }

    /// Starts an agent anew: a new session is told its task, what it left, and what the old one did last. That is for one
    /// that died, or whose session cannot be taken up again.
    pub fn recover_agent(&mut self, name: &str, clock: ShortClock<'_>) -> Result<Prompted, AppError> {
        let row = self.agent_called(name)?;
        if row.process.is_some() || self.is_open_elsewhere(&row)? {
            return Err(AppError::Usage {
                what: format!("@{} is at work, and not to be recovered", row.address),
                hints: Vec::new(),
            });
        }
        client_of(&row)?;
        self.refuse_beyond_limit(&row)?;
        self.recover(&row, 0, clock)?;
        let carrier = process::start_carrier(&self.place, &row.project, &row.address, &row.directory)?;
        Ok(Prompted::Sent(row.address, carrier))
    }

    pub(super) fn refuse_beyond_limit(&mut self, row: &AgentRow) -> Result<(), AppError> {
        match self.limit_of(row)? {
            None => Ok(()),
            Some(reached) => Err(self.beyond_limit(&format!("@{} is not started", row.address), &reached)),
        }
    }

    /// Waits until an agent has no process: a supervisor may have been quicker than whoever started it.
    pub fn wait_for_agent(&mut self, name: &str) -> Result<(), AppError> {
        while let Some(process) = self.agent_called(name)?.process {
            wait_until_gone(process, None);
            // Its carrier has written down how it ended, unless it was killed: then nobody will.
            if self.agent_called(name)?.process == Some(process) {
                break;
            }
        }
        Ok(())
    }

    /// Whoever started an agent has seen how it ended, and decides what becomes of it: nobody is told, and nobody starts
    /// it again. If it waits for an answer, that is said.
    pub fn saw_end(&mut self, name: &str) -> Result<Option<String>, AppError> {
        let row = self.agent_called(name)?;
        self.store.together(|store| {
            if let Some((_, mut launch)) = both(store, &row.project, &row.address)?
                && launch.state == HandOver::Exited
            {
                launch.state = HandOver::Settled;
                store.keep_launch(&launch)?;
            }
            Ok::<_, AppError>(())
        })?;
        let blocked = row.standing.status == AgentStatus::Blocked;
        Ok(blocked.then(|| {
            format!(
                "@{} has asked something and waits for the answer; `{}` shows what was said.",
                row.address.seen_from(&row.address.home()),
                self.place.command(&["channel"])
            )
        }))
    }

    /// Makes the next prompt of an agent out of all that it needs to go on; false if there is nothing to say.
    pub(super) fn make_prompt(
        &mut self,
        row: &AgentRow,
        message: Option<String>,
        clock: ShortClock<'_>,
    ) -> Result<bool, AppError> {
        let launch = self.next_launch(row)?;
        // A client that never began knows nothing of its task yet.
        let is_new = launch.is_new_session;
        let handing_over = HandingOver {
            launch,
            recoveries: None,
            errand: match row.task {
                Some(_) if is_new => Some(self.errand(row)?),
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
            only_look: false,
        };
        self.at_agent(row, |app| app.hand_over_wake(&request, clock, &handing_over))
    }

    /// How an agent's next prompt goes out: as its last one, in its session if it has one.
    pub(super) fn next_launch(&mut self, row: &AgentRow) -> Result<LaunchRow, AppError> {
        let known = self.store.launch(&row.project, &row.address)?;
        Ok(known.unwrap_or_else(|| LaunchRow {
            project: row.project.clone(),
            agent: row.address.clone(),
            model: None,
            arguments: Vec::new(),
            wakeup: None,
            state: HandOver::Settled,
            is_new_session: row.session.is_none(),
            told: None,
            changed_at: crate::now(),
        }))
    }

    /// Does something as if this were the agent, in its folder.
    pub(super) fn at_agent<T>(
        &mut self,
        row: &AgentRow,
        work: impl FnOnce(&mut Self) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let here = self.place.clone();
        let mut there = here.moved_to(std::path::Path::new(&row.directory));
        there.session.clone_from(&row.session);
        there.agent = Some(row.address.clone());
        if let Some(session) = &row.session {
            there.actor = bugle_core::id::Actor::Agent(session.clone());
        }
        self.place = there;
        let done = work(self);
        self.place = here;
        done
    }

    /// Stops the turn of an agent; its session can be taken up again.
    pub fn interrupt_agent(&mut self, name: &str) -> Result<AgentAddress, AppError> {
        self.stop_turn(name, Signal::Interrupted, Again::WhenSpokenTo)
    }

    pub(super) fn stop_turn(
        &mut self,
        name: &str,
        signal: Signal,
        again: Again,
    ) -> Result<AgentAddress, AppError> {
        let (row, process) = self.running(name)?;
        self.settle(&row, signal, again)?;
        ask_group(process, Request::Interrupt);
        if !wait_until_gone(process, Some(PATIENCE)) {
            return Err(AppError::System(format!(
                "@{} was asked to stop its turn and has not done so; `{}` ends its process",
                row.address,
                self.place
                    .command(&["kill", &row.address.seen_from(&row.address.home())])
            )));
        }
        Ok(row.address)
    }

    /// Ends the process of an agent and all that it started; what it did is kept.
    pub fn kill_agent(&mut self, name: &str, force: bool) -> Result<AgentAddress, AppError> {
        let (row, process) = self.running(name)?;
        self.settle(&row, Signal::Killed, Again::WhenSpokenTo)?;
        if !force {
            ask_group(process, Request::Terminate);
        }
        if force || !wait_until_gone(process, Some(PATIENCE)) {
            ask_group(process, Request::Kill);
            wait_until_gone(process, Some(PATIENCE));
        }
        // What the client left behind goes with it.
        ask_group(process, Request::Kill);
        // The carrier writes down how it ended, unless it was killed itself.
        let now = self.store.agent(&row.project, &row.address)?;
        if now.is_some_and(|now| now.process == Some(process)) {
            let ended = Ended {
                code: Some(KILLED),
                ..Ended::default()
            };
            self.process_over(&row.project, &row.address, &ended, true)?;
        }
        Ok(row.address)
    }

    fn running(&mut self, name: &str) -> Result<(AgentRow, ProcessId), AppError> {
        let row = self.agent_called(name)?;
        match row.process {
            Some(process) => Ok((row, process)),
            None => Err(AppError::NotFound {
                what: format!("@{} has no process that Bugle started", row.address),
                hints: Vec::new(),
            }),
        }
    }

    /// An agent is stopped on purpose: nobody is to report or recover that. What it never got is unread again.
    fn settle(&mut self, row: &AgentRow, signal: Signal, again: Again) -> Result<(), AppError> {
        let now = crate::now();
        self.store.together(|store| {
            let Some((row, mut launch)) = both(store, &row.project, &row.address)? else {
                return Ok(());
            };
            launch.state = match (launch.state, again) {
                (HandOver::Carried, Again::WhenSpokenTo) => HandOver::Stopped,
                (HandOver::Carried, Again::AtOnce) => HandOver::Suspended,
                _ => HandOver::Settled,
            };
            launch.changed_at = now;
            store.keep_launch(&launch)?;
            signalled(store, row, signal).map(|_| ())
        })
    }
}
