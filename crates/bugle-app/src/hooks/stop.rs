//! Handles an agent that is about to stop. An open step or an unread mention makes the agent continue, within limits.

use bugle_client::hook::{HookCall, HookReply};
use bugle_core::engine::{ChildState, Command, RunStatus};
use bugle_core::hook::{Pending, StopAttempt, StopDecision, blocking_run, stop};
use bugle_core::id::SessionId;
use bugle_core::reply::StepView;
use bugle_core::wake::WakeReason;
use bugle_core::workflow::Evidence;
use bugle_render::hook_text;
use bugle_store::{RunRow, SessionRow, Store};

use super::session::{runs_of_call, session_of_call, session_row};
use super::{ReplySender, agent_state, answers, background, missed, subagent, user_input};
use crate::open_run::OpenRun;
use crate::runs::{DoneRequest, Loaded, Reader, Reply};
use crate::{AppError, Context, open_run, runs};

/// A run of the agent that is about to stop.
struct OwnRun {
    row: RunRow,
    /// The run's state, once it was read.
    opened: Option<OpenRun>,
}

impl From<RunRow> for OwnRun {
    fn from(row: RunRow) -> Self {
        Self { row, opened: None }
    }
}

impl OwnRun {
    fn open(&mut self, store: &mut Store) -> Result<&OpenRun, AppError> {
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => open_run::read(store, &self.row.id, &self.row.directory)?,
        };
        Ok(self.opened.insert(opened))
    }
}

/// Builds the text that makes an agent continue, from the open step and the session.
type Words<'a> = &'a mut dyn FnMut(
    &mut Store,
    &Context,
    Option<&StepView>,
    &SessionRow,
) -> Result<Option<String>, AppError>;

/// Handles the main thread's attempt to stop.
pub(super) fn stops(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    sender: &mut ReplySender<'_>,
) -> Result<HookReply, AppError> {
    background::keep_listed(store, call, session)?;
    let rows = store.main_runs(session)?;
    answers::note_questions(store, ctx, call, session, &rows)?;
    let mut advanced = Vec::new();
    for row in rows {
        advanced.extend(advance(store, ctx, row.into())?);
    }
    // A text for the agent would be lost, and its messages would count as read.
    if !call.can_continue {
        return Ok(HookReply::default());
    }
    let last_wake = agent_state::last_wake_seq(store, ctx)?;
    judge_stop(
        store,
        ctx,
        call,
        session,
        advanced,
        last_wake,
        &mut |store, ctx, open, known| {
            let before = open.map(hook_text::step_is_open);
            if known.memory.unwoken {
                return missed::compaction_text(store, ctx, call, known.clone(), before, sender);
            }
            if last_wake.is_some() {
                return missed::wakeup_text(store, ctx, call, WakeReason::Mention, before, sender);
            }
            Ok(open.map(|step| match known.memory.stops {
                0 | 1 => hook_text::continue_step(step, call.client.hook_budget()),
                _ => hook_text::still_open(step, &ctx.command(&["step", step.position.run.as_str()])),
            }))
        },
    )
}

/// Handles a sub-agent's attempt to stop: its run needs a report.
pub(super) fn subagent_stops(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<HookReply, AppError> {
    if call.agent.is_none() {
        return Ok(HookReply::default());
    }
    let rows = runs_of_call(store, call, session)?;
    if rows.is_empty() {
        return subagent::stopped_without_run(store, ctx, call, session);
    }
    let own = session_of_call(call, session);
    let rows = rows.into_iter().map(OwnRun::from).collect();
    judge_stop(store, ctx, call, &own, rows, None, &mut |_, _, open, _| {
        Ok(open.map(hook_text::report_missing))
    })
}

/// Decides whether the agent may stop, and records the decision.
fn judge_stop(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    mut own_runs: Vec<OwnRun>,
    last_wake: Option<u64>,
    text: Words<'_>,
) -> Result<HookReply, AppError> {
    let mut answer = HookReply::default();
    let mut known = session_row(store, ctx, call, session)?;
    let before = known.memory.clone();
    let mut broken: Vec<usize> = Vec::new();
    let has_helpers = background::has_helpers(call);
    // Decide before rendering the step, so that storing the decision and reading the step's text share a round trip. A
    // step that cannot be rendered does not block the stop.
    let (verdict, row, open) = loop {
        let number = blocking_run(own_runs.iter_mut().enumerate().map(|(number, run)| {
            if broken.contains(&number) {
                Ok(Pending::Nothing)
            } else {
                pending(store, run, has_helpers)
            }
        }))?;
        let run = number.and_then(|number| Some((number, own_runs.get_mut(number)?)));
        let place = run
            .as_ref()
            .map(|(_, run)| format!("{}@{}", run.row.id, run.row.version));
        known.memory = before.clone();
        let verdict = stop(
            &mut known.memory,
            &StopAttempt {
                stands_at: place.as_deref(),
                called_at: last_wake,
                kept_already: call.stop_hook_active,
            },
        );
        if known.stored.as_ref() != Some(&known.memory) {
            // If the decision cannot be stored, the agent may stop: otherwise it would be refused forever.
            store.keep_session(&known)?;
            known = known.kept();
        }
        let Some((number, run)) = run else {
            break (verdict, None, None);
        };
        match open_step(store, ctx, run)? {
            Some(step) => break (verdict, Some(run.row.clone()), Some(step)),
            None => broken.push(number),
        }
    };
    match verdict {
        StopDecision::Allow => {}
        StopDecision::Continue => {
            answer.continue_with = text(store, ctx, open.as_ref(), &known)?;
            user_input::refused_with(store, ctx, call, session, answer.continue_with.as_deref())?;
        }
        StopDecision::AllowUnfinished => {
            let mut said = Vec::new();
            let mut event = format!("let go, called at {last_wake:?}");
            if let (Some(row), Some(step)) = (row, &open) {
                event.push_str(&format!(", {}@{}", row.id, row.version));
                runs::execute(store, ctx, row.into(), |_| Command::LetGo)?;
                said.push(hook_text::released(step));
            }
            if last_wake.is_some() {
                said.push(hook_text::messages_waiting(agent_state::count_unread(
                    store, ctx,
                )?));
            }
            let said = said.join(" ");
            // An orchestrator handles its sub-agents.
            if call.agent.is_none() {
                agent_state::tell_person(store, ctx, &said, &event)?;
            }
            answer.user_message = Some(said);
        }
    }
    Ok(answer)
}

/// Whether a run is waiting for its agent, for the user or sub-agents, or for nothing. `has_helpers` says whether
/// sub-agents of the stopping agent are at work: they may not have started their part of the run yet.
fn pending(store: &mut Store, run: &mut OwnRun, has_helpers: bool) -> Result<Pending, AppError> {
    if run.row.status != RunStatus::Active {
        let is_released = open_run::read_state(store, &run.row.id)?.is_released();
        return Ok(if is_released {
            Pending::Nothing
        } else {
            Pending::Others
        });
    }
    if has_helpers {
        return Ok(Pending::Others);
    }
    let run = run.open(store)?;
    let at_work = |state: &ChildState| matches!(state, ChildState::Working(_));
    let waits = subagent::child_states(store, run)?.is_some_and(|states| states.iter().any(at_work));
    Ok(if waits { Pending::Others } else { Pending::Agent })
}

/// A run's open step; `None` if no step is open or the step cannot be rendered.
fn open_step(store: &mut Store, ctx: &Context, run: &mut OwnRun) -> Result<Option<StepView>, AppError> {
    let run = run.open(store)?;
    Ok(
        match runs::step_reply(store, ctx, run, Loaded::default(), &Reader::New) {
            Ok(Reply::Step(step)) => Some(*step),
            _ => None,
        },
    )
}

/// Ends the step if all expected files exist, and returns the run; `None` if the run has ended.
fn advance(store: &mut Store, ctx: &Context, mut own: OwnRun) -> Result<Option<OwnRun>, AppError> {
    if own.row.status != RunStatus::Active {
        return Ok(Some(own));
    }
    let run = own.open(store)?;
    let visit = run.state.current_token().filter(|_| ends_by_itself(run));
    let Some(visit) = visit else {
        return Ok(Some(own));
    };
    let request = DoneRequest {
        unanswered: false,
        visit,
        result: None,
        stopped: None,
        note: None,
    };
    match runs::done(store, ctx, request) {
        Ok(Reply::End(_)) => Ok(None),
        Ok(Reply::Step(_)) => {
            let row = runs::select(store, ctx, &crate::RunSelector::Run(own.row.id))?;
            Ok(Some(row.into()))
        }
        // A requirement of the step is not met yet, so the agent continues with the step.
        Err(AppError::Refused(_)) => Ok(Some(own)),
        Err(error) => Err(error),
    }
}

/// Whether a step ends as soon as its files exist. Such a step returns no result, asks no question, dispatches no
/// sub-agent, and expects only files. Expected commands could exceed the hook's time limit.
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
