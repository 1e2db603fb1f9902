//! Sub-agents as hooks see them: which run's work one does, what it is told as it begins, and what follows when it returns.

use bugle_core::engine::ChildState;
use bugle_core::hook::{SessionMemory, child_started, tokens_named};
use bugle_core::id::{ChildToken, RunId, SessionId};
use bugle_render::hook as words;
use bugle_store::{RunRow, SessionStore as _, Store as _};
use bugle_wire::hook::{HookAnswer, HookCall};

use super::tool::calls_bugle;
use super::{budget, own_session};
use crate::run::{OpenRun, Reply};
use crate::{App, AppError};

/// How many words that look like a run are looked up in what a tool gave.
const MOST_NAMES: usize = 20;

/// Whether a kind of sub-agent is a role that Bugle exported; a plugin puts its own name before it.
fn is_exported_role(kind: &str) -> bool {
    kind.rsplit(':')
        .next()
        .is_some_and(|name| name.starts_with("bugle-"))
}

impl App {
    /// A sub-agent used a tool: if it began a run with it, that run is its own from now on. Says whether it did.
    pub(super) fn bind(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        agent: &str,
    ) -> Result<bool, AppError> {
        let place = self.place.clone();
        let program = |word: &str| calls_bugle(&place, word);
        let command = call.tool.command().unwrap_or_default();
        let by_tool = call.tool.name.starts_with("mcp__bugle__start");
        let child = child_started(&command, &program).or_else(|| {
            let child = call.tool.input.get("child").filter(|_| by_tool)?;
            child.as_str().map(str::to_owned)
        });
        let child = child.and_then(|token| token.parse::<ChildToken>().ok());
        let run = match child {
            Some(token) => {
                let parents = self.store.runs_by_prefix(token.parent.run.as_str())?;
                let Some(parent) = parents.first() else {
                    return Ok(false);
                };
                let children = self.store.children(&parent.id, token.parent.visit)?;
                let is_own = |child: &ChildToken| child.slot == token.slot;
                let own = children
                    .into_iter()
                    .find(|row| row.child.as_ref().is_some_and(is_own));
                own.map(|row| row.id)
            }
            None if by_tool || (command.contains("start") && command.contains("bugle")) => {
                self.run_begun_in(&call.tool.said(), &own_session(call, session))?
            }
            None => None,
        };
        let Some(run) = run else { return Ok(false) };
        self.store.bind_subagent(session, agent, &run)?;
        Ok(true)
    }

    /// A sub-agent is about to start work or report it. This is noted before its command runs, because only hooks tell
    /// sub-agents from the main thread: a review that no sub-agent was seen to carry out is a self-review.
    pub(super) fn note_call(&mut self, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
        let Some(agent) = &call.agent else { return Ok(()) };
        let text = match call.tool.command() {
            Some(command) => command,
            None if call.tool.name.starts_with("mcp__bugle__") => call.tool.input.to_string().into(),
            None => return Ok(()),
        };
        if text.contains('#') {
            for token in tokens_named(&text).take(MOST_NAMES) {
                self.store.note_subagent_call(session, agent, token)?;
            }
        }
        Ok(())
    }

    /// The first run that a text names and that was started since this sub-agent began. An older run is the main thread's,
    /// which would be free of it if the sub-agent could take it by naming it.
    fn run_begun_in(&mut self, text: &str, own: &SessionId) -> Result<Option<RunId>, AppError> {
        let Some(began_at) = self.store.session(own)?.and_then(|row| row.memory.began_at) else {
            return Ok(None);
        };
        let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
        let ids = words.filter_map(|word| word.parse::<RunId>().ok());
        for id in ids.take(MOST_NAMES) {
            if self
                .store
                .runs_by_prefix(id.as_str())?
                .iter()
                .any(|row| row.id == id && row.started_at >= began_at)
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// A sub-agent begins: if the run of its session has work to give out, it is told how to take its own.
    pub(super) fn subagent_begins(
        &mut self,
        call: &HookCall,
        session: &SessionId,
    ) -> Result<HookAnswer, AppError> {
        // Clients have helpers of their own, of no kind, which do no run's work.
        if call.agent_type.is_none() {
            return Ok(HookAnswer::default());
        }
        let now = crate::now();
        self.remember(call, &own_session(call, session), |memory| {
            memory.began_at.get_or_insert(now);
        })?;
        let given_out = self.given_out(session)?;
        Ok(HookAnswer {
            context: given_out.map(|(row, free)| words::subagent_begins(&row.skill, row.id.as_str(), &free)),
            ..HookAnswer::default()
        })
    }

    /// A sub-agent stops that did no run's work. If it is one of Bugle's roles, and there is work for it, it is asked once
    /// to begin.
    pub(super) fn subagent_never_began(
        &mut self,
        call: &HookCall,
        session: &SessionId,
    ) -> Result<HookAnswer, AppError> {
        let mut answer = HookAnswer::default();
        if !call.agent_type.as_deref().is_some_and(is_exported_role) {
            return Ok(answer);
        }
        let Some((row, free)) = self.given_out(session)?.filter(|(_, free)| !free.is_empty()) else {
            return Ok(answer);
        };
        let mut known = self.session_row(call, &own_session(call, session))?;
        if known.memory.ask_to_begin() {
            self.store.keep_session(&known)?;
            answer.go_on = Some(words::subagent_never_began(&row.skill, row.id.as_str(), &free));
        }
        Ok(answer)
    }

    /// The run of a session that gives out work, with the commands that begin what nobody does; nothing if it gives out none.
    fn given_out(&mut self, session: &SessionId) -> Result<Option<(RunRow, Vec<String>)>, AppError> {
        let Some(row) = self.main_run(session)? else {
            return Ok(None);
        };
        let run = self.read(&row.id)?;
        let (Some(states), Some(parent)) = (self.child_states(&run)?, run.state.current_token()) else {
            return Ok(None);
        };
        let free: Vec<String> = (1..)
            .zip(&states)
            .filter(|(_, state)| state.is_free())
            .map(|(slot, _)| {
                let parent = parent.clone();
                let token = ChildToken { parent, slot }.to_string();
                self.place.command(&["start", "--child", &token])
            })
            .collect();
        Ok(Some((row, free)))
    }

    /// A sub-agent was compacted: it is told the step of its own run, and nothing of its orchestrator's.
    pub(super) fn subagent_wakes(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        own: &SessionId,
    ) -> Result<HookAnswer, AppError> {
        self.remember(call, own, SessionMemory::woken)?;
        Ok(HookAnswer {
            context: self.own_step(call, session)?,
            ..HookAnswer::default()
        })
    }

    /// What a sub-agent has missed: its step, if it was compacted and nobody asked what it has to know then.
    pub(super) fn subagent_missed(
        &mut self,
        call: &HookCall,
        session: &SessionId,
    ) -> Result<Option<String>, AppError> {
        let known = self.store.session(&own_session(call, session))?;
        let Some(mut row) = known.filter(|row| row.memory.unwoken) else {
            return Ok(None);
        };
        row.memory.woken();
        self.store.keep_session(&row)?;
        self.own_step(call, session)
    }

    /// The step that a sub-agent is at; nothing if it does no run's work.
    fn own_step(&mut self, call: &HookCall, session: &SessionId) -> Result<Option<String>, AppError> {
        let rows = self.runs_of_call(call, session)?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let run = self.read(&row.id)?;
        let show = self.place.command(&["step", row.id.as_str()]);
        Ok(match self.told(&run, true) {
            Ok(Reply::Step(step)) => Some(words::subagent_goes_on(&step, &show, budget(call.client))),
            _ => None,
        })
    }

    /// Where the sub-agents stand that a run's current step calls for; nothing if it calls for none.
    pub(super) fn child_states(&mut self, run: &OpenRun) -> Result<Option<Vec<ChildState>>, AppError> {
        let Some(visit) = run.state.current().filter(|visit| visit.dispatched.is_some()) else {
            return Ok(None);
        };
        let mut states = vec![ChildState::NotStarted; visit.children().len()];
        for report in self.reports(&run.state)? {
            let at = usize::try_from(report.slot).unwrap_or(usize::MAX).wrapping_sub(1);
            if let Some(state) = states.get_mut(at) {
                *state = report.state;
            }
        }
        Ok(Some(states))
    }

    /// A sub-agent has returned: what the orchestrator does next, once none of them is at work any more.
    pub(super) fn after_subagent(&mut self, session: &SessionId) -> Result<Option<String>, AppError> {
        let Some(row) = self.main_run(session)? else {
            return Ok(None);
        };
        let run = self.read(&row.id)?;
        let Some(states) = self.child_states(&run)? else {
            return Ok(None);
        };
        let at_work = |state: &ChildState| matches!(state, ChildState::Working(_));
        let reported = states.iter().filter(|state| state.has_reported()).count();
        if reported == 0 || states.iter().any(at_work) {
            return Ok(None);
        }
        let Ok(Reply::Step(step)) = self.reply(&run) else {
            return Ok(None);
        };
        Ok(Some(words::subagents_returned(
            row.id.as_str(),
            (reported, states.len()),
            states.iter().any(ChildState::asks),
            step.command.as_deref(),
            &self.place.command(&["step", row.id.as_str()]),
        )))
    }
}
