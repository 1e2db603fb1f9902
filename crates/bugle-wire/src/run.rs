//! Runs: in a list, and one with its history.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::step::Position;

/// Runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunList {
    /// The runs, the latest change first.
    pub runs: Vec<RunSummary>,
    /// How many more there are.
    pub more: u64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Where it stands.
    pub position: Position,
    /// The folder it was started in.
    pub directory: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// When it last changed, in milliseconds since 1970.
    pub changed_at: i64,
}

/// A run with its history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDetail {
    /// The run.
    pub summary: RunSummary,
    /// The hash of the skill's exact bytes.
    pub pin: String,
    /// What it was started with.
    pub params: Map<String, Value>,
    /// What it came from.
    pub origin: Option<String>,
    /// What happened, in order.
    pub timeline: Vec<TimelineEntry>,
    /// Facts about the run that the reader should know.
    pub notices: Vec<String>,
    /// The command that goes on, if it is open.
    pub command: Option<String>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineEntry {
    /// Which event of the run.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who made it happen.
    pub by: String,
    /// What kind of event.
    pub kind: String,
    /// The visit it belongs to.
    pub visit: Option<u32>,
    /// How a visit ended, where one did.
    pub outcome: Option<String>,
    /// What happened, in a line.
    pub summary: String,
    /// The result that was brought, or what else there is to see.
    pub details: Option<Value>,
    /// Whether a rewind left it behind.
    pub left_behind: bool,
}

/// What checking the store found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreCheck {
    /// The file.
    pub file: String,
    /// The version of its schema.
    pub schema: i64,
    /// How many runs were replayed.
    pub runs: u64,
    /// How many of their events were read.
    pub events: u64,
    /// How many tasks were replayed.
    pub tasks: u64,
    /// How many of their events were read.
    pub task_events: u64,
    /// How many blobs were hashed.
    pub blobs: u64,
    /// What is wrong, one sentence each.
    pub faults: Vec<String>,
}
