//! Projects.

use serde::Serialize;

/// Every project of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectList {
    /// The projects, by folder.
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
    /// Whether its id is stored there, so that Bugle finds it after a move.
    pub keeps_id: bool,
    /// Whether it is the project of the current folder.
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
