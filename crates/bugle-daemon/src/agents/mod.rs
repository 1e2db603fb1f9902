//! Agents' processes: the carrier that runs one client with one prompt, the supervisor that looks after all of them, and
//! following what one prints.

mod carrier;
mod changes;
mod follow;
mod supervisor;

pub use carrier::carry;
pub use follow::follow;
pub use supervisor::{Supervision, up};
