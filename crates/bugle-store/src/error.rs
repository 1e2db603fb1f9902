//! What can go wrong with a store, told apart as far as a person can do something about it.

use std::path::PathBuf;

use bugle_core::engine::CorruptHistory;
use bugle_core::task::CorruptTask;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process held the database for too long.
    #[error("the database {0} is locked by another process")]
    Locked(PathBuf),
    /// The database cannot be written.
    #[error("the database {0} cannot be written")]
    ReadOnly(PathBuf),
    /// The disk is full.
    #[error("there is no room left for the database {0}")]
    Full(PathBuf),
    /// The file is damaged, or something else.
    #[error("the file {0} is damaged or not a database of Bugle")]
    Corrupt(PathBuf),
    /// A later version of this program wrote it.
    #[error("the database {file} has schema {found}; this program knows up to {known}")]
    Newer {
        /// The file.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The latest version that is known.
        known: i64,
    },
    /// It has to be upgraded first, and a hook must not do that.
    #[error("the database {file} has schema {found}, which a hook does not upgrade")]
    Older {
        /// The file.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
    },
    /// No sound backup could be made before an upgrade.
    #[error("cannot back up the database before its upgrade: {file}: {why}")]
    NoBackup {
        /// The file that failed.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The file or its folder cannot be opened.
    #[error("the database {file} cannot be opened: {why}")]
    CannotOpen {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The database engine refused a statement.
    #[error("the database {file} refused a statement: {why}")]
    Engine {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// What is stored cannot be read back.
    #[error("the database holds something that cannot be read: {0}")]
    Unreadable(String),
    /// What is stored does not fit its hash.
    #[error("{0} was changed outside Bugle")]
    Edited(String),
    /// The events of a run do not follow from each other.
    #[error(transparent)]
    CorruptHistory(#[from] CorruptHistory),
    /// The events of a task do not follow from each other.
    #[error(transparent)]
    CorruptTask(#[from] CorruptTask),
}

impl StoreError {
    /// What a person can do, one line each.
    pub fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match self {
            Self::Locked(_) => &["Nothing was changed. Try again when the other process is done."],
            Self::ReadOnly(_) => &[
                "Nothing was changed. Give yourself write permission, or point BUGLE_HOME to a folder you can write.",
            ],
            Self::Full(_) => {
                &["Nothing was changed. Make room on the disk, then run the same command again."]
            }
            Self::Corrupt(_) => &[
                "Nothing was changed. If there is a backup beside it (bugle.db.schema-*.backup), a person can put it back.",
                "With BUGLE_HOME set to another folder, work can go on meanwhile.",
            ],
            Self::Older { .. } => &["Any other command upgrades it, for example `bugle store migrate`."],
            Self::NoBackup { .. } => &[
                "The store was not upgraded, and nothing was changed. Fix the cause, then run the same command again.",
            ],
            Self::Newer { .. } => &["Nothing was changed. Install the newer bugle that wrote it."],
            Self::CannotOpen { .. } => &[
                "Nothing was changed. Check that the folder exists and can be written, or point BUGLE_HOME to another one.",
            ],
            Self::Engine { .. } => &["Nothing was changed by the statement that failed."],
            Self::Edited(_) | Self::Unreadable(_) | Self::CorruptHistory(_) | Self::CorruptTask(_) => {
                &["`bugle store verify` names every run and task that is affected; it changes nothing."]
            }
        };
        hints.iter().map(|hint| (*hint).to_owned()).collect()
    }
}
