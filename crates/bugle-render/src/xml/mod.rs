//! What an agent reads: one pure function per XML element.
//!
//! Every function takes plain typed values and returns an [`Element`]; nothing
//! here does any input or output, and the same values always give the same
//! bytes. Only the writer in `element` turns values into markup, and it escapes
//! every one of them, so that whatever a file, a message or a result contains,
//! the output is well-formed XML 1.0.
//!
//! The elements are grouped by the moment at which they matter:
//!
//! - [`step`]: the frame of a step, from its header to the command that ends it;
//! - [`dispatch`]: work handed to sub-agents, and their last word to the orchestrator;
//! - [`gate`]: the verdict on a piece of work, and where it leads;
//! - [`review`]: how a reviewer looks at the work;
//! - [`guidance`]: material and limits that any step may carry.

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
