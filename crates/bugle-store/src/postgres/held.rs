//! Deferred writes: they are sent with the next flight, in a transaction of their own.

use super::flight::{Part, Statement};
use super::schema::COMMIT;
use super::{NoAnswer, Postgres};
use crate::{Durability, StoreError};

/// Deferred writes.
#[derive(Debug, Default)]
pub(super) struct Held {
    writes: Vec<Statement>,
    /// Whether one of the writes must survive a power loss.
    is_durable: bool,
}

/// Whether the deferred writes were committed, after the flight that included them failed.
pub(super) enum HeldOutcome {
    Committed,
    NotCommitted,
    /// The connection was lost before the server answered.
    Unknown,
}

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.writes.len()
    }

    pub(super) fn durability(&self) -> Durability {
        if self.is_durable {
            Durability::Full
        } else {
            Durability::Normal
        }
    }

    /// Adds the transaction of the deferred writes to a flight.
    pub(super) fn add_to<'a>(&'a self, flight: &mut Vec<Part<'a>>, begin: &'a str) {
        if !self.is_empty() {
            flight.push(Part::Batch(begin));
            flight.extend(self.writes.iter().map(Part::Statement));
            flight.push(Part::Batch(COMMIT));
        }
    }

    /// Whether the writes were committed, given that the part at `place` failed. The deferred writes end before the
    /// part at `own`.
    pub(super) fn outcome(&self, none: &NoAnswer, place: usize, own: usize) -> HeldOutcome {
        match none {
            _ if self.is_empty() => HeldOutcome::Committed,
            NoAnswer::Error(_) if place >= own => HeldOutcome::Committed,
            // The server itself reported the error, so it did not execute any later part.
            NoAnswer::Error(error)
                if error.as_db_error().is_some() && (!none.is_lost() || place + 1 < own) =>
            {
                HeldOutcome::NotCommitted
            }
            NoAnswer::Error(_) | NoAnswer::TimedOut | NoAnswer::Explained(_) => HeldOutcome::Unknown,
        }
    }
}

impl Postgres {
    /// Starts to defer writes outside transactions, and transactions that only write. The next flight or
    /// [`Self::flush`] sends them and reports their errors.
    pub(crate) fn hold_back_writes(&mut self) {
        self.holds_back = true;
    }

    /// Defers these writes, with the current durability.
    pub(super) fn hold(&mut self, mut writes: Vec<Statement>) {
        if !writes.is_empty() {
            self.held.is_durable |= self.durability == Durability::Full;
            self.held.writes.append(&mut writes);
        }
    }

    /// Sends the deferred writes.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        if self.held.is_empty() {
            return Ok(());
        }
        let sent = self.send(&[], true);
        sent.map(|_| ()).map_err(|none| self.explain(none))
    }

    /// Closes a snapshot that has ended but is still open on the server.
    pub(crate) fn close_snapshot(&mut self) -> Result<(), StoreError> {
        if !self.closes_snapshot {
            return Ok(());
        }
        let sent = self.send(&[], true);
        sent.map(|_| ()).map_err(|none| self.explain(none))
    }
}
