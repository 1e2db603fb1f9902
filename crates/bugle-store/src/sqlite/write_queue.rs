//! A queue of writers. `SQLite` gives its lock to whichever process tries at the right moment, so a writer could
//! starve. With the queue, only the first writer tries, and the operating system keeps the others in order.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::permissions;

/// The first place in the queue. Dropping it lets the next writer in.
#[derive(Debug)]
pub(crate) struct FirstPlace {
    /// `None` if the queue file cannot be created: then every writer is first.
    _held: Option<File>,
}

/// Waits for the first place in the store's queue. Each time `round` has passed, the callback decides whether to keep
/// waiting; if not, returns `None`.
pub(crate) fn wait(
    store: &Path,
    round: Duration,
    mut keeps_waiting: impl FnMut() -> bool,
) -> Option<FirstPlace> {
    let without = Some(FirstPlace { _held: None });
    let Ok(file) = permissions::options()
        .create(true)
        .append(true)
        .open(beside(store))
    else {
        return without;
    };
    match file.try_lock() {
        Ok(()) => return Some(FirstPlace { _held: Some(file) }),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(_)) => return without,
    }
    // Waiting for a lock has no timeout, so a thread waits for it. A thread that gets the lock too late releases it
    // at once.
    let (send, receive) = mpsc::channel();
    let waiting = std::thread::Builder::new().spawn(move || {
        let held = file.lock().is_ok().then_some(file);
        let _ = send.send(FirstPlace { _held: held });
    });
    match waiting {
        Ok(_) => loop {
            match receive.recv_timeout(round) {
                Ok(first) => break Some(first),
                Err(mpsc::RecvTimeoutError::Timeout) if keeps_waiting() => {}
                Err(_) => break None,
            }
        },
        Err(_) => without,
    }
}

fn beside(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-queue");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn one_writer_is_first_and_waiting_times_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("bugle.db");
        let first = wait(&store, LONG, || false);
        assert!(wait(&store, Duration::from_millis(1), || false).is_none());
        let mut asked = 0;
        let timed_out = wait(&store, Duration::from_millis(1), || {
            asked += 1;
            asked < 3
        });
        assert!(timed_out.is_none());
        assert_eq!(asked, 3, "a writer waits longer while the queue advances");
        drop(first);
        assert!(wait(&store, LONG, || false).is_some());
    }

    #[test]
    fn without_a_queue_file_every_writer_is_first() {
        let nowhere = Path::new("/nowhere/bugle.db");
        let first = wait(nowhere, LONG, || false);
        let second = wait(nowhere, Duration::ZERO, || false);
        assert!(first.is_some() && second.is_some());
    }
}
