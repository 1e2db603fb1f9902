//! File changes as an asynchronous stream.

use std::path::Path;

use bugle_app::{AppError, FileWatcher};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Writes in a folder.
pub(super) struct FileEvents {
    written: UnboundedReceiver<()>,
    /// Stops watching when dropped.
    _writes: FileWatcher,
}

impl FileEvents {
    /// Watches the files of a folder whose names have this prefix.
    pub(super) fn watch(folder: &Path, begins: &str) -> Result<Self, AppError> {
        let (send, written) = mpsc::unbounded_channel();
        let writes = FileWatcher::of(folder, begins, move || {
            // The receiver is gone when the supervisor ends.
            let _ = send.send(());
        })?;
        Ok(Self {
            written,
            _writes: writes,
        })
    }

    /// Waits for the next change; changes that have queued up count as one.
    pub(super) async fn next(&mut self) {
        if self.written.recv().await.is_none() {
            return std::future::pending().await;
        }
        while self.written.try_recv().is_ok() {}
    }
}
