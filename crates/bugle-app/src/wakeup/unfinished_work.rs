//! A lost agent's unfinished work: open runs and tasks, and the number of failures of each.

use bugle_core::engine::RunState;
use bugle_core::id::{TaskId, Timestamp, VisitToken};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{CommandView, Purpose, StepView, TaskName, UnfinishedItem, UnfinishedWork};
use bugle_core::task::{RecordedTaskEvent, TaskEvent};
use bugle_core::wake::{Failures, Takeover};
use bugle_store::{ProjectId, RunRow, Store, TaskRow};

use super::lost_work::LostWork;
use super::open_step::step_of;
use crate::open_run::OpenRun;
use crate::{AppError, Context};

/// Maximum number of wake-ups to search for earlier replacements.
const MAX_WAKEUPS: u32 = 200;

/// A lost agent's work, and earlier takeovers in the project.
pub(super) struct Past<'a> {
    pub(super) lost: &'a LostWork,
    pub(super) takeovers: Vec<(Vec<String>, Takeover)>,
}

/// The work of each earlier takeover, and the agent that was replaced.
pub(super) fn takeovers(
    store: &mut Store,
    project: Option<&ProjectId>,
) -> Result<Vec<(Vec<String>, Takeover)>, AppError> {
    let Some(project) = project else {
        return Ok(Vec::new());
    };
    let rows = store.wakeups(project, None, MAX_WAKEUPS)?;
    Ok(rows.iter().filter_map(super::records::takeover).collect())
}

/// The command that a replacement runs to take over a task.
pub(super) fn take_over(ctx: &Context, task: &TaskId, agent: Option<&str>) -> CommandView {
    let mut arguments = vec!["task", "start", task.as_str(), "--take-over"];
    if let Some(agent) = agent {
        arguments.extend(["--as", agent.trim_start_matches('@')]);
    }
    CommandView {
        purpose: Purpose::TakeOverTask,
        command: ctx.command(&arguments),
    }
}

/// A step that a lost agent did not end.
pub(super) struct UnfinishedStep {
    title: String,
    /// The command that ends the step.
    ends_with: Option<String>,
}

impl UnfinishedStep {
    /// The run's current step, from its rendered view; `None` if the run has no current step.
    pub(super) fn of(state: &RunState, step: Option<&StepView>, is_broken: bool) -> Option<Self> {
        match step {
            Some(step) => Some(Self {
                title: step.title.clone(),
                ends_with: step.command.clone(),
            }),
            // A step that cannot be rendered also counts as unfinished.
            None => state.current().filter(|_| is_broken).map(|visit| Self {
                title: visit.step.to_string(),
                ends_with: None,
            }),
        }
    }
}

/// The run's current step.
pub(super) fn unfinished_step(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
) -> Result<Option<UnfinishedStep>, AppError> {
    if run.state.current().is_none() {
        return Ok(None);
    }
    match step_of(store, ctx, run) {
        Ok(step) => Ok(UnfinishedStep::of(&run.state, step.as_ref(), false)),
        Err(AppError::Text { .. }) => Ok(UnfinishedStep::of(&run.state, None, true)),
        Err(error) => Err(error),
    }
}

/// A lost agent's open run with a current step.
pub(super) fn unfinished_run(
    ctx: &Context,
    past: &Past<'_>,
    row: &RunRow,
    run: &OpenRun,
    step: UnfinishedStep,
    last_active: Option<Timestamp>,
) -> Option<UnfinishedWork> {
    let state = &run.state;
    let visit = state.current()?;
    let token = VisitToken {
        run: row.id.clone(),
        visit: visit.number,
    };
    let id = token.to_string();
    let said = state.count_endings(&visit.step, Outcome::Fail);
    let failures = failures(said, past, last_active, &id);
    let has_task = state.current_task(visit.number).is_some();
    Some(UnfinishedWork {
        item: UnfinishedItem::Run {
            visit: token,
            skill: row.skill.clone(),
            step: step.title,
        },
        command: match step.ends_with {
            Some(command) => CommandView {
                purpose: Purpose::EndLostStep,
                command,
            },
            None => CommandView {
                purpose: Purpose::ShowLostStep,
                command: ctx.command(&["step", row.id.as_str()]),
            },
        },
        failed: failures.reported,
        died: failures.died,
        split: split(ctx, failures).filter(|_| has_task),
    })
}

pub(super) fn unfinished_task(
    ctx: &Context,
    past: &Past<'_>,
    row: &TaskRow,
    events: &[RecordedTaskEvent],
    agent: Option<&str>,
    last_active: Option<Timestamp>,
) -> UnfinishedWork {
    let id = row.task.id.to_string();
    let is_failure = |event: &TaskEvent| matches!(event, TaskEvent::Failed { .. });
    let said = events
        .iter()
        .filter(|recorded| is_failure(&recorded.event))
        .count();
    let failures = failures(said, past, last_active, &id);
    UnfinishedWork {
        item: UnfinishedItem::Task {
            name: TaskName::of(&row.task),
            status: row.task.status,
        },
        command: take_over(ctx, &row.task.id, agent),
        failed: failures.reported,
        died: failures.died,
        split: split(ctx, failures),
    }
}

/// The command that shows how to split work, if the work has failed too often.
fn split(ctx: &Context, failures: Failures) -> Option<String> {
    failures
        .call_for_a_split()
        .then(|| ctx.command(&["help", "task", "add"]))
}

fn failures(said: usize, past: &Past<'_>, last_active: Option<Timestamp>, id: &str) -> Failures {
    let of_this = past
        .takeovers
        .iter()
        .filter(|(work, _)| work.iter().any(|one| one == id));
    let earlier: Vec<Takeover> = of_this.map(|(_, takeover)| takeover.clone()).collect();
    let said = u32::try_from(said).unwrap_or(u32::MAX);
    Failures::count(said, &past.lost.lost_agent, last_active, &earlier)
}
