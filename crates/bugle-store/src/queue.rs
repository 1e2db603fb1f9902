//! Whoever wants to write waits in a queue. `SQLite` gives its lock to whoever happens to try at the right moment: among
//! many writers one can wait for ever. So only the first in the queue tries, and the operating system keeps the order.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::private;

/// The first place in the queue. Whoever drops it lets the next one step forward.
#[derive(Debug)]
pub(crate) struct FirstPlace {
    /// Where no queue can be kept, everybody is the first.
    _held: Option<File>,
}

/// Waits for the first place in the queue of this store. After each `patience` it asks whether to go on waiting; `None` if
/// not.
pub(crate) fn wait(
    store: &Path,
    patience: Duration,
    mut goes_on: impl FnMut() -> bool,
) -> Option<FirstPlace> {
    let without = Some(FirstPlace { _held: None });
    let Ok(file) = private::options().create(true).append(true).open(beside(store)) else {
        return without;
    };
    match file.try_lock() {
        Ok(()) => return Some(FirstPlace { _held: Some(file) }),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(_)) => return without,
    }
    // A lock cannot be waited for with a limit, a thread can. If it gets the lock too late, nobody takes it from the thread,
    // and it falls free at once.
    let (send, receive) = mpsc::channel();
    let waiting = std::thread::Builder::new().spawn(move || {
        let held = file.lock().is_ok().then_some(file);
        let _ = send.send(FirstPlace { _held: held });
    });
    match waiting {
        Ok(_) => loop {
            match receive.recv_timeout(patience) {
                Ok(first) => break Some(first),
                Err(mpsc::RecvTimeoutError::Timeout) if goes_on() => {}
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
    fn there_is_one_first_place_and_patience_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("bugle.db");
        let first = wait(&store, LONG, || false);
        assert!(wait(&store, Duration::from_millis(1), || false).is_none());
        let mut asked = 0;
        let given_up = wait(&store, Duration::from_millis(1), || {
            asked += 1;
            asked < 3
        });
        assert!(given_up.is_none());
        assert_eq!(asked, 3, "a queue that moves is waited in for longer");
        drop(first);
        assert!(wait(&store, LONG, || false).is_some());
    }

    #[test]
    fn without_a_file_for_the_queue_everybody_is_the_first() {
        let nowhere = Path::new("/nowhere/bugle.db");
        let first = wait(nowhere, LONG, || false);
        let second = wait(nowhere, Duration::ZERO, || false);
        assert!(first.is_some() && second.is_some());
    }
}
