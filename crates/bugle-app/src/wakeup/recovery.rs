//! The recovery part of a replacement's wake-up: the lost agent's unfinished work, activity, messages and log, and the
//! state of the worktree.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bugle_core::engine::RunState;
use bugle_core::id::{Timestamp, VisitToken};
use bugle_core::outcome::Outcome;
use bugle_core::task::TaskEvent;
use bugle_core::wake::{Failures, Takeover};
use bugle_render::task_text::{self, inline_label};
use bugle_store::{MessageFilter, ProjectId, RunRow, Store, TaskRow};
use bugle_wire::{CommandView, RecoveryView, StepView, UnfinishedWork, WakeMessage};

use super::ShortClock;
use super::activity::Activity;
use super::lost_work::LostWork;
use super::worktree_state::log_view;
use crate::wakeup::{facts, history, worktree_state};
use crate::{AppError, Context, addresses, open_run, runs};

/// How many pieces of unfinished work are shown.
const MAX_WORK: usize = 5;
/// How many siblings before and after its tasks are searched for its activity.
const MAX_BESIDE: u32 = 20;
/// How many of its messages are shown.
const MAX_SAID: u32 = 3;
/// How many wake-ups are searched for earlier replacements.
const MAX_WAKEUPS: u32 = 200;
/// How many commands for details are shown.
const MAX_COMMANDS: usize = 4;

/// The agent that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// Its name or session.
    pub agent: String,
    /// Where the client wrote what it did: a transcript in lines of JSON, or plain output.
    pub log: Option<PathBuf>,
}

/// The command with which a replacement takes over a task.
pub(super) fn take_over(ctx: &Context, task: &str, agent: Option<&str>) -> CommandView {
    let mut arguments = vec!["task", "start", task, "--take-over"];
    if let Some(agent) = agent {
        arguments.extend(["--as", agent.trim_start_matches('@')]);
    }
    CommandView {
        does: "take it over".to_owned(),
        command: ctx.command(&arguments),
    }
}

/// What a replacement takes over, and where it continues.
pub(super) struct Replacement<'a> {
    pub lost: &'a LostWork,
    pub replaced: &'a Replaced,
    /// The name of the replacement.
    pub agent: Option<&'a str>,
    pub project: Option<&'a ProjectId>,
    pub step: Option<&'a StepView>,
    /// The current task.
    pub current: Option<&'a TaskRow>,
}

/// The part of a wake-up for a replacement.
pub(super) fn recovery(
    store: &mut Store,
    ctx: &Context,
    replacement: &Replacement<'_>,
    clock: ShortClock<'_>,
) -> Result<RecoveryView, AppError> {
    let Replacement {
        lost,
        replaced,
        agent,
        project,
        step,
        current,
    } = *replacement;
    let takeovers = takeovers(store, project)?;
    let mut activity = Activity::default();
    let mut work = Vec::new();
    for row in &lost.runs {
        work.extend(unfinished_run(store, ctx, lost, row, &takeovers, &mut activity)?);
    }
    let mut around: BTreeMap<String, TaskRow> = BTreeMap::new();
    for row in lost.tasks.first().into_iter().chain(current) {
        let beside = store.beside(row, MAX_BESIDE)?;
        around.extend(beside.into_iter().map(|row| (row.path.as_str().to_owned(), row)));
    }
    for row in &lost.tasks {
        around.insert(row.path.as_str().to_owned(), row.clone());
    }
    for row in around.values() {
        let last_active = add_task_activity(store, ctx, lost, row, &mut activity)?;
        if row.task.is_open() && lost.lost_agent.holds(row.task.agent.as_ref()) {
            work.push(unfinished_task(
                store,
                ctx,
                lost,
                row,
                agent,
                last_active,
                &takeovers,
            )?);
        }
    }
    let more_work = work.len().saturating_sub(MAX_WORK) as u64;
    work.truncate(MAX_WORK);
    let directory = lost.runs.first().map(|row| PathBuf::from(&row.directory));
    let directory = directory.unwrap_or_else(|| ctx.root.clone());
    let (did, did_before) = activity.latest(clock);
    let (said, unread) = last_messages(store, lost, project, clock)?;
    let checks = worktree_state::checks(store, ctx, lost, &directory, step, current)?;
    let name = lost.shown.trim_start_matches('@');
    let mut commands: Vec<CommandView> = work.iter().map(|work| show_command(ctx, work)).collect();
    commands.truncate(MAX_COMMANDS);
    if !said.is_empty() {
        commands.push(CommandView {
            does: "show its messages".to_owned(),
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
    let arguments = match work.id.split_once('#') {
        Some((run, _)) => vec!["run", "show", run],
        None => vec!["task", "show", work.id.as_str(), "--full"],
    };
    CommandView {
        does: "show details".to_owned(),
        command: ctx.command(&arguments),
    }
}

/// The work of each earlier takeover, and the agent it was taken from.
fn takeovers(
    store: &mut Store,
    project: Option<&ProjectId>,
) -> Result<Vec<(Vec<String>, Takeover)>, AppError> {
    let Some(project) = project else {
        return Ok(Vec::new());
    };
    let rows = store.wakeups(project, None, MAX_WAKEUPS)?;
    Ok(rows.iter().filter_map(super::records::takeover).collect())
}

/// A lost agent's open run; adds its activity there. `None` if the run is at no step.
fn unfinished_run(
    store: &mut Store,
    ctx: &Context,
    lost: &LostWork,
    row: &RunRow,
    takeovers: &[(Vec<String>, Takeover)],
    activity: &mut Activity,
) -> Result<Option<UnfinishedWork>, AppError> {
    let events = store.run_events(&row.id)?;
    let state = RunState::replay(&row.id, &events).map_err(bugle_store::StoreError::from)?;
    let run = open_run::opened(store, state, row.directory.clone())?;
    let home = addresses::home(ctx);
    let mut last_active = None;
    for (entry, recorded) in runs::timeline(&events, &run.state).iter().zip(&events) {
        if !entry.left_behind && lost.lost_agent.did_in_own_run(&recorded.by) {
            last_active = last_active.max(Some(recorded.at));
            activity.add(
                recorded.at,
                history::actor_name(store, ctx, &recorded.by, &home)?,
                format!("run {}: {}", row.id, entry.summary),
            );
        }
    }
    let state = &run.state;
    let Some(visit) = state.current() else {
        return Ok(None);
    };
    let (title, ends_with) = match facts::step_of(store, ctx, &run) {
        Ok(Some(step)) => (step.title, step.command),
        Ok(None) => return Ok(None),
        // A step that cannot be rendered is unfinished, too.
        Err(AppError::Text { .. }) => (visit.step.to_string(), None),
        Err(error) => return Err(error),
    };
    let token = VisitToken {
        run: row.id.clone(),
        visit: visit.number,
    };
    let id = token.to_string();
    let said = state.count_endings(&visit.step, Outcome::Fail);
    let failures = failures(said, lost, last_active, takeovers, &id);
    let has_task = state.current_task(visit.number).is_some();
    Ok(Some(UnfinishedWork {
        what: format!(
            "run {} of {}, at the step \"{}\" ({id})",
            row.id, row.skill, title
        ),
        command: match ends_with {
            Some(command) => CommandView {
                does: "to end it".to_owned(),
                command,
            },
            None => CommandView {
                does: "to see the step".to_owned(),
                command: ctx.command(&["step", row.id.as_str()]),
            },
        },
        failed: failures.reported,
        died: failures.died,
        split: split(ctx, failures).filter(|_| has_task),
        id,
    }))
}

/// Adds a lost agent's activity on a task; returns the time of the last entry.
fn add_task_activity(
    store: &mut Store,
    ctx: &Context,
    lost: &LostWork,
    row: &TaskRow,
    activity: &mut Activity,
) -> Result<Option<Timestamp>, AppError> {
    let events = store.task_events(&row.task.id)?;
    let home = addresses::home(ctx);
    let mut last_active = None;
    for recorded in lost.lost_agent.deeds(&events) {
        last_active = last_active.max(Some(recorded.at));
        let (_, what) = task_text::event(&recorded.event);
        activity.add(
            recorded.at,
            history::actor_name(store, ctx, &recorded.by, &home)?,
            format!("{}: {what}", inline_label(&row.task)),
        );
    }
    Ok(last_active)
}

fn unfinished_task(
    store: &mut Store,
    ctx: &Context,
    lost: &LostWork,
    row: &TaskRow,
    agent: Option<&str>,
    last_active: Option<Timestamp>,
    takeovers: &[(Vec<String>, Takeover)],
) -> Result<UnfinishedWork, AppError> {
    let id = row.task.id.to_string();
    let events = store.task_events(&row.task.id)?;
    let is_failure = |event: &TaskEvent| matches!(event, TaskEvent::Failed { .. });
    let said = events
        .iter()
        .filter(|recorded| is_failure(&recorded.event))
        .count();
    let failures = failures(said, lost, last_active, takeovers, &id);
    Ok(UnfinishedWork {
        what: format!("{} ({id}), {}", inline_label(&row.task), row.task.status.as_str()),
        command: take_over(ctx, &id, agent),
        failed: failures.reported,
        died: failures.died,
        split: split(ctx, failures),
        id,
    })
}

/// The help command for splitting work, if the work has failed too often.
fn split(ctx: &Context, failures: Failures) -> Option<String> {
    failures
        .call_for_a_split()
        .then(|| ctx.command(&["help", "task", "add"]))
}

/// The lost agent's last messages, and how many messages to it are unread.
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
        at: Some(clock(row.at.0)),
        from: lost.shown.clone(),
        text: row.text,
        answer_with: None,
        answers: None,
    });
    let unread = store.unread(project, address, 1)?;
    Ok((said.collect(), unread.more + unread.rows.len() as u64))
}

fn failures(
    said: usize,
    lost: &LostWork,
    last_active: Option<Timestamp>,
    takeovers: &[(Vec<String>, Takeover)],
    id: &str,
) -> Failures {
    let of_this = takeovers
        .iter()
        .filter(|(work, _)| work.iter().any(|one| one == id));
    let earlier: Vec<Takeover> = of_this.map(|(_, takeover)| takeover.clone()).collect();
    let said = u32::try_from(said).unwrap_or(u32::MAX);
    Failures::count(said, &lost.lost_agent, last_active, &earlier)
}
