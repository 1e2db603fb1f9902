//! The XML that agents read: one pure function per element. Only the writer in `element` produces markup. It escapes
//! every value, so the output is well-formed XML 1.0 even if a file, message or result contains markup.
//!
//! - [`step`]: the frame of a step, from its header to the command that ends it;
//! - [`dispatch`]: work for sub-agents, and their final message to the orchestrator;
//! - [`gate`]: a gate's verdict;
//! - [`review`]: the state of a review loop;
//! - [`guidance`]: resources and limits that any step may have.

pub mod dispatch;
pub mod element;
pub mod escape;
pub mod gate;
pub mod guidance;
pub mod review;
pub mod step;

#[cfg(test)]
mod properties;

pub use element::{Content, Element, Rendered};
