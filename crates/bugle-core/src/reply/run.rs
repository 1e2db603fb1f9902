//! Runs: a list, and one run with its history.

use serde::Serialize;
use serde_json::{Map, Value};

use super::run_notice::RunNotice;
use super::step::Position;
use super::timeline::TimelineEntry;
use crate::engine::Origin;
use crate::id::Timestamp;

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
    /// The run's origin.
    #[serde(skip)]
    pub origin: Origin,
    /// The run's events, in order.
    #[serde(skip)]
    pub timeline: Vec<TimelineEntry>,
    /// Notices about the run.
    pub notices: Vec<RunNotice>,
    /// The command that continues the run; `None` unless the run is open.
    pub command: Option<String>,
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
