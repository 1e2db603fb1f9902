//! What follows when a client tells of its agent's doings. A hook reads, seldom writes, and never fails the client: what
//! goes wrong is an error here, and the door through which the client comes logs it and says nothing.

mod input;
mod log;
mod mirror;
mod standing;
mod status;
mod stop;
mod subagent;
mod tool;

use bugle_core::engine::{Command, Status};
use bugle_core::hook::{SessionMemory, Surroundings};
use bugle_core::id::SessionId;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{Durability, RunRow, SessionRow, SessionStore as _, StoreError};
use bugle_wire::hook::{HookAnswer, HookCall, HookEvent};
use bugle_wire::setup::Client;

pub use log::log_fault;
pub(crate) use log::log_file;

use crate::wake::{ShortClock, WakeRequest};
use crate::{App, AppError, Place};

/// Says an answer to the client.
pub(crate) type SayAnswer<'a> = &'a mut dyn FnMut(&HookAnswer) -> Result<(), AppError>;

/// How the answer to a hook is said: once. One that tells of messages is said in the transaction that marks them as read,
/// because whoever dies in between would have them told to nobody.
struct Voice<'a> {
    clock: ShortClock<'a>,
    say: SayAnswer<'a>,
    has_spoken: bool,
}

/// Under what the one is remembered whom a call is about: a sub-agent, else the main thread of the session.
fn own_session(call: &HookCall, session: &SessionId) -> SessionId {
    match &call.agent {
        Some(agent) => SessionId(format!("{}/{agent}", session.0)),
        None => session.clone(),
    }
}

/// How much a client takes at one hook.
fn budget(client: Client) -> Budget {
    match client {
        Client::Claude => Budget::CLAUDE,
        Client::Codex => Budget::CODEX,
        Client::Gemini | Client::Opencode => Budget::PROMPT,
    }
}

/// Starts the upgrade of an older store in a process of its own: it copies the whole store first, and no client waits
/// for that. The hook says nothing; the next one finds the store upgraded. If it cannot be started, the next command
/// upgrades.
fn upgrade_in_background(place: &Place) {
    use std::process::{Command, Stdio};
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .args(["store", "migrate"])
        .env("BUGLE_HOME", &place.bugle_home)
        .current_dir(&place.bugle_home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let _ = command.spawn();
}

impl App {
    /// Opens the store for a hook; nothing if there is none: a client must not find files that nobody asked for.
    pub fn open_for_hook(place: Place) -> Result<Option<Self>, AppError> {
        let file = place.database();
        if !file.exists() {
            return Ok(None);
        }
        match bugle_store::open_for_hook(&file, Durability::Full) {
            Ok(store) => Ok(Some(Self { place, store })),
            Err(error @ StoreError::Older { .. }) => {
                upgrade_in_background(&place);
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Answers a client.
    pub fn hook(
        &mut self,
        call: &HookCall,
        clock: ShortClock<'_>,
        say: SayAnswer<'_>,
    ) -> Result<(), AppError> {
        let mut voice = Voice {
            clock,
            say,
            has_spoken: false,
        };
        let answer = self.answer_to(call, &mut voice)?;
        if voice.has_spoken {
            return Ok(());
        }
        (voice.say)(&answer)
    }

    /// What a client is answered, whether it has been said already or not.
    fn answer_to(&mut self, call: &HookCall, voice: &mut Voice<'_>) -> Result<HookAnswer, AppError> {
        let nothing = HookAnswer::default();
        let Some(session) = self.place.session.clone() else {
            return Ok(nothing);
        };
        if call.event == HookEvent::PreToolUse {
            return self.before_tool(call, &session);
        }
        // Where nobody works with Bugle, it is not there.
        if !self.is_worked_in(call)? {
            return Ok(nothing);
        }
        // A sub-agent shares the session, and is compacted by itself: the main thread has forgotten nothing then.
        let own = own_session(call, &session);
        let answer = match call.event {
            HookEvent::SessionStart if call.agent.is_some() => self.subagent_wakes(call, &session, &own),
            HookEvent::SessionStart => self.session_begins(call, &session, voice),
            HookEvent::UserPromptSubmit => self.spoken_to(call, &session, voice),
            HookEvent::PreToolUse => Ok(nothing),
            HookEvent::PostToolUse => self.after_tool(call, &session, voice),
            HookEvent::SubagentStart => self.subagent_begins(call, &session),
            HookEvent::SubagentStop => self.subagent_stops(call, &session),
            HookEvent::PreCompact => self.remember(call, &own, SessionMemory::compaction_begins),
            HookEvent::PostCompact => self.remember(call, &own, SessionMemory::compaction_ends),
            HookEvent::Stop => self.stops(call, &session, voice),
            HookEvent::SessionEnd => self.session_ends(call, &session),
        }?;
        self.note_end(call, &session, &answer)?;
        Ok(answer)
    }

    /// Whether this is a place of which Bugle is to know. It comes to know one only when somebody begins there.
    fn is_worked_in(&mut self, call: &HookCall) -> Result<bool, AppError> {
        let is_known = self.project()?.is_some();
        let begins = matches!(call.event, HookEvent::SessionStart | HookEvent::UserPromptSubmit);
        if is_known || !begins || call.agent.is_some() {
            return Ok(is_known);
        }
        let around = Surroundings {
            is_known,
            is_repository: self.place.is_repository(),
            has_traces: crate::setup::has_traces(&self.place),
        };
        Ok(around.are_worked_in())
    }

    /// The session as it is known, or as it is when it is first heard of.
    fn session_row(&mut self, call: &HookCall, id: &SessionId) -> Result<SessionRow, AppError> {
        let known = self.store.session(id)?;
        let directory = self.place.root.to_string_lossy().into_owned();
        Ok(match known {
            Some(row) => SessionRow {
                directory,
                ended: None,
                seen_at: crate::now(),
                ..row
            },
            None => SessionRow {
                id: id.clone(),
                client: call.client.as_str().to_owned(),
                directory,
                ended: None,
                memory: SessionMemory::default(),
                seen_at: crate::now(),
            },
        })
    }

    fn remember(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        change: impl Fn(&mut SessionMemory),
    ) -> Result<HookAnswer, AppError> {
        let mut row = self.session_row(call, session)?;
        change(&mut row.memory);
        self.store.keep_session(&row)?;
        Ok(HookAnswer::default())
    }

    fn session_begins(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        voice: &mut Voice<'_>,
    ) -> Result<HookAnswer, AppError> {
        let mut row = self.session_row(call, session)?;
        let reason = match call.cause.as_deref() {
            Some("resume" | "fork") => WakeReason::Resume,
            Some("clear") => WakeReason::Clear,
            Some("compact") => WakeReason::Compact,
            _ => WakeReason::Startup,
        };
        if reason == WakeReason::Clear {
            // The client gives an emptied session a new id; its work goes on in it.
            let before = self.store.ended_session(&row.client, &row.directory, "clear")?;
            if let Some(before) = before.filter(|before| before != session) {
                // It is the same agent, and what it holds is held under its names.
                self.agent_of(&before, Some(call.client.as_str()))?;
                self.store.hand_over(&before, session)?;
            }
        }
        self.store.keep_session(&row)?;
        self.note_beginning(call, session)?;
        let text = self.told_at_hook(call, reason, None, voice)?;
        if reason == WakeReason::Compact {
            row.memory.woken();
            self.store.keep_session(&row)?;
        }
        Ok(HookAnswer {
            context: text,
            ..HookAnswer::default()
        })
    }

    fn session_ends(&mut self, call: &HookCall, session: &SessionId) -> Result<HookAnswer, AppError> {
        let mut row = self.session_row(call, session)?;
        row.ended = Some(call.cause.clone().unwrap_or_else(|| "other".to_owned()));
        self.store.keep_session(&row)?;
        Ok(HookAnswer::default())
    }

    /// Somebody spoke to the agent: it is told what it has not read, and all it needs if a compaction went by unseen.
    fn spoken_to(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        voice: &mut Voice<'_>,
    ) -> Result<HookAnswer, AppError> {
        let missed = if call.agent.is_some() {
            self.subagent_missed(call, session)?
        } else {
            self.note_beginning(call, session)?;
            if self.is_typed(call, session)? {
                self.user_spoke_to(call, session)?;
            }
            self.take_up(session)?;
            self.missed(call, session, None, voice)?
        };
        Ok(HookAnswer {
            context: missed,
            ..HookAnswer::default()
        })
    }

    /// A person speaks to an agent that was let go in the middle of a step: it has the step again.
    fn take_up(&mut self, session: &SessionId) -> Result<(), AppError> {
        for row in self.store.main_runs(session)? {
            if row.status == Status::Waiting && self.state_of(&row.id)?.is_let_go() {
                self.change(&row.id, |_| Command::Resume)?;
            }
        }
        Ok(())
    }

    /// What the main thread of a session has missed, behind what else it is told: all it needs if a compaction went by
    /// without a wake-up, else what others have said to it.
    fn missed(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        before: Option<String>,
        voice: &mut Voice<'_>,
    ) -> Result<Option<String>, AppError> {
        let known = self.store.session(session)?;
        if let Some(mut row) = known.filter(|row| row.memory.unwoken) {
            let text = self.told_at_hook(call, WakeReason::Compact, before, voice)?;
            row.memory.woken();
            self.store.keep_session(&row)?;
            return Ok(text);
        }
        if self.has_unread()? {
            return self.told_at_hook(call, WakeReason::Mention, before, voice);
        }
        Ok(before)
    }

    /// The wake-up for the main thread of this session, behind what else it is told; nothing if there is nothing to say.
    /// Both fit into what the client takes: what a wake-up tells counts as read.
    fn told_at_hook(
        &mut self,
        call: &HookCall,
        reason: WakeReason,
        before: Option<String>,
        voice: &mut Voice<'_>,
    ) -> Result<Option<String>, AppError> {
        let before = before.map_or(String::new(), |before| format!("{before}\n\n"));
        let budget = budget(call.client);
        let request = WakeRequest {
            agent: None,
            reason,
            budget: Budget {
                limit: budget.limit.saturating_sub(budget.unit.measure(&before)),
                ..budget
            },
            message: None,
            replaces: None,
            only_look: false,
        };
        let Voice {
            clock,
            say,
            has_spoken,
        } = voice;
        let view = self.wake_saying(&request, *clock, &mut |view| {
            let text = Some(format!("{before}{}", view.text));
            *has_spoken = true;
            say(&match call.event {
                HookEvent::Stop => HookAnswer {
                    go_on: text,
                    ..HookAnswer::default()
                },
                _ => HookAnswer {
                    context: text,
                    ..HookAnswer::default()
                },
            })
        })?;
        let text = format!("{before}{}", view.text);
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// The latest run that the main thread of a session works on.
    fn main_run(&mut self, session: &SessionId) -> Result<Option<RunRow>, AppError> {
        Ok(self.store.main_runs(session)?.into_iter().next())
    }

    /// The runs that the agent of a call works on, the latest first: a sub-agent's own, else those of the main thread.
    fn runs_of_call(&mut self, call: &HookCall, session: &SessionId) -> Result<Vec<RunRow>, AppError> {
        Ok(match &call.agent {
            Some(agent) => self.store.subagent_runs(session, agent)?,
            None => self.store.main_runs(session)?,
        })
    }
}
