//! Time limits for the server. A hook waits less than 800 ms in total, because its client waits for it.

use std::time::{Duration, Instant};

use crate::sqlite::Patience;

/// Time limits for the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The limit for the password command.
    password: Duration,
    /// The limit for connecting.
    connect: Duration,
    /// The limit for a statement, including its wait for other transactions.
    statement: Duration,
    /// The limit for waiting for other transactions.
    lock: Duration,
    /// The deadline for all waits.
    end: Option<Instant>,
}

/// The total time that a hook waits.
const HOOK: Duration = Duration::from_millis(750);
/// How long the password command may take: it may ask the user to unlock a key.
const PASSWORD: Duration = Duration::from_secs(30);

impl Limits {
    pub(super) fn of(patience: Patience) -> Self {
        match patience {
            Patience::Usual => Self {
                password: PASSWORD,
                connect: Duration::from_secs(10),
                statement: Duration::from_mins(1),
                lock: Duration::from_secs(16),
                end: None,
            },
            Patience::Short | Patience::Brief => Self {
                password: HOOK,
                connect: HOOK,
                statement: HOOK,
                lock: Duration::from_millis(500),
                end: Some(Instant::now() + HOOK),
            },
            Patience::Migration => Self {
                password: PASSWORD,
                connect: Duration::from_secs(10),
                statement: Duration::from_mins(20),
                lock: Duration::from_mins(10),
                end: None,
            },
        }
    }

    fn left(&self, longest: Duration) -> Duration {
        self.end.map_or(longest, |end| {
            longest.min(end.saturating_duration_since(Instant::now()))
        })
    }

    pub(super) fn password(&self) -> Duration {
        self.left(self.password)
    }

    pub(super) fn connect(&self) -> Duration {
        self.left(self.connect)
    }

    pub(super) fn statement(&self) -> Duration {
        self.left(self.statement)
    }

    /// The settings of a transaction. They end with the transaction, because a pooler may then give the connection to
    /// another process.
    pub(super) fn settings(&self) -> String {
        // 0 would mean no limit.
        let statement = self.statement().as_millis().max(1);
        let lock = self.left(self.lock).as_millis().max(1);
        format!(
            "SET LOCAL statement_timeout = {statement}; SET LOCAL lock_timeout = {lock}; \
             SET LOCAL idle_in_transaction_session_timeout = 60000"
        )
    }
}
