//! The recovery part of a replacement's wake-up: the lost agent's unfinished work, activity, messages and log, and the
//! state of the worktree.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bugle_core::id::{TaskId, Timestamp};
use bugle_core::reply::{
    ActivitySubject, Change, CommandView, Purpose, RecoveryView, StepView, TaskName, UnfinishedItem,
    UnfinishedWork, WakeMessage,
};
use bugle_core::task::RecordedTaskEvent;
use bugle_store::{MessageFilter, ProjectId, RunRow, Store, TaskRow};

use super::ShortClock;
use super::activity::Activity;
use super::actor_names::ActorNames;
use super::lost_work::LostWork;
use super::unfinished_work::{
    Past, UnfinishedStep, takeovers, unfinished_run, unfinished_step, unfinished_task,
};
use super::worktree_state::log_view;
use crate::open_run::RunWithEvents;
use crate::tasks::CurrentTask;
use crate::wakeup::worktree_state;
use crate::{AppError, Context, runs};

/// Maximum number of unfinished runs and tasks to show.
const MAX_WORK: usize = 5;
/// Maximum number of siblings to search for the lost agent's activity, before and after each of its tasks.
const MAX_BESIDE: u32 = 20;
/// Maximum number of the lost agent's messages to show.
const MAX_SAID: u32 = 3;
/// Maximum number of commands that show further details.
const MAX_COMMANDS: usize = 4;

/// The agent to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The agent's name or session.
    pub agent: String,
    /// The log of the agent's client: a JSON Lines transcript or plain output.
    pub log: Option<PathBuf>,
}

/// The work that a replacement takes over, and the point at which the replacement continues.
pub(super) struct Replacement<'a> {
    pub lost: &'a LostWork,
    pub replaced: &'a Replaced,
    /// The replacement's name.
    pub agent: Option<&'a str>,
    pub project: Option<&'a ProjectId>,
    /// The lost agent's latest run, with all its events.
    pub run: Option<&'a RunWithEvents>,
    /// The current step of that run.
    pub step: Option<&'a StepView>,
    /// Whether the step of that run cannot be rendered.
    pub is_broken: bool,
    /// The current task.
    pub current: Option<&'a CurrentTask>,
}

/// Gathers the recovery part of a replacement's wake-up.
pub(super) fn recovery(
    store: &mut Store,
    ctx: &Context,
    replacement: &Replacement<'_>,
    names: &mut ActorNames<'_>,
    clock: ShortClock<'_>,
) -> Result<RecoveryView, AppError> {
    let Replacement {
        lost,
        replaced,
        agent,
        project,
        run,
        step,
        is_broken,
        current,
    } = *replacement;
    let past = Past {
        lost,
        takeovers: takeovers(store, project)?,
    };
    let mut activity = Activity::default();
    let mut work = Vec::new();
    for row in &lost.runs {
        let other;
        let (run, step) = if let Some(run) = run.filter(|run| run.run.state.id == row.id) {
            (run, UnfinishedStep::of(&run.run.state, step, is_broken))
        } else {
            other = RunWithEvents::read_whole(store, row)?;
            (&other, unfinished_step(store, ctx, &other.run)?)
        };
        let last_active = add_run_activity(store, lost, row, run, names, &mut activity)?;
        work.extend(step.and_then(|step| unfinished_run(ctx, &past, row, &run.run, step, last_active)));
    }
    let around = tasks_around(store, lost, current.map(|at| &at.row))?;
    let ids: Vec<TaskId> = around.iter().map(|row| row.task.id.clone()).collect();
    let events = store.events_of_tasks(&ids)?;
    for row in &around {
        let events = events.get(&row.task.id).map_or(&[][..], Vec::as_slice);
        let last_active = add_task_activity(store, lost, row, events, names, &mut activity)?;
        if row.task.is_open() && lost.lost_agent.holds(row.task.agent.as_ref()) {
            work.push(unfinished_task(ctx, &past, row, events, agent, last_active));
        }
    }
    let more_work = work.len().saturating_sub(MAX_WORK) as u64;
    work.truncate(MAX_WORK);
    let directory = lost.runs.first().map(|row| PathBuf::from(&row.directory));
    let directory = directory.unwrap_or_else(|| ctx.root.clone());
    let (did, did_before) = activity.latest(clock);
    let (said, unread) = last_messages(store, lost, project, clock)?;
    let run = run.filter(|_| step.is_some()).map(|run| &run.run);
    let checks = worktree_state::checks(store, ctx, run, &directory, step, current)?;
    let name = lost.shown.trim_start_matches('@');
    let mut commands: Vec<CommandView> = work.iter().map(|work| show_command(ctx, work)).collect();
    commands.truncate(MAX_COMMANDS);
    if !said.is_empty() {
        commands.push(CommandView {
            purpose: Purpose::ShowMessages,
            command: ctx.command(&["message", "list", "--from", name]),
        });
    }
    Ok(RecoveryView {
        agent: lost.shown.clone(),
        work,
        more_work,
        did,
        did_before,
        said,
        unread,
        unread_command: ctx.command(&["message", "list", "--for", name, "--unread", "--take"]),
        log: replaced
            .log
            .as_ref()
            .map(|file| log_view(&ctx.directory.join(file))),
        checks,
        commands,
    })
}

fn show_command(ctx: &Context, work: &UnfinishedWork) -> CommandView {
    let arguments = match &work.item {
        UnfinishedItem::Run { visit, .. } => vec!["run", "show", visit.run.as_str()],
        UnfinishedItem::Task { name, .. } => vec!["task", "show", name.id.as_str(), "--full"],
    };
    CommandView {
        purpose: Purpose::ShowDetails,
        command: ctx.command(&arguments),
    }
}

/// The lost agent's tasks and their siblings, in order.
fn tasks_around(
    store: &mut Store,
    lost: &LostWork,
    current: Option<&TaskRow>,
) -> Result<Vec<TaskRow>, AppError> {
    let mut around: BTreeMap<String, TaskRow> = BTreeMap::new();
    let first = lost.tasks.first();
    let current = current.filter(|current| first.is_none_or(|first| first.task.id != current.task.id));
    for row in first.into_iter().chain(current) {
        let beside = store.beside(row, MAX_BESIDE)?;
        around.extend(beside.into_iter().map(|row| (row.path.as_str().to_owned(), row)));
    }
    for row in &lost.tasks {
        around.insert(row.path.as_str().to_owned(), row.clone());
    }
    Ok(around.into_values().collect())
}

/// Adds a lost agent's activity in a run. Returns the time of the last entry.
fn add_run_activity(
    store: &mut Store,
    lost: &LostWork,
    row: &RunRow,
    run: &RunWithEvents,
    names: &mut ActorNames<'_>,
    activity: &mut Activity,
) -> Result<Option<Timestamp>, AppError> {
    let mut last_active = None;
    for (entry, recorded) in runs::timeline(&run.events, &run.run.state, None)
        .into_iter()
        .zip(&run.events)
    {
        if !entry.left_behind && lost.lost_agent.did_in_own_run(&recorded.by) {
            last_active = last_active.max(Some(recorded.at));
            activity.add(
                recorded.at,
                names.author(store, &recorded.by)?,
                ActivitySubject::Run(row.id.clone()),
                entry.change,
            );
        }
    }
    Ok(last_active)
}

/// Adds a lost agent's activity on a task. Returns the time of the last entry.
fn add_task_activity(
    store: &mut Store,
    lost: &LostWork,
    row: &TaskRow,
    events: &[RecordedTaskEvent],
    names: &mut ActorNames<'_>,
    activity: &mut Activity,
) -> Result<Option<Timestamp>, AppError> {
    let mut last_active = None;
    for recorded in lost.lost_agent.deeds(events) {
        last_active = last_active.max(Some(recorded.at));
        activity.add(
            recorded.at,
            names.author(store, &recorded.by)?,
            ActivitySubject::Task(TaskName::of(&row.task)),
            Change::Task(recorded.event.clone()),
        );
    }
    Ok(last_active)
}

/// The lost agent's latest messages, and the number of unread messages to the lost agent.
fn last_messages(
    store: &mut Store,
    lost: &LostWork,
    project: Option<&ProjectId>,
    clock: ShortClock<'_>,
) -> Result<(Vec<WakeMessage>, u64), AppError> {
    let (Some(project), Some(address)) = (project, &lost.address) else {
        return Ok((Vec::new(), 0));
    };
    let filter = MessageFilter {
        from: Some(address),
        last: MAX_SAID,
        ..MessageFilter::default()
    };
    let said = store.messages(project, &filter)?;
    let said = said.into_iter().map(|row| WakeMessage {
        id: Some(row.id.to_string()),
        at: Some(clock(row.at)),
        from: lost.shown.clone(),
        text: row.text,
        answer_with: None,
        answers: None,
    });
    let unread = store.unread(project, address, 1)?;
    Ok((said.collect(), unread.more + unread.rows.len() as u64))
}
