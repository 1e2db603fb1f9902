//! Waiting for a change of files without looking again and again.

use std::path::Path;

use bugle_app::{AppError, Writes};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Says whenever something in a folder was written.
pub(super) struct Changes {
    written: UnboundedReceiver<()>,
    /// It ends with this.
    _writes: Writes,
}

impl Changes {
    /// Watches the files of a folder whose name begins so.
    pub(super) fn of(folder: &Path, begins: &str) -> Result<Self, AppError> {
        let (send, written) = mpsc::unbounded_channel();
        let writes = Writes::of(folder, begins, move || {
            // Nobody waits any more when the supervisor ends.
            let _ = send.send(());
        })?;
        Ok(Self {
            written,
            _writes: writes,
        })
    }

    /// Waits for the next change, and takes all that came meanwhile as one.
    pub(super) async fn next(&mut self) {
        if self.written.recv().await.is_none() {
            return std::future::pending().await;
        }
        while self.written.try_recv().is_ok() {}
    }
}
