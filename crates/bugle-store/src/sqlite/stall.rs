//! Remembers that the write lock is stuck, so that only the first hook waits for it.
//!
//! A hook that has waited in vain creates a file beside the store. The process that next gets the lock deletes that
//! file. While the file exists, one process has held the lock all the time, and another wait would be in vain too.

use std::path::{Path, PathBuf};

use super::permissions;

/// Records that a hook has waited for the lock in vain. If the file cannot be created, the next hook waits again.
pub(super) fn record(store: &Path) {
    let _ = permissions::options()
        .create(true)
        .append(true)
        .open(marker(store));
}

/// Whether no process got the lock since a hook waited in vain.
pub(super) fn is_recorded(store: &Path) -> bool {
    marker(store).exists()
}

/// Call this after getting the lock.
pub(super) fn clear(store: &Path) {
    // Usually there is no such file.
    let _ = std::fs::remove_file(marker(store));
}

fn marker(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-stalled");
    name.into()
}
