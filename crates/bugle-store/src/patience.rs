//! How long to wait for other processes that write.

use std::time::Duration;

/// How often the store is tried again while another writer holds it: at first in quick steps, since as a rule only one
/// process tries at a time, then in slow ones.
const QUICK_STEPS: i32 = 400;
const QUICK_STEP: Duration = Duration::from_micros(250);
const SLOW_STEP: Duration = Duration::from_millis(2);

/// How long to wait while another process holds the write lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Some seconds: the work has to be done.
    Usual,
    /// For a hook, whose client waits: three seconds for a queue that stands still, and until the hook's deadline for
    /// one that moves.
    Short,
    /// For a migration: another process may be copying a large store.
    Migration,
}

impl Patience {
    /// How long to wait in a queue that stands still.
    pub(crate) const fn still(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            Self::Short => Duration::from_secs(3),
            Self::Migration => Duration::from_mins(10),
        }
    }

    /// How long all waiting on one connection may take.
    pub(crate) const fn longest(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            // The hook's own deadline comes first.
            Self::Short => Duration::from_secs(10),
            Self::Migration => Duration::from_mins(10),
        }
    }

    /// How often the first in the queue tries to lock.
    const fn steps(self) -> i32 {
        match self {
            Self::Usual => 8000,
            Self::Short => 1850,
            Self::Migration => 300_000,
        }
    }
}

/// How to wait for the lock.
pub(crate) fn waiting(patience: Patience) -> fn(i32) -> bool {
    match patience {
        Patience::Usual => wait_a_little,
        Patience::Short => wait_briefly,
        Patience::Migration => wait_long,
    }
}

/// Waits for another writer; gives up after some seconds.
pub(crate) fn wait_a_little(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Usual.steps()
}

/// The same, for a hook.
fn wait_briefly(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Short.steps()
}

/// The same, for a migration.
fn wait_long(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Migration.steps()
}

fn pause(tries: i32) {
    std::thread::sleep(if tries < QUICK_STEPS {
        QUICK_STEP
    } else {
        SLOW_STEP
    });
}
