//! Errors of the store, distinguished by what the user can do about them.

use bugle_core::engine::CorruptHistory;
use bugle_core::task::CorruptTask;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process held the database for too long.
    #[error("the database {0} is locked by another process")]
    Locked(String),
    /// The database cannot be written.
    #[error("the database {0} cannot be written")]
    ReadOnly(String),
    /// The disk is full.
    #[error("there is no room left for the database {0}")]
    Full(String),
    /// The file is damaged or no database.
    #[error("the file {0} is damaged or not a database of Bugle")]
    Corrupt(String),
    /// A later version of this program wrote the database.
    #[error("the database {database} has schema {found}; this program knows up to {known}")]
    Newer {
        /// The database.
        database: String,
        /// The version of its schema.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The database must be upgraded first, which a hook does not do.
    #[error("the database {database} has schema {found}, which a hook does not upgrade")]
    Older {
        /// The database.
        database: String,
        /// The version of its schema.
        found: i64,
    },
    /// No sound backup could be made before an upgrade.
    #[error("cannot back up the database before its upgrade: {database}: {why}")]
    NoBackup {
        /// The database or backup that failed.
        database: String,
        /// Why.
        why: String,
    },
    /// The file or its folder cannot be opened.
    #[error("the database {database} cannot be opened: {why}")]
    CannotOpen {
        /// The database.
        database: String,
        /// Why.
        why: String,
    },
    /// The database engine refused a statement.
    #[error("the database {database} refused a statement: {why}")]
    Engine {
        /// The database.
        database: String,
        /// Why.
        why: String,
    },
    /// A stored value cannot be read.
    #[error("the database holds something that cannot be read: {0}")]
    Unreadable(String),
    /// A stored value does not match its hash.
    #[error("{0} was changed outside Bugle")]
    Edited(String),
    /// The events of a run contradict each other.
    #[error(transparent)]
    CorruptHistory(#[from] CorruptHistory),
    /// The events of a task contradict each other.
    #[error(transparent)]
    CorruptTask(#[from] CorruptTask),
}

impl StoreError {
    /// What the user can do, one line each.
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
