//! Projects.

use serde::Serialize;

/// Every project of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectList {
    /// The projects, by place.
    pub projects: Vec<ProjectEntry>,
}

/// A project, and how much there is in it.
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
    /// Whether its id is written there, so that it is found again after a move.
    pub keeps_id: bool,
    /// Whether it is the project of the folder that this was asked in.
    pub here: bool,
    /// Its runs.
    pub runs: u64,
    /// Those of them that can still go on.
    pub open_runs: u64,
    /// Its tasks.
    pub tasks: u64,
    /// Those of them that are open.
    pub open_tasks: u64,
    /// When something last happened in it, in milliseconds since 1970.
    pub last_activity: i64,
}
