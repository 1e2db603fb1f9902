//! The log of requests and replies. A test can read it while a client is running.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Reply, Request};

/// A request and the reply to it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// The reply; `None` if the request was not for the model.
    pub reply: Option<Reply>,
}

/// A server's exchanges so far. Clones share the same log.
#[derive(Clone, Default)]
pub struct Log(Arc<(Mutex<Entries>, Condvar)>);

#[derive(Default)]
struct Entries {
    exchanges: Vec<Exchange>,
    panic: Option<Box<dyn Any + Send>>,
    closed: bool,
}

impl fmt::Debug for Log {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Log").field(&self.exchanges()).finish()
    }
}

impl Log {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All exchanges so far.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.entries().exchanges.clone()
    }

    /// The number of exchanges so far.
    pub fn len(&self) -> usize {
        self.entries().exchanges.len()
    }

    /// Whether there are no exchanges yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits up to `longest` for a matching exchange.
    pub fn wait_for(&self, mut wanted: impl FnMut(&Exchange) -> bool, longest: Duration) -> Option<Exchange> {
        let end = Instant::now() + longest;
        let mut entries = self.entries();
        loop {
            if let Some(found) = entries.exchanges.iter().find(|exchange| wanted(exchange)) {
                return Some(found.clone());
            }
            let left = end.checked_duration_since(Instant::now())?;
            let woken = self.0.1.wait_timeout(entries, left);
            entries = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn push(&self, exchange: Exchange) {
        self.entries().exchanges.push(exchange);
        self.0.1.notify_all();
    }

    pub(super) fn keep_panic(&self, panic: Box<dyn Any + Send>) {
        // Keep only the first panic: a client that retries causes the same panic again.
        self.entries().panic.get_or_insert(panic);
    }

    pub(super) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.entries().panic.take()
    }

    pub(super) fn close(&self) {
        self.entries().closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.entries().closed
    }
}
