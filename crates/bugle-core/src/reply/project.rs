//! Projects.

use crate::id::Timestamp;
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
    /// The project's id.
    pub id: String,
    /// The project name in its agents' addresses.
    pub name: String,
    /// The project's folder on this machine; `None` if the project is only on other machines.
    pub folder: Option<String>,
    /// The remote that clones on several machines share.
    pub remote: Option<String>,
    /// Whether the project's folder exists.
    pub exists: bool,
    /// Whether the project's folder contains the project's id, so that Bugle finds the project after a move.
    pub keeps_id: bool,
    /// Whether the current folder belongs to the project.
    pub here: bool,
    /// The project's runs.
    pub runs: u64,
    /// The project's open runs.
    pub open_runs: u64,
    /// The project's tasks.
    pub tasks: u64,
    /// The project's open tasks.
    pub open_tasks: u64,
    /// The time of the project's last event.
    pub last_activity: Timestamp,
}
