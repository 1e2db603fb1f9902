//! Waiting for others to change the store, without looking again and again: the system says when its files are written,
//! and the store says whether that was a change.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use bugle_store::{Durability, LaunchStore as _, SqliteStore};

use crate::writes::Writes;
use crate::{AppError, Place};

/// How soon after a write it is looked whether that was a change, and how late it is looked at last; each time it takes
/// twice as long.
const SOON: Duration = Duration::from_millis(1);
const LATE: Duration = Duration::from_secs(1);

/// Says when somebody else has changed the store: another process, or another connection of this one.
#[derive(Debug)]
pub struct Changes {
    store: SqliteStore,
    file: PathBuf,
    /// What the store said last.
    seen: i64,
    written: Receiver<()>,
    /// It ends with this.
    _writes: Writes,
}

impl Changes {
    /// Begins to watch the store of a place. What changes from here on is not missed, also before the first wait.
    pub fn of(place: &Place) -> Result<Self, AppError> {
        let file = place.database();
        let mut store = bugle_store::open(&file, Durability::Normal)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (send, written) = mpsc::channel();
        let writes = Writes::of(&place.bugle_home, &name, move || {
            // Nobody listens any more when the one who waits has gone.
            let _ = send.send(());
        })?;
        let seen = store.changes()?;
        Ok(Self {
            store,
            file,
            seen,
            written,
            _writes: writes,
        })
    }

    /// Waits until the store has changed, at most this long; several changes at once are one. Says whether it has. An
    /// error means that the store is gone or cannot be read; waiting again is no harm.
    pub fn wait(&mut self, longest: Duration) -> Result<bool, AppError> {
        let end = Instant::now() + longest;
        let mut again: Option<Duration> = None;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let signal = self
                .written
                .recv_timeout(again.map_or(left, |again| left.min(again)));
            while self.written.try_recv().is_ok() {}
            if self.has_changed()? {
                return Ok(true);
            }
            // What is written is a change only a little later, and nothing tells of that moment.
            again = match signal {
                Ok(()) => Some(SOON),
                Err(RecvTimeoutError::Timeout) => again.map(|again| again * 2).filter(|again| *again <= LATE),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AppError::System(format!(
                        "{} is not watched any more",
                        self.file.display()
                    )));
                }
            };
            // The end of the time is also the answer to a system that does not tell of a write.
            if Instant::now() >= end {
                return Ok(false);
            }
        }
    }

    fn has_changed(&mut self) -> Result<bool, AppError> {
        if !self.file.exists() {
            return Err(AppError::System(format!(
                "the store {} is gone",
                self.file.display()
            )));
        }
        let now = self.store.changes()?;
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bugle_core::id::Timestamp;
    use bugle_store::Store as _;

    /// Far longer than any of this takes.
    const LONG: Duration = Duration::from_mins(1);
    const SHORT: Duration = Duration::from_millis(20);

    fn place(folder: &std::path::Path) -> Place {
        let home = folder.to_owned();
        let variables = |name: &str| (name == "BUGLE_HOME").then(|| home.clone().into_os_string());
        Place::find(&variables, folder, false).unwrap()
    }

    fn change(place: &Place, name: &str) {
        let mut store = bugle_store::open(&place.database(), Durability::Full).unwrap();
        store.project(name, name, Timestamp(1)).unwrap();
    }

    #[test]
    fn a_change_by_somebody_else_is_told_once_and_reading_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut changes = Changes::of(&place).unwrap();
        assert!(!changes.wait(SHORT).unwrap());
        change(&place, "one");
        change(&place, "two");
        assert!(changes.wait(LONG).unwrap());
        let mut reader = bugle_store::open(&place.database(), Durability::Full).unwrap();
        assert!(reader.find_project("one").unwrap().is_some());
        drop(reader);
        assert!(!changes.wait(SHORT).unwrap());
    }

    #[test]
    fn whoever_waits_is_woken_by_the_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut changes = Changes::of(&place).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let begun = Instant::now();
                (changes.wait(LONG).unwrap(), begun.elapsed() < LONG)
            });
            change(&place, "one");
            assert_eq!(waiting.join().unwrap(), (true, true));
        });
    }

    #[test]
    fn a_writer_that_stays_is_noticed_at_every_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut store = bugle_store::open(&place.database(), Durability::Full).unwrap();
        let mut changes = Changes::of(&place).unwrap();
        for number in 0..20 {
            let begun = Instant::now();
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| changes.wait(LONG).unwrap());
                let name = number.to_string();
                store.project(&name, &name, Timestamp(1)).unwrap();
                assert!(waiting.join().unwrap());
            });
            assert!(begun.elapsed() < LONG, "only the end of the time told");
        }
    }

    #[test]
    fn a_store_that_is_gone_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut changes = Changes::of(&place).unwrap();
        std::fs::remove_file(place.database()).unwrap();
        let error = changes.wait(LONG).unwrap_err();
        assert!(error.to_string().ends_with("is gone"), "{error}");
    }
}
