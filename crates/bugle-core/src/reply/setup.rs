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
    pub notes: Vec<String>,
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
