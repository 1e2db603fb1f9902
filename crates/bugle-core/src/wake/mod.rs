//! The wake-up: what an agent that knows nothing is told, put together within a budget.
//!
//! Every part of it is offered at several sizes. Some parts are never cut; the others take what is left, in the order of
//! the claim they have on it: first the least of each, then what is wanted whole, then a digest of each, then as much as
//! there is room for. The same offers and the same budget give the same text.

mod assemble;
#[cfg(test)]
mod assemble_tests;
mod budget;
mod compare;
mod last_words;
mod part;
mod queue;
mod reason;
mod recovery;

pub use assemble::{Assembly, Offer, Picked, SizedText, Verdict, assemble};
pub use budget::{Budget, Unit};
pub use compare::compare;
pub use last_words::{LOG_WINDOW_BYTES, LastWords};
pub use part::Part;
pub use queue::{Queue, Told, least_told};
pub use reason::WakeReason;
pub use recovery::{Departed, FAILURES_TO_SPLIT, Failures, Takeover, Uncommitted};
