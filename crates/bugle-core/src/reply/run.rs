//! Runs: a list, and one run with its history.

use super::run_notice::RunNotice;
use crate::id::{Timestamp, VisitNumber};
use serde::Serialize;
use serde_json::{Map, Value};

use super::step::Position;
use crate::outcome::Outcome;

/// Runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunList {
    /// Whether the runs of all projects are listed.
    pub everywhere: bool,
    /// The runs, latest change first.
    pub runs: Vec<RunSummary>,
    /// Number of further runs.
    pub more: u64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// The run's position.
    pub position: Position,
    /// The folder where the run was started.
    pub directory: String,
    /// The person for whom the run was started, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the run last changed.
    pub changed_at: Timestamp,
}

/// A run with its history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDetail {
    /// The run.
    pub summary: RunSummary,
    /// The hash of the skill's exact bytes.
    pub pin: String,
    /// The run's params.
    pub params: Map<String, Value>,
    /// The run that this run was forked from, or its parent run.
    pub origin: Option<String>,
    /// The run's events, in order.
    pub timeline: Vec<TimelineEntry>,
    /// Notices about the run.
    pub notices: Vec<RunNotice>,
    /// The command that continues the run; `None` unless the run is open.
    pub command: Option<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineEntry {
    /// The event's number in the run.
    pub seq: u64,
    /// The time.
    pub at: Timestamp,
    /// The agent or user that caused the event.
    pub by: String,
    /// The person for whom the agent acted, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// The event's kind.
    pub kind: TimelineKind,
    /// The event's visit.
    pub visit: Option<VisitNumber>,
    /// The outcome, if a visit ended.
    pub outcome: Option<Outcome>,
    /// What happened, on one line.
    pub summary: String,
    /// The result or other details.
    pub details: Option<Value>,
    /// Whether the run was later rewound to a point before this event.
    pub left_behind: bool,
}

/// The kind of an event in a run's or a task's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineKind {
    /// The run or the task started.
    Started,
    /// A visit began.
    Entered,
    /// A visit asked a person.
    Asked,
    /// A visit dispatched sub-agents.
    Dispatched,
    /// A review did not pass and is waiting for a decision.
    Judged,
    /// Findings were accepted as risks.
    RisksAccepted,
    /// A sub-agent escalated.
    Escalated,
    /// A visit started a task.
    Took,
    /// A visit closed a task.
    Closed,
    /// A visit is waiting because its agent stopped three times without progress.
    LetGo,
    /// A note was added.
    Noted,
    /// A visit ended.
    Ended,
    /// The run completed.
    Completed,
    /// The run was paused.
    Paused,
    /// The run was resumed.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// The run went back to an earlier visit.
    Rewound,
    /// The run moved to another version of its skill.
    Upgraded,
    /// The task was added.
    Added,
    /// The task is done.
    Done,
    /// The task was skipped.
    Skipped,
    /// The task failed.
    Failed,
    /// The task is blocked.
    Blocked,
    /// The task is open again.
    Reopened,
    /// The task was renamed.
    Retitled,
    /// The task's skill changed.
    Skill,
    /// The plan's text about the task changed.
    Planned,
    /// The task was removed from the plan file but kept in the store.
    Unplanned,
    /// The task moved to another parent.
    Moved,
    /// The task got a dependency.
    Waits,
    /// The task lost a dependency.
    WaitsNoMore,
    /// The task no longer follows its plan's order.
    OrderWaived,
    /// The task was assigned to another agent.
    Assigned,
    /// The task used a skill.
    SkillUsed,
    /// The task was removed.
    Removed,
    /// The task was restored.
    Restored,
}

/// The result of checking the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreCheck {
    /// The file.
    pub file: String,
    /// The store's schema version.
    pub schema: i64,
    /// Number of replayed runs.
    pub runs: u64,
    /// Number of run events read.
    pub events: u64,
    /// Number of replayed tasks.
    pub tasks: u64,
    /// Number of task events read.
    pub task_events: u64,
    /// Number of hashed blobs.
    pub blobs: u64,
    /// Whether the check covers only the caller's projects, because the caller does not see the others.
    pub only_own_projects: bool,
    /// The errors, one sentence each.
    pub faults: Vec<String>,
}
