//! The answers to `bugle setup` and `bugle plugin build`.

use serde::Serialize;
/// A client's files after setup, check or removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupView {
    /// The client.
    pub client: String,
    /// The scope: project or user.
    pub scope: String,
    /// The requested action: setup, check or remove.
    pub action: SetupAction,
    /// Whether this is a dry run that shows only differences and changes no file.
    pub dry_run: bool,
    /// The files, in the order in which they are written.
    pub files: Vec<SetupFile>,
    /// Notes and instructions for the user.
    pub notes: Vec<SetupNote>,
}

/// A note for the user after setup, check or removal. A client is its title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum SetupNote {
    /// A skill is invalid, so the client does not list it.
    InvalidSkill {
        /// The skill's name.
        skill: String,
        /// The client.
        client: String,
        /// The command that lists the skill's errors.
        check: String,
    },
    /// After a removal, the client is still set up in the other scope.
    OtherScope {
        /// The client.
        client: String,
        /// Whether the other scope is the user's.
        is_user: bool,
        /// The command that removes the other setup.
        remove: String,
    },
    /// The client's program was not found.
    NotInstalled {
        /// The program's name.
        program: String,
        /// The client.
        client: String,
    },
    /// A file does not belong to Bugle.
    Foreign {
        /// The file's path.
        path: String,
    },
    /// The client has no configurable status line.
    NoStatusLine {
        /// The client.
        client: String,
    },
    /// The status line does not belong to Bugle.
    OtherStatusLine,
    /// The setup is incomplete.
    Incomplete {
        /// The command that completes the setup.
        setup: String,
    },
    /// What the client requires of its user.
    Client {
        /// The instruction.
        text: String,
    },
    /// Git ignores the setup's files in this clone.
    GitExcluded,
    /// Which files not to commit.
    Commit {
        /// The project's files that contain the path to Bugle on this machine.
        machine_files: Vec<String>,
        /// In a repository, the command that makes git ignore the setup's files in this clone.
        exclude: Option<String>,
        /// The command that removes this setup.
        remove: String,
        /// The command that sets up all of the user's projects.
        user: String,
    },
    /// How to check the setup.
    Check {
        /// The command that checks the setup.
        doctor: String,
    },
}

/// Several clients' files after setup, check or removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupList {
    /// The clients.
    pub clients: Vec<SetupView>,
}

/// The action of `bugle setup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupAction {
    /// Install everything.
    Setup,
    /// Check whether everything is installed.
    Check,
    /// Remove everything.
    Remove,
}

/// One of a client's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupFile {
    /// The file's path.
    pub path: String,
    /// A description of Bugle's entries in the file.
    pub holds: String,
    /// The file's state, or the change that setup made.
    pub state: FileState,
    /// The entries that are missing or outdated, if requested.
    pub details: Vec<String>,
    /// The diff, if requested.
    pub diff: Option<String>,
}

/// The state of a file, or the change that setup made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// The file was created.
    Created,
    /// The file was changed.
    Changed,
    /// The file was up to date.
    Unchanged,
    /// The file was deleted, because it contained only Bugle's entries.
    Deleted,
    /// The file contains nothing that Bugle wrote for this client.
    Absent,
    /// The file was kept, because another client needs it.
    Shared,
    /// The file was kept, because it was edited after Bugle wrote it.
    Kept,
    /// Bugle did not write the file and never changes it.
    Foreign,
    /// The file is up to date.
    Present,
    /// The file is outdated.
    Outdated,
    /// Something is missing.
    Missing,
}

impl FileState {
    /// The label in text output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Absent => "absent",
            Self::Shared => "shared",
            Self::Kept => "kept",
            Self::Foreign => "foreign",
            Self::Present => "present",
            Self::Outdated => "outdated",
            Self::Missing => "missing",
        }
    }

    /// Whether this file needs no setup.
    pub fn is_in_order(self) -> bool {
        !matches!(self, Self::Outdated | Self::Missing)
    }
}

/// A built plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginView {
    /// The client.
    pub client: String,
    /// The plugin's marketplace folder.
    pub folder: String,
    /// The files in the folder, by path.
    pub files: Vec<String>,
    /// The commands that install the plugin.
    pub install: Vec<String>,
}
