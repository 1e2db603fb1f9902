//! The wake-up: what an agent that knows nothing is told, put together within a budget.
//!
//! Every part of it is offered at several sizes. Some parts are never cut; the others take what is left, in the order of
//! the claim they have on it. The same offers and the same budget give the same text.

mod assemble;
mod budget;
mod compare;
mod reason;

pub use assemble::{Assembly, Offer, Part, Picked, SizedText, Verdict, assemble};
pub use budget::{Budget, Unit};
pub use compare::compare;
pub use reason::WakeReason;
