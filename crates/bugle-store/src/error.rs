//! Store errors, one for each way in which the user can respond.

use bugle_core::engine::CorruptHistory;
use bugle_core::task::CorruptTask;

use crate::missing_right::MissingRight;

/// A store error.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process locked the database for too long.
    #[error("the database {0} is locked by another process")]
    Locked(String),
    /// Another process has kept the lock since an earlier hook waited for it in vain.
    #[error("the database {0} is still locked by another process; this hook did not wait")]
    StillLocked(String),
    /// The database cannot be written.
    #[error("cannot write to the database {0}")]
    ReadOnly(String),
    /// The disk is full.
    #[error("the disk is full: cannot write to the database {0}")]
    Full(String),
    /// The file is damaged or is not a Bugle database.
    #[error("the file {0} is damaged or is not a Bugle database")]
    Corrupt(String),
    /// A newer version of Bugle wrote the database.
    #[error("the database {database} has schema {found}; this bugle supports schemas up to {known}")]
    Newer {
        /// The database.
        database: String,
        /// The database's schema version.
        found: i64,
        /// The newest schema version that this program supports.
        known: i64,
    },
    /// The database needs an upgrade, which hooks do not perform.
    #[error("the database {database} has the older schema {found}, and hooks do not upgrade it")]
    Older {
        /// The database.
        database: String,
        /// The database's schema version.
        found: i64,
    },
    /// A backup failed.
    #[error("cannot back up the database {database}: {why}")]
    NoBackup {
        /// The database or backup that failed.
        database: String,
        /// The cause.
        why: String,
    },
    /// The database contains an unfinished copy of a store.
    #[error("the database {0} contains an unfinished copy of a store")]
    Unfinished(String),
    /// The database cannot receive a copy of the store.
    #[error("cannot copy the store to {database}: {why}")]
    NoCopy {
        /// The database.
        database: String,
        /// The reason.
        why: String,
    },
    /// The file or its folder cannot be opened.
    #[error("cannot open the database {database}: {why}")]
    CannotOpen {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The database engine refused a statement.
    #[error("the database {database} refused a statement: {why}")]
    Engine {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The database URL is invalid. The error does not repeat the URL, because it may contain a password.
    #[error("cannot use the database URL: {why}")]
    BadAddress {
        /// The reason.
        why: String,
    },
    /// Bugle cannot connect to the server.
    #[error("cannot connect to the database {database}: {why}")]
    Unreachable {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The server does not accept the user or the password.
    #[error("cannot sign in to the database {database}: {why}")]
    SignIn {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The server has no such database.
    #[error("cannot open the database {database}: {why}")]
    NoDatabase {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The database user lacks a privilege.
    #[error("the database {database} denied permission: {why}")]
    NoRights {
        /// The database.
        database: String,
        /// The missing right.
        why: MissingRight,
    },
    /// The database contains another program's tables.
    #[error("the database {0} has tables that are not Bugle's")]
    OtherTables(String),
    /// The server is read-only, for example a replica.
    #[error("the database {0} is read-only")]
    ReadOnlyServer(String),
    /// The engine cannot store a value.
    #[error("the database {database} cannot store a value: {why}")]
    Unstorable {
        /// The database.
        database: String,
        /// The reason.
        why: String,
    },
    /// Another transaction changed the same rows at the same time.
    #[error("another process changed the same rows of the database {0} at the same time")]
    Contended(String),
    /// The connection was lost before the commit.
    #[error("lost the connection to the database {database}: {why}")]
    Lost {
        /// The database.
        database: String,
        /// The cause.
        why: String,
    },
    /// The server did not answer in time.
    #[error("the database {0} did not answer in time")]
    TimedOut(String),
    /// The connection was lost during the commit.
    #[error(
        "lost the connection to the database {0} during a commit: either the whole change was made or none of it"
    )]
    CommitUnknown(String),
    /// A stored value cannot be read.
    #[error("the database contains a value that Bugle cannot read: {0}")]
    Unreadable(String),
    /// A stored value does not match its hash.
    #[error("{0} was changed outside Bugle")]
    Edited(String),
    /// A run's events contradict each other.
    #[error(transparent)]
    CorruptHistory(#[from] CorruptHistory),
    /// A task's events contradict each other.
    #[error(transparent)]
    CorruptTask(#[from] CorruptTask),
}

impl StoreError {
    /// Whether the failed transaction changed nothing and may succeed if it is repeated.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Contended(_) | Self::Lost { .. })
    }

    /// Hints for the user, one line each.
    pub fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match self {
            Self::Locked(_) | Self::StillLocked(_) => {
                &["Nothing was changed. Try again when the other process is done."]
            }
            Self::ReadOnly(_) => &[
                "Nothing was changed. Give yourself write permission, or set BUGLE_HOME to a folder you can write to.",
            ],
            Self::Full(_) => &["Nothing was changed. Free some disk space, then run the same command again."],
            Self::Corrupt(_) => &[
                "Nothing was changed. If the database's folder has a backup (bugle.db.schema-*.backup), the user can restore it.",
                "To keep working in the meantime, set BUGLE_HOME to another folder.",
            ],
            Self::Older { .. } => &[
                "Run `bugle store migrate` to upgrade the database. Any command other than a hook upgrades it too.",
            ],
            Self::NoBackup { .. } => {
                &["The store was not changed. Fix the cause, then run the same command again."]
            }
            Self::Newer { .. } => &[
                "Nothing was changed. Install a bugle version at least as new as the version that wrote the database.",
            ],
            Self::Unfinished(_) => &[
                "Nothing was changed. To finish the copy, run `bugle store move` again from the original store.",
            ],
            Self::NoCopy { .. } => &["The store was not changed. Choose an empty database or a new file."],
            Self::CannotOpen { .. } => &[
                "Nothing was changed. Check that the folder exists and is writable, or set BUGLE_HOME to another folder.",
            ],
            Self::BadAddress { .. } => {
                &["Nothing was changed. Use a URL such as postgres://user@host/database."]
            }
            Self::Unreachable { .. } => &[
                "Nothing was changed. Check that the server is running and that the store's URL points to it.",
            ],
            Self::SignIn { .. } => &[
                "Nothing was changed. Check the user, and the password in ~/.pgpass or another password source.",
            ],
            Self::NoDatabase { .. } => {
                &["Nothing was changed. Create the database with `createdb`, or correct the store's URL."]
            }
            Self::NoRights { why, .. } => return vec![format!("Nothing was changed. {}", why.remedy())],
            Self::OtherTables(_) => &["Nothing was changed. Create a separate database for Bugle."],
            Self::ReadOnlyServer(_) => {
                &["Nothing was changed. Use the URL of the primary server, not of a replica."]
            }
            Self::Unstorable { .. } => &["Nothing was changed. Remove the invalid character from the text."],
            Self::Contended(_) => &["Nothing was changed. Run the same command again."],
            Self::Lost { .. } | Self::TimedOut(_) => {
                &["Nothing was changed. Run the same command again when the server is reachable."]
            }
            Self::CommitUnknown(_) => &[
                "Check whether the change was made, for example with `bugle status`. If not, run the command again.",
            ],
            Self::Engine { .. } => &["The failed statement changed nothing."],
            Self::Edited(_) | Self::Unreadable(_) | Self::CorruptHistory(_) | Self::CorruptTask(_) => &[
                "To list every affected run and task, run `bugle store verify`. This command changes nothing.",
            ],
        };
        hints.iter().map(|hint| (*hint).to_owned()).collect()
    }
}
