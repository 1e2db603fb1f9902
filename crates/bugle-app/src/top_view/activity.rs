//! The activity in a channel: messages, run events and wake-ups, in chronological order.

use std::path::Path;

use bugle_core::engine::{Event, Recorded, RunState};
use bugle_core::id::Timestamp;
use bugle_core::reply::{Change, SaidMessage, WakeupSummary};
use bugle_store::{AgentRow, MessageFilter, ProjectId, RunFilter, RunRow, Scope, Store};

use crate::attention::works_on;
use crate::messages::{ChannelName, view};
use crate::{AppError, Context, addresses, messages, open_run, runs, wakeup};

/// Maximum number of a project's runs in the stream. Prefers the most recently changed runs.
const MAX_RUNS: u32 = 20;

/// The latest messages, run events and wake-ups in a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityStream {
    /// The entries, oldest first.
    pub entries: Vec<Activity>,
    /// Whether there are earlier entries.
    pub earlier: bool,
}

/// One entry in a channel's activity.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    /// When the activity happened, in milliseconds since the Unix epoch.
    pub at: Timestamp,
    /// The kind of activity, with its details.
    pub what: ActivityKind,
}

/// The kinds of activity in a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum ActivityKind {
    /// A message was posted.
    Message(SaidMessage),
    /// A run event.
    RunEvent {
        /// The run.
        run: String,
        /// The run's skill.
        skill: String,
        /// The event's sequence number in the run.
        seq: u64,
        /// What happened.
        change: Change,
        /// The person on whose behalf the event was recorded; only in a shared store.
        person: Option<String>,
    },
    /// An agent received a wake-up.
    Wakeup(WakeupSummary),
}

/// The latest activity in a channel, limited to `last` entries.
pub fn channel_activity(
    store: &mut Store,
    ctx: &Context,
    channel: &ChannelName,
    last: u32,
) -> Result<ActivityStream, AppError> {
    let mut entries: Vec<Activity> = Vec::new();
    if let Some(project) = store.find_project(&channel.place)? {
        let last = last.saturating_add(1);
        let agents = store.agents(Some(&project))?;
        entries.extend(message_activity(store, &project, channel, last)?);
        entries.extend(run_activity(store, ctx, &project, channel, &agents)?);
        entries.extend(wakeup_activity(store, &project, channel, &agents, last)?);
    }
    // The sort is stable: entries with the same time keep their order.
    entries.sort_by_key(|entry| entry.at);
    let surplus = entries.len().saturating_sub(last as usize);
    entries.drain(..surplus);
    Ok(ActivityStream {
        entries,
        earlier: surplus > 0,
    })
}

fn message_activity(
    store: &mut Store,
    project: &ProjectId,
    channel: &ChannelName,
    last: u32,
) -> Result<Vec<Activity>, AppError> {
    let home = messages::channel_home(channel);
    let filter = MessageFilter {
        branch: Some(&channel.branch),
        last,
        ..MessageFilter::default()
    };
    let rows = store.messages(project, &filter)?;
    let entries = rows.iter().map(|row| Activity {
        at: row.at,
        what: ActivityKind::Message(view(row, &home)),
    });
    Ok(entries.collect())
}

fn run_activity(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    channel: &ChannelName,
    agents: &[AgentRow],
) -> Result<Vec<Activity>, AppError> {
    let rows = store.runs(&RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: false,
        limit: MAX_RUNS,
    })?;
    let mut entries = Vec::new();
    for row in rows {
        if branch_of(ctx, &row, agents) != channel.branch {
            continue;
        }
        let events = store.run_events(&row.id)?;
        let state = RunState::replay(&row.id, &events).map_err(bugle_store::StoreError::from)?;
        let mut people = store.people_of_run(&row.id)?;
        let asks = |recorded: &Recorded| matches!(recorded.event, Event::Asked { .. });
        let workflow = if events.iter().any(asks) {
            // Ignore an error: the stream then omits the questions, and the run's own page shows the error.
            let run = open_run::opened(store, state.clone(), row.directory.clone());
            run.ok().map(|run| run.workflow)
        } else {
            None
        };
        let timeline = runs::timeline(&events, &state, workflow.as_ref()).into_iter();
        entries.extend(timeline.map(|event| Activity {
            at: event.at,
            what: ActivityKind::RunEvent {
                run: row.id.to_string(),
                skill: row.skill.clone(),
                seq: event.seq,
                change: event.change,
                person: people.remove(&event.seq),
            },
        }));
    }
    Ok(entries)
}

fn wakeup_activity(
    store: &mut Store,
    project: &ProjectId,
    channel: &ChannelName,
    agents: &[AgentRow],
    last: u32,
) -> Result<Vec<Activity>, AppError> {
    let mut entries = Vec::new();
    for row in store.wakeups(project, None, last)?.iter().rev() {
        // A wake-up records its agent by name only.
        let name = row.agent.trim_start_matches('@');
        let mut same = agents
            .iter()
            .filter(|agent| agent.address.name() == name)
            .peekable();
        let is_elsewhere =
            same.peek().is_some() && same.all(|agent| agent.address.branch() != channel.branch);
        if !is_elsewhere {
            entries.push(Activity {
                at: row.at,
                what: ActivityKind::Wakeup(wakeup::summary(row)),
            });
        }
    }
    Ok(entries)
}

/// The branch whose channel shows a run: the branch of the run's agent, else the branch of the run's folder.
pub(super) fn branch_of(ctx: &Context, run: &RunRow, agents: &[AgentRow]) -> String {
    match agents.iter().find(|agent| works_on(agent, run)) {
        Some(agent) => agent.address.branch().to_owned(),
        None => addresses::home(&ctx.moved_to(Path::new(&run.directory)))
            .branch()
            .to_owned(),
    }
}
