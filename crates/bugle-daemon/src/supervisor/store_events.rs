//! Store changes as an async stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bugle_app::{AppError, Context, StoreLocation, StoreWatcher};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::file_events::FileEvents;

/// How long the watching thread may outlive the supervisor.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long to wait before reconnecting after an error.
const AFTER_AN_ERROR: Duration = Duration::from_secs(2);

/// Reports store changes. May also report a change when nothing has changed.
pub(super) enum StoreEvents {
    /// Write events for the store's file.
    File(FileEvents),
    /// Commit notifications from the store's server, received by a thread.
    Server {
        changed: UnboundedReceiver<()>,
        ended: Arc<AtomicBool>,
    },
}

impl StoreEvents {
    pub(super) fn watch(ctx: &Context) -> Result<Self, AppError> {
        if let StoreLocation::File(_) = &ctx.store {
            return FileEvents::watch(&ctx.bugle_home, "bugle.db").map(Self::File);
        }
        let mut watcher = StoreWatcher::of(ctx)?;
        let (send, changed) = mpsc::unbounded_channel();
        let ended = Arc::new(AtomicBool::new(false));
        let has_ended = Arc::clone(&ended);
        let ctx = ctx.clone();
        std::thread::spawn(move || {
            while !has_ended.load(Ordering::Relaxed) {
                let is_changed = watcher.wait(LONGEST_WAIT).unwrap_or_else(|_| {
                    // The server restarted or is unreachable.
                    std::thread::sleep(AFTER_AN_ERROR);
                    StoreWatcher::of(&ctx).map(|again| watcher = again).is_ok()
                });
                if is_changed {
                    // The receiver is gone when the supervisor ends.
                    let _ = send.send(());
                }
            }
        });
        Ok(Self::Server { changed, ended })
    }

    /// Waits for the next change; changes that have queued up count as one.
    pub(super) async fn next(&mut self) {
        match self {
            Self::File(events) => events.next().await,
            Self::Server { changed, .. } => {
                if changed.recv().await.is_none() {
                    return std::future::pending().await;
                }
                while changed.try_recv().is_ok() {}
            }
        }
    }
}

impl Drop for StoreEvents {
    fn drop(&mut self) {
        if let Self::Server { ended, .. } = self {
            ended.store(true, Ordering::Relaxed);
        }
    }
}
