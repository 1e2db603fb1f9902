//! The wake-up: the context for an agent that knows nothing, assembled within a budget.
//!
//! Every part of it is offered at several sizes. Some parts are never cut; the others take what is left, in the order of
//! the claim they have on it: first the least of each, then what is wanted whole, then a digest of each, then as much as
//! there is room for. The same offers and the same budget give the same text.

mod assemble;
#[cfg(test)]
mod assemble_tests;
mod budget;
mod log_tail;
mod part;
mod queue;
mod reason;
mod recovery;

pub use assemble::{Assembly, Offer, PartResult, Picked, SizedText, assemble};
pub use budget::{Budget, Unit};
pub use log_tail::{LOG_WINDOW_BYTES, LogTail};
pub use part::Part;
pub use queue::{Queue, ShownMessages, minimum_shown};
pub use reason::WakeReason;
pub use recovery::{FAILURES_TO_SPLIT, Failures, LostAgent, Takeover, Uncommitted};
