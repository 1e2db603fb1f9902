//! What `bugle setup` and `bugle plugin build` answer.

use serde::Serialize;

/// What was done to, or is to be said of, the files of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupView {
    /// The client.
    pub client: String,
    /// For whom: project or user.
    pub scope: String,
    /// What was asked for: setup, check or remove.
    pub action: SetupAction,
    /// Whether files were left as they are because only the differences were asked for.
    pub dry_run: bool,
    /// The files, in the order in which they are written.
    pub files: Vec<SetupFile>,
    /// What the user has to know or do.
    pub notes: Vec<String>,
}

/// What is asked of a set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupAction {
    /// Put everything in.
    Setup,
    /// Look whether everything is there.
    Check,
    /// Take everything out.
    Remove,
}

/// A file of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetupFile {
    /// Its path.
    pub path: String,
    /// What of Bugle's belongs in it.
    pub holds: String,
    /// How it stands, or what became of it.
    pub state: FileState,
    /// The entries that are missing or outdated, if requested.
    pub details: Vec<String>,
    /// The diff, if requested.
    pub diff: Option<String>,
}

/// How a file stands, or what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// It was not there and was written.
    Created,
    /// It was there and was changed.
    Changed,
    /// It was as it should be, and was not touched.
    Unchanged,
    /// It was deleted, because it held nothing but what Bugle wrote.
    Deleted,
    /// There was nothing of Bugle's in it.
    Absent,
    /// Another client that was set up needs it, so it stays.
    Shared,
    /// Bugle wrote it and someone edited it, so it stays.
    Kept,
    /// A file of the same name that Bugle did not write; it is never touched.
    Foreign,
    /// Everything is there.
    Present,
    /// Something is there in an older form.
    Outdated,
    /// Something is not there.
    Missing,
}

impl FileState {
    /// The word for it.
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

    /// Whether a client is set up as far as this file goes.
    pub fn is_in_order(self) -> bool {
        !matches!(self, Self::Outdated | Self::Missing)
    }
}

/// A plugin that was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginView {
    /// The client.
    pub client: String,
    /// The folder of the marketplace that offers it.
    pub folder: String,
    /// The files in it, by path.
    pub files: Vec<String>,
    /// How it is installed.
    pub install: Vec<String>,
}
