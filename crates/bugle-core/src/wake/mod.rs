//! The wake-up: context for an agent that starts from nothing, assembled within a budget.
//!
//! Every part comes in several sizes. Some parts are never shortened. The others share the remaining room by priority:
//! first a digest of the step, then the minimum of each part, then the parts that should be whole, then a digest of each
//! part, then as much as fits. The same offers and budget always give the same text.

mod assemble;
#[cfg(test)]
mod assemble_tests;
mod budget;
mod choice;
mod log_tail;
mod offer;
mod part;
mod queue;
mod reason;
mod recovery;

pub use assemble::{Assembly, assemble};
pub use budget::{Budget, Unit};
pub use log_tail::{LOG_WINDOW_BYTES, LogTail};
pub use offer::{Known, Offer, PartResult, Picked, SizedText};
pub use part::Part;
pub use queue::{Queue, ShownMessages, minimum_shown};
pub use reason::WakeReason;
pub use recovery::{FAILURES_TO_SPLIT, Failures, LostAgent, Takeover, Uncommitted};
