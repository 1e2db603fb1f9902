//! Waiting for a change of files without looking again and again: the system says when one is written.

use std::path::Path;

use bugle_app::AppError;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Says whenever something in a folder was written.
pub(super) struct Changes {
    written: UnboundedReceiver<()>,
    /// It ends with this.
    _watcher: notify::RecommendedWatcher,
}

impl Changes {
    /// Watches the files of a folder whose name begins so.
    pub(super) fn of(folder: &Path, begins: &'static str) -> Result<Self, AppError> {
        let cannot = |error: notify::Error| {
            AppError::System(format!("{} cannot be watched: {error}", folder.display()))
        };
        let (send, written) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let matters = event.is_ok_and(|event| {
                // Whoever reads a file changes nothing; whoever closes one may have written it.
                let closed = AccessKind::Close(AccessMode::Write);
                let is_read = matches!(&event.kind, EventKind::Access(access) if *access != closed);
                !is_read
                    && event.paths.iter().any(|path| {
                        let name = path.file_name().unwrap_or_default();
                        name.to_string_lossy().starts_with(begins)
                    })
            });
            if matters {
                // Nobody waits any more when the supervisor ends.
                let _ = send.send(());
            }
        })
        .map_err(cannot)?;
        watcher
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(cannot)?;
        Ok(Self {
            written,
            _watcher: watcher,
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
