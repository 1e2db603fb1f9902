//! The lock that allows one supervisor per store. The operating system releases it when the process ends.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::AppError;

/// Number of attempts to take the lock while an on-demand supervisor shuts down.
const TRIES: u32 = 200;
/// Number of attempts to take the lock in all other cases. A process that was just killed may still hold the lock for a
/// moment.
const TRIES_WHILE_TAKEN: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);
/// Written to the lock file after the pid, to mark an on-demand supervisor.
const ON_DEMAND: &str = "on demand";

/// How a supervisor was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartedBy {
    /// By the user.
    Hand,
    /// On demand, by a message or a spawn. An on-demand supervisor shuts down when the user starts a supervisor.
    Demand,
}

/// The lock, held while a supervisor runs.
#[derive(Debug)]
pub struct SupervisorLock(File);

impl SupervisorLock {
    /// The name prefix of the file that asks an on-demand supervisor to shut down.
    pub const WANTED: &str = "up.wanted";

    /// Takes the lock. If the user is starting this supervisor, first asks an on-demand supervisor to shut down.
    pub fn take(home: &Path, by: StartedBy) -> Result<Self, AppError> {
        let path = home.join("up.lock");
        let cannot = |source| AppError::File {
            what: "cannot lock",
            path: path.clone(),
            source,
        };
        let mut file = crate::fs_util::private_options()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(cannot)?;
        let wanted = home.join(Self::WANTED);
        let mut holder = String::new();
        for tries in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    // Any request to shut down has been fulfilled.
                    let _ = std::fs::remove_file(&wanted);
                    file.set_len(0).map_err(cannot)?;
                    file.rewind().map_err(cannot)?;
                    let what = match by {
                        StartedBy::Hand => format!("{}\n", std::process::id()),
                        StartedBy::Demand => format!("{} {ON_DEMAND}\n", std::process::id()),
                    };
                    file.write_all(what.as_bytes()).map_err(cannot)?;
                    return Ok(Self(file));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(cannot(source)),
            }
            holder.clear();
            file.rewind().map_err(cannot)?;
            // Ignore a read error: only the error message needs the holder.
            let _ = file.read_to_string(&mut holder);
            if by == StartedBy::Hand && holder.trim_end().ends_with(ON_DEMAND) {
                crate::fs_util::private_options()
                    .create(true)
                    .write(true)
                    .truncate(true)
                    .open(&wanted)
                    .map_err(cannot)?;
            } else if tries >= TRIES_WHILE_TAKEN {
                break;
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        Err(AppError::Usage {
            what: format!(
                "a supervisor for this store is already running: process {}",
                holder.trim()
            ),
            hints: vec!["One supervisor serves the agents of all projects.".to_owned()],
        })
    }

    /// Whether a supervisor holds the lock.
    pub(super) fn is_held(home: &Path) -> bool {
        let path: PathBuf = home.join("up.lock");
        // Try a shared lock, so that two processes that check at the same time do not mistake each other for a
        // supervisor.
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for SupervisorLock {
    /// Releases the lock now, even if a child process that is starting has inherited the file.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_holds_the_lock_and_others_see_its_pid() {
        let home = tempfile::tempdir().unwrap();
        assert!(!SupervisorLock::is_held(home.path()));
        let first = SupervisorLock::take(home.path(), StartedBy::Hand).unwrap();
        assert!(SupervisorLock::is_held(home.path()));
        for by in [StartedBy::Hand, StartedBy::Demand] {
            let refused = SupervisorLock::take(home.path(), by).unwrap_err().to_string();
            assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        }
        drop(first);
        assert!(!SupervisorLock::is_held(home.path()));
    }

    #[test]
    fn an_on_demand_supervisor_is_asked_to_shut_down() {
        let home = tempfile::tempdir().unwrap();
        let mut first = Some(SupervisorLock::take(home.path(), StartedBy::Demand).unwrap());
        let folder = home.path().to_owned();
        let second = std::thread::spawn(move || SupervisorLock::take(&folder, StartedBy::Hand).map(|_| ()));
        let wanted = home.path().join(SupervisorLock::WANTED);
        let mut looks = 0;
        while first.is_some() {
            if wanted.exists() {
                first = None;
            }
            looks += 1;
            assert!(
                looks < 1_000_000_000,
                "the first supervisor was never asked to stop"
            );
            std::thread::yield_now();
        }
        second.join().unwrap().unwrap();
        assert!(!wanted.exists());
    }
}
