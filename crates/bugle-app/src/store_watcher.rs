//! Waits for changes to the store. A file watcher or the server's notifications report writes. The store's data version
//! shows whether a write changed anything.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use bugle_store::{CommitListener, Durability, Store};

use crate::file_watcher::FileWatcher;
use crate::store_location::StoreLocation;
use crate::{AppError, Context};

/// The shortest and the longest delay between checks for a change after a write. Each delay is twice the previous one.
const FIRST_DELAY: Duration = Duration::from_millis(1);
const LAST_DELAY: Duration = Duration::from_secs(1);

/// How often to check a server's data version without a notification: a pooler may drop notifications.
const SERVER_INTERVAL: Duration = Duration::from_secs(5);

/// Watches the store for changes by other processes and by other connections of this process.
#[derive(Debug)]
pub struct StoreWatcher {
    store: Store,
    /// The data version at the last check.
    version: i64,
    signals: Signals,
}

/// The source of write notifications.
#[derive(Debug)]
enum Signals {
    File(WatchedFile),
    Server(CommitListener),
}

#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    written: Receiver<()>,
    /// Stops the file watcher on drop.
    _watcher: FileWatcher,
}

impl WatchedFile {
    fn watch(ctx: &Context, path: PathBuf) -> Result<Self, AppError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (send, written) = mpsc::channel();
        let watcher = FileWatcher::of(&ctx.bugle_home, &name, move || {
            // The receiver is gone once the store watcher is dropped.
            let _ = send.send(());
        })?;
        Ok(Self {
            path,
            written,
            _watcher: watcher,
        })
    }

    /// Waits for a write, up to `limit`. Several writes count as one.
    fn wait(&self, limit: Duration) -> Result<(), RecvTimeoutError> {
        let signal = self.written.recv_timeout(limit);
        while self.written.try_recv().is_ok() {}
        signal
    }
}

impl StoreWatcher {
    /// Starts watching a context's store. Misses no change after this call.
    pub fn of(ctx: &Context) -> Result<Self, AppError> {
        let mut store = ctx.store.open(Durability::Normal, &mut |_| ())?;
        let signals = match &ctx.store {
            StoreLocation::File(file) => Signals::File(WatchedFile::watch(ctx, file.clone())?),
            StoreLocation::Server(server) => Signals::Server(server.listen()?),
        };
        let version = store.data_version()?;
        Ok(Self {
            store,
            version,
            signals,
        })
    }

    /// Waits until the store has changed, up to `timeout`, and returns whether it has changed. Several changes may be
    /// reported as one. An error means that the store is missing or unreadable. The caller may wait again.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, AppError> {
        let end = Instant::now() + timeout;
        let mut delay: Option<Duration> = None;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let limit = delay.map_or(left, |delay| left.min(delay));
            let signal = match &mut self.signals {
                Signals::File(file) => file.wait(limit),
                Signals::Server(listener) => {
                    let heard = listener.wait(limit.min(SERVER_INTERVAL))?;
                    heard.then_some(()).ok_or(RecvTimeoutError::Timeout)
                }
            };
            if self.has_changed()? {
                return Ok(true);
            }
            // A change may become visible slightly after the write, without another event: check again with growing
            // delays.
            delay = match signal {
                Ok(()) => Some(FIRST_DELAY),
                Err(RecvTimeoutError::Timeout) => {
                    delay.map(|delay| delay * 2).filter(|delay| *delay <= LAST_DELAY)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AppError::System(format!(
                        "the file watcher for {} has stopped",
                        self.store.name()
                    )));
                }
            };
            // The check above also covers file systems that do not report writes.
            if Instant::now() >= end {
                return Ok(false);
            }
        }
    }

    fn has_changed(&mut self) -> Result<bool, AppError> {
        if let Signals::File(file) = &self.signals
            && !file.path.exists()
        {
            return Err(AppError::System(format!(
                "the store {} no longer exists",
                file.path.display()
            )));
        }
        let now = self.store.data_version()?;
        Ok(std::mem::replace(&mut self.version, now) != now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bugle_core::id::Timestamp;

    /// Far longer than any wait in these tests.
    const LONG: Duration = Duration::from_mins(1);
    const SHORT: Duration = Duration::from_millis(20);

    fn context(folder: &std::path::Path) -> Context {
        let home = folder.to_owned();
        let variables = |name: &str| (name == "BUGLE_HOME").then(|| home.clone().into_os_string());
        Context::find(&variables, folder, false).unwrap()
    }

    fn open(ctx: &Context) -> Store {
        ctx.store.open(Durability::Full, &mut |_| ()).unwrap()
    }

    fn change(ctx: &Context, name: &str) {
        let mut store = open(ctx);
        store.project(name, name, Timestamp(1)).unwrap();
    }

    #[test]
    fn a_change_by_another_connection_is_reported_once_and_a_read_never() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let mut watcher = StoreWatcher::of(&ctx).unwrap();
        assert!(!watcher.wait(SHORT).unwrap());
        change(&ctx, "one");
        change(&ctx, "two");
        assert!(watcher.wait(LONG).unwrap());
        let mut reader = open(&ctx);
        assert!(reader.find_project("one").unwrap().is_some());
        drop(reader);
        assert!(!watcher.wait(SHORT).unwrap());
    }

    #[test]
    fn a_change_wakes_a_waiting_thread() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let mut watcher = StoreWatcher::of(&ctx).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let begun = Instant::now();
                (watcher.wait(LONG).unwrap(), begun.elapsed() < LONG)
            });
            change(&ctx, "one");
            assert_eq!(waiting.join().unwrap(), (true, true));
        });
    }

    #[test]
    fn every_change_by_an_open_connection_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let mut store = open(&ctx);
        let mut watcher = StoreWatcher::of(&ctx).unwrap();
        for number in 0..20 {
            let begun = Instant::now();
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| watcher.wait(LONG).unwrap());
                let name = number.to_string();
                store.project(&name, &name, Timestamp(1)).unwrap();
                assert!(waiting.join().unwrap());
            });
            assert!(begun.elapsed() < LONG, "only the timeout ended the wait");
        }
    }

    #[test]
    fn a_deleted_store_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let mut watcher = StoreWatcher::of(&ctx).unwrap();
        std::fs::remove_file(ctx.bugle_home.join("bugle.db")).unwrap();
        let error = watcher.wait(LONG).unwrap_err();
        assert!(error.to_string().ends_with("no longer exists"), "{error}");
    }
}
