//! Runs: a list, and one run with its history.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::step::Position;

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
    /// When the run started, in milliseconds since 1970.
    pub started_at: i64,
    /// When the run last changed, in milliseconds since 1970.
    pub changed_at: i64,
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
    pub notices: Vec<String>,
    /// The command that continues the run; `None` unless the run is open.
    pub command: Option<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineEntry {
    /// The event's number in the run.
    pub seq: u64,
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The agent or user that caused the event.
    pub by: String,
    /// The event's kind.
    pub kind: TimelineKind,
    /// The event's visit.
    pub visit: Option<u32>,
    /// The outcome, if a visit ended.
    pub outcome: Option<Outcome>,
    /// What happened, on one line.
    pub summary: String,
    /// The result or other details.
    pub details: Option<Value>,
    /// Whether the run was later rewound to a point before this event.
    pub left_behind: bool,
}

text_enum! {
    /// How a visit ended.
    Outcome {
        /// The work is done.
        Ok = "ok",
        /// The work did not pass or could not be completed.
        Fail = "fail",
        /// A route skipped the branch.
        Skip = "skip",
        /// A loop continues with another round.
        Iterate = "iterate",
    }
}

text_enum! {
    /// The kind of an event in a run's or a task's history.
    TimelineKind {
        /// The run or the task started.
        Started = "started",
        /// A visit began.
        Entered = "entered",
        /// A visit asked a person.
        Asked = "asked",
        /// A visit dispatched sub-agents.
        Dispatched = "dispatched",
        /// A review did not pass and is waiting for a decision.
        Judged = "judged",
        /// Findings were accepted as risks.
        RisksAccepted = "risks_accepted",
        /// A sub-agent escalated.
        Escalated = "escalated",
        /// A visit started a task.
        Took = "took",
        /// A visit closed a task.
        Closed = "closed",
        /// A visit is waiting because its agent stopped three times without progress.
        LetGo = "let_go",
        /// A note was added.
        Noted = "noted",
        /// A visit ended.
        Ended = "ended",
        /// The run completed.
        Completed = "completed",
        /// The run was paused.
        Paused = "paused",
        /// The run was resumed.
        Resumed = "resumed",
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// The run went back to an earlier visit.
        Rewound = "rewound",
        /// The run moved to another version of its skill.
        Upgraded = "upgraded",
        /// The task was added.
        Added = "added",
        /// The task is done.
        Done = "done",
        /// The task was skipped.
        Skipped = "skipped",
        /// The task failed.
        Failed = "failed",
        /// The task is blocked.
        Blocked = "blocked",
        /// The task is open again.
        Reopened = "reopened",
        /// The task was renamed.
        Retitled = "retitled",
        /// The task's skill changed.
        Skill = "skill",
        /// The plan's text about the task changed.
        Planned = "planned",
        /// The task is no longer in the plan but was kept.
        Unplanned = "unplanned",
        /// The task moved to another parent.
        Moved = "moved",
        /// The task got a dependency.
        Waits = "waits",
        /// The task lost a dependency.
        WaitsNoMore = "waits_no_more",
        /// The task no longer follows its plan's order.
        OrderWaived = "order_waived",
        /// The task was assigned to another agent.
        Assigned = "assigned",
        /// The task used a skill.
        SkillUsed = "skill_used",
        /// The task was removed.
        Removed = "removed",
        /// The task was restored.
        Restored = "restored",
    }
}

/// The result of checking the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreCheck {
    /// The file.
    pub file: String,
    /// Its schema version.
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
    /// What is wrong, one sentence each.
    pub faults: Vec<String>,
}
