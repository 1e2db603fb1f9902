//! Projects.

use serde::Serialize;

/// All projects in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectList {
    /// The projects, sorted by folder.
    pub projects: Vec<ProjectEntry>,
}

/// A project with its counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectEntry {
    /// Its id.
    pub id: String,
    /// The name in its agents' addresses.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// Whether that folder exists.
    pub exists: bool,
    /// Whether its folder contains its id, so that Bugle finds the project after a move.
    pub keeps_id: bool,
    /// Whether the current folder belongs to it.
    pub here: bool,
    /// Its runs.
    pub runs: u64,
    /// Its open runs.
    pub open_runs: u64,
    /// Its tasks.
    pub tasks: u64,
    /// Its open tasks.
    pub open_tasks: u64,
    /// The time of its last event, in milliseconds since 1970.
    pub last_activity: i64,
}
