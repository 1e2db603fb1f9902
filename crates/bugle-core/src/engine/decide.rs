//! Decides commands: state and rules in, events or a refusal out.

use serde_json::{Map, Value};

use super::command::{Command, Decision, Environment};
use super::enter::enter;
use super::event::{Event, Origin, Recorded};
use super::refusal::Refusal;
use super::state::RunState;
use super::status::RunStatus;
use super::unfolding::Unfolding;
use super::{answer, finish, manage, upgrade};
use crate::id::{Actor, ContentHash, RunId, Timestamp, VisitNumber};
use crate::name::SkillAddress;
use crate::workflow::Workflow;

/// The events that start a run and enter its first step.
pub fn start(
    skill: SkillAddress,
    pin: ContentHash,
    workflow: &Workflow,
    params: Map<String, Value>,
    origin: Origin,
) -> Result<Vec<Event>, Refusal> {
    let started = Event::Started {
        decides: workflow.definition().decides,
        skill,
        pin,
        params,
        origin,
    };
    let mut events = vec![started.clone()];
    let first = Recorded {
        at: Timestamp(0),
        by: Actor::Program,
        event: started,
    };
    // Nothing below depends on the id, so any id works. A run has no plan before its first step.
    let begun = RunState::replay(&RunId::from_random(0), [&first]);
    if let (Some(entry), Ok(state)) = (workflow.entry(), begun) {
        let mut so_far = Unfolding::of(&state, workflow, None);
        enter(&mut so_far, entry, VisitNumber(1), None)?;
        events.extend(so_far.events);
    }
    Ok(events)
}

/// Decides a command on a run without changing the run. The decision contains new events, evidence to check first, or a
/// refusal. For a repeated command, it says that the command already succeeded.
pub fn decide(
    state: &RunState,
    workflow: &Workflow,
    command: Command<'_>,
    environment: Environment<'_>,
) -> Decision {
    let decided = match command {
        Command::Done { visit, report, note } => finish::done(state, workflow, visit, report, environment)
            .map(|decision| finish::with_note(decision, visit, note)),
        Command::Answer {
            visit,
            answer,
            reason,
        } => {
            let so_far = Unfolding::of(state, workflow, environment.tasks);
            answer::answered(so_far, state, visit, (answer, reason))
        }
        Command::AcceptRisks {
            visit,
            findings,
            reason,
        } => {
            let so_far = Unfolding::of(state, workflow, environment.tasks);
            answer::accept_risks(so_far, state, visit, &findings, reason)
        }
        Command::LetGo => Ok(manage::let_go(state)),
        Command::Note(text) => manage::note(state, text),
        Command::Pause { reason } => match state.status {
            RunStatus::Active | RunStatus::Waiting => Ok(Decision::Accept(vec![Event::Paused { reason }])),
            RunStatus::Paused => Ok(Decision::Already),
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                Err(Refusal::WrongStatus(state.status))
            }
        },
        Command::Resume => match state.status {
            RunStatus::Paused => Ok(Decision::Accept(vec![Event::Resumed])),
            RunStatus::Waiting if state.is_released() => Ok(Decision::Accept(vec![Event::Resumed])),
            RunStatus::Active if state.awaits_start() => Ok(Decision::Accept(vec![Event::Resumed])),
            RunStatus::Active | RunStatus::Waiting => Ok(Decision::Already),
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                Err(Refusal::WrongStatus(state.status))
            }
        },
        Command::Cancel { reason } => match state.status {
            RunStatus::Cancelled => Ok(Decision::Already),
            RunStatus::Completed | RunStatus::Failed => Err(Refusal::WrongStatus(state.status)),
            RunStatus::Active | RunStatus::Waiting | RunStatus::Paused => {
                Ok(Decision::Accept(vec![Event::Cancelled { reason }]))
            }
        },
        Command::Rewind { to } => manage::rewind(state, workflow, to, environment.tasks),
        Command::Upgrade { pin, workflow: newer } => upgrade::upgrade(state, pin, newer),
    };
    decided.unwrap_or_else(Decision::Refuse)
}
