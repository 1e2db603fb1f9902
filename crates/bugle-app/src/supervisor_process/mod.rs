//! Agents' process groups, the supervisor's lock, and starting a supervisor on demand.

pub mod hosts;
mod lock;
mod on_demand;
pub(crate) mod process;

pub use lock::{StartedBy, SupervisorLock};
pub use on_demand::ensure_supervisor;
pub(crate) use on_demand::ensure_supervisor_for;
