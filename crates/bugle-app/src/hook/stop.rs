//! An agent is about to stop: it goes on with what is open and with what others said, but not for ever.

use bugle_core::engine::{ChildState, Command, Status};
use bugle_core::hook::{Pending, StopVerdict, Stopping, kept_by, stop};
use bugle_core::id::SessionId;
use bugle_core::wake::WakeReason;
use bugle_core::workflow::Evidence;
use bugle_render::hook as words;
use bugle_store::{RunRow, SessionStore as _};
use bugle_wire::StepView;
use bugle_wire::hook::{HookAnswer, HookCall};

use super::{Voice, budget, own_session};
use crate::run::{DoneRequest, OpenRun, Reply};
use crate::{App, AppError};

/// What an agent goes on with, at the step that is open, if one is, and at this refusal in a row; nothing if there is nothing
/// after all.
type Words<'a> = &'a mut dyn FnMut(&mut App, Option<&StepView>, u32) -> Result<Option<String>, AppError>;

impl App {
    /// The main thread is about to stop.
    pub(super) fn stops(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        voice: &mut Voice<'_>,
    ) -> Result<HookAnswer, AppError> {
        let rows = self.store.main_runs(session)?;
        let mut advanced = Vec::new();
        for row in rows {
            advanced.extend(self.advanced(row)?);
        }
        let called_at = self.called_at()?;
        self.judge_stop(call, session, &advanced, called_at, &mut |app, open, refusals| {
            if called_at.is_some() {
                let before = open.map(words::step_is_open);
                return app.told_at_hook(call, WakeReason::Mention, before, voice);
            }
            Ok(open.map(|step| match refusals {
                0 | 1 => words::go_on(step, budget(call.client)),
                _ => words::still_open(step, &app.place.command(&["step", &step.position.run])),
            }))
        })
    }

    /// A sub-agent is about to stop: it owes the report of its run.
    pub(super) fn subagent_stops(
        &mut self,
        call: &HookCall,
        session: &SessionId,
    ) -> Result<HookAnswer, AppError> {
        if call.agent.is_none() {
            return Ok(HookAnswer::default());
        }
        let rows = self.runs_of_call(call, session)?;
        if rows.is_empty() {
            return self.subagent_never_began(call, session);
        }
        let own = own_session(call, session);
        self.judge_stop(call, &own, &rows, None, &mut |_, open, _| {
            Ok(open.map(words::report_owed))
        })
    }

    /// Decides, remembers, and says with what the agent goes on.
    fn judge_stop(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        rows: &[RunRow],
        called_at: Option<u64>,
        text: Words<'_>,
    ) -> Result<HookAnswer, AppError> {
        let mut answer = HookAnswer::default();
        let mut open = None;
        let kept_by = kept_by(rows.iter().map(|row| {
            let (pending, step) = self.pending(row)?;
            open = step;
            Ok::<_, AppError>(pending)
        }))?;
        let row = kept_by.and_then(|number| rows.get(number));
        let place = row.map(|row| format!("{}@{}", row.id, row.version));
        let mut known = self.session_row(call, session)?;
        let before = known.memory.clone();
        let verdict = stop(
            &mut known.memory,
            &Stopping {
                stands_at: place.as_deref(),
                called_at,
                kept_already: call.kept_already,
            },
        );
        if known.memory != before {
            // If this cannot be remembered the agent is not kept: it would be kept for ever.
            self.store.keep_session(&known)?;
        }
        match verdict {
            StopVerdict::Nothing => {}
            StopVerdict::GoOn => {
                answer.go_on = text(self, open.as_ref(), known.memory.stops)?;
                self.refused_with(call, session, answer.go_on.as_deref())?;
            }
            StopVerdict::LetGo => {
                let mut said = Vec::new();
                if let (Some(row), Some(step)) = (row, &open) {
                    self.change(&row.id, |_| Command::LetGo)?;
                    said.push(words::let_go(step));
                }
                if called_at.is_some() {
                    said.push(words::messages_wait(self.count_unread()?));
                }
                answer.for_person = Some(said.join(" "));
            }
        }
        Ok(answer)
    }

    /// What a run needs before it goes on, with its step if that is its agent.
    fn pending(&mut self, row: &RunRow) -> Result<(Pending, Option<StepView>), AppError> {
        if row.status != Status::Active {
            let is_let_go = self.state_of(&row.id)?.is_let_go();
            let pending = if is_let_go {
                Pending::Nothing
            } else {
                Pending::Others
            };
            return Ok((pending, None));
        }
        let run = self.read(&row.id)?;
        let at_work = |state: &ChildState| matches!(state, ChildState::Working(_));
        if self
            .child_states(&run)?
            .is_some_and(|states| states.iter().any(at_work))
        {
            return Ok((Pending::Others, None));
        }
        Ok(match self.told(&run, true) {
            Ok(Reply::Step(step)) => (Pending::Agent, Some(*step)),
            _ => (Pending::Nothing, None),
        })
    }

    /// The run after its step has ended by itself, if all that it asks for is there; nothing if the run is over by that.
    fn advanced(&mut self, row: RunRow) -> Result<Option<RunRow>, AppError> {
        if row.status != Status::Active {
            return Ok(Some(row));
        }
        let run = self.read(&row.id)?;
        if !ends_by_itself(&run) {
            return Ok(Some(row));
        }
        let Some(visit) = run.state.current_token() else {
            return Ok(Some(row));
        };
        let request = DoneRequest {
            unanswered: false,
            visit,
            result: None,
            stopped: None,
            note: None,
        };
        match self.done(request) {
            Ok(Reply::End(_)) => Ok(None),
            Ok(Reply::Step(_)) => Ok(Some(self.select(&crate::RunSelector::Run(row.id))?)),
            // Something is missing: the agent goes on with the step.
            Err(AppError::Refused(_)) => Ok(Some(row)),
            Err(error) => Err(error),
        }
    }
}

/// Whether a step ends as soon as what it asks for is there: it owes no result, nobody is asked or sent, and all that is
/// looked at are files. A command would take its time, and a hook has none.
fn ends_by_itself(run: &OpenRun) -> bool {
    let step = run
        .state
        .current()
        .and_then(|visit| run.workflow.step(&visit.step));
    step.is_some_and(|step| {
        step.result.is_empty()
            && step.ask.is_none()
            && step.dispatch.is_none()
            && step.gate.is_none()
            && !step.expect.is_empty()
            && step
                .expect
                .iter()
                .all(|evidence| matches!(evidence, Evidence::Artifact { .. }))
    })
}
