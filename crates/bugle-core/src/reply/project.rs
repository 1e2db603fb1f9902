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

/// A change to a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectChange {
    /// The folder already belongs to the project.
    AlreadyJoined(JoinedFolder),
    /// The folder now belongs to the project.
    Joined {
        /// The folder and the project.
        joined: JoinedFolder,
        /// The project to which the folder belonged before.
        before: Option<FormerProject>,
    },
    /// Clones with this remote on other machines now belong to the project.
    Shared {
        /// The remote.
        remote: String,
        /// The project's id.
        project: String,
    },
    /// The project is now in another folder.
    Moved {
        /// The project's id.
        project: String,
        /// The old folder.
        from: String,
        /// The new folder.
        to: String,
        /// Whether the old folder still exists.
        old_folder_stays: bool,
    },
    /// A project was merged into another.
    Merged {
        /// The merged project.
        from: ProjectFolder,
        /// The project that now has the work of both.
        into: ProjectFolder,
        /// Whether the folder of the merged project still exists.
        old_folder_stays: bool,
    },
}

/// A folder and the project to which it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedFolder {
    /// The folder.
    pub folder: String,
    /// The project's id.
    pub project: String,
    /// The project's name.
    pub name: String,
}

/// The project to which a folder belonged before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerProject {
    /// The project's id.
    pub id: String,
    /// The command that moves the earlier runs and tasks.
    pub merge: String,
}

/// A project and its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    /// The project's id.
    pub id: String,
    /// The folder.
    pub folder: String,
}

/// A project that cannot be assigned its clones' remote, because the remote belongs to another project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteConflict {
    /// The remote.
    pub remote: String,
    /// The id of the project without the remote.
    pub project: String,
    /// That project's name.
    pub name: String,
    /// The id of the project that has the remote.
    pub other: String,
    /// The command that merges the two projects.
    pub merge: String,
    /// The command that makes the current folder a clone of the other project.
    pub join: String,
}
