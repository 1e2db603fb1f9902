//! Random workflows: valid by construction, or breaking exactly one rule.

mod broken;
mod build;
mod faults;
mod guard;
mod paths;
mod plan;
mod shape;
mod site;
mod tasks;
#[cfg(test)]
mod tests;
mod valid;

pub use broken::{Broken, broken_workflow};
pub use shape::sound_shape;
pub use tasks::over_tasks;
pub use valid::{steerable_workflow, valid_workflow};

/// Maximum number of steps in a random workflow.
pub const MAX_STEPS: usize = 12;
