//! How long to wait for other writers.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Retry intervals while another writer holds the lock. They are short at first, because usually only one process is
/// waiting.
const QUICK_STEPS: i32 = 400;
const QUICK_STEP: Duration = Duration::from_micros(250);
const SLOW_STEP: Duration = Duration::from_millis(2);

/// How long to wait while another process holds the write lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// For commands: several seconds.
    Usual,
    /// For a hook, because its client is waiting. The limit is a second and a half if the queue does not move, otherwise
    /// the hook's deadline.
    Short,
    /// For a hook after another hook has waited in vain. All hooks of a session together must cost less than two
    /// seconds.
    Brief,
    /// For a migration: another process may be copying a large store.
    Migration,
}

impl Patience {
    /// Maximum time to wait in a queue that does not move.
    pub(crate) const fn still(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            Self::Short => Duration::from_millis(1_400),
            Self::Brief => Duration::from_millis(5),
            Self::Migration => Duration::from_mins(10),
        }
    }

    /// Maximum time to wait for progress on a busy machine. A hook must stop waiting before its time limit, to tell the
    /// next hook that the lock is stuck.
    pub(crate) const fn at_most(self) -> Duration {
        self.still().saturating_mul(2)
    }

    /// How often the first writer in the queue tries to get the lock.
    const fn steps(self) -> i32 {
        match self {
            Self::Usual => 8000,
            Self::Short => 1050,
            Self::Brief => 20,
            Self::Migration => 300_000,
        }
    }

    /// Maximum total waiting time.
    pub(crate) const fn longest(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            // Only an upper bound: the hook's own deadline is earlier.
            Self::Short => Duration::from_secs(10),
            Self::Brief => Duration::ZERO,
            Self::Migration => Duration::from_mins(10),
        }
    }
}

/// The busy handler for this waiting time.
pub(crate) fn waiting(patience: Patience) -> fn(i32) -> bool {
    match patience {
        Patience::Usual => wait_as_usual,
        Patience::Short => wait_for_hook,
        Patience::Brief => wait_briefly,
        Patience::Migration => wait_long,
    }
}

thread_local! {
    /// When this thread's statement began to wait for the lock.
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Sleeps, then returns whether to try again. The limit is mainly a number of tries: on a busy machine, the process that
/// holds the lock is as slow as the processes that wait for it.
fn wait(tries: i32, patience: Patience) -> bool {
    let now = Instant::now();
    let began = BEGAN.get().filter(|_| tries > 0).unwrap_or(now);
    BEGAN.set(Some(began));
    std::thread::sleep(step(tries));
    tries < patience.steps() && began.elapsed() < patience.at_most()
}

/// The busy handler for commands.
pub(crate) fn wait_as_usual(tries: i32) -> bool {
    wait(tries, Patience::Usual)
}

/// The busy handler for a hook.
fn wait_for_hook(tries: i32) -> bool {
    wait(tries, Patience::Short)
}

/// The busy handler for a hook after another hook has waited in vain.
fn wait_briefly(tries: i32) -> bool {
    wait(tries, Patience::Brief)
}

/// The busy handler for a migration.
fn wait_long(tries: i32) -> bool {
    wait(tries, Patience::Migration)
}

/// How long to sleep after this many tries.
fn step(tries: i32) -> Duration {
    if tries < QUICK_STEPS {
        QUICK_STEP
    } else {
        SLOW_STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hooks_of_a_session_wait_less_than_two_seconds_for_a_stuck_lock() {
        const HOOKS: u32 = 50;
        let longest = |patience: Patience| -> Duration {
            let for_lock: Duration = (0..=patience.steps()).map(step).sum();
            for_lock.max(patience.still())
        };
        let session = longest(Patience::Short) + longest(Patience::Brief) * (HOOKS - 1);
        assert!(session < Duration::from_secs(2), "{session:?}");
    }
}
