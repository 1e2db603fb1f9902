//! The store as a whole.

use super::project::RemoteConflict;

/// A verified backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupView {
    /// The file.
    pub file: String,
    /// Number of runs in the backup.
    pub runs: u64,
    /// Number of tasks in the backup.
    pub tasks: u64,
}

/// A store that was moved to another database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreMove {
    /// The old store.
    pub source: String,
    /// The new store.
    pub target: String,
    /// Number of copied rows; `None` if an earlier move had copied them all.
    pub copied: Option<u64>,
    /// Number of errors that both stores have.
    pub faults: usize,
    /// Which store Bugle uses now.
    pub switch: StoreSwitch,
    /// An environment variable that takes precedence over the settings.
    pub overriding_variable: Option<String>,
    /// Projects that cannot be assigned their remote.
    pub conflicts: Vec<RemoteConflict>,
}

/// Whether the settings name the new store now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSwitch {
    /// The settings file.
    pub settings: String,
    /// The line that names the new store; `None` if the new store is the file in Bugle's home.
    pub line: Option<String>,
    /// Why the settings could not be changed.
    pub error: Option<String>,
}

/// The result of checking a pooler that accepts connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolerCheck {
    /// The pooler.
    pub pooler: String,
    /// Microseconds to connect and read one row.
    pub micros: u64,
    /// The server from which notifications arrive; `None` if they do not get through the pooler.
    pub notifications_from: Option<String>,
}
