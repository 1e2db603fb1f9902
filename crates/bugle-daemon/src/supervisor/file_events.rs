//! File changes as an async stream.

use std::path::Path;

use bugle_app::{AppError, FileWatcher};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Write events in a folder.
pub(super) struct FileEvents {
    written: UnboundedReceiver<()>,
    /// Stops watching when dropped.
    _writes: FileWatcher,
}

impl FileEvents {
    /// Watches files in a folder whose names start with this prefix.
    pub(super) fn watch(folder: &Path, begins: &str) -> Result<Self, AppError> {
        let (send, written) = mpsc::unbounded_channel();
        let writes = FileWatcher::of(folder, begins, move || {
            // Sending fails once the supervisor has ended.
            let _ = send.send(());
        })?;
        Ok(Self {
            written,
            _writes: writes,
        })
    }

    /// Waits for the next change. Queued changes count as one.
    pub(super) async fn next(&mut self) {
        if self.written.recv().await.is_none() {
            return std::future::pending().await;
        }
        while self.written.try_recv().is_ok() {}
    }
}
