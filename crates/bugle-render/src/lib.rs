//! Model to text: what agents read (XML), what people read (plain text, Markdown, terminal), pictures of workflows,
//! and the templates of steps. Pure functions: values in, a `String` out.

pub mod agent;
mod command_line;
mod delegation;
pub mod doctor;
pub mod graph;
pub mod holder;
pub mod hook;
pub mod message;
mod outline;
pub mod page;
pub mod picture;
pub mod plan;
pub mod plan_views;
pub mod problem;
pub mod project;
mod question;
mod review_loop;
pub mod role;
pub mod run;
pub mod search;
pub mod setup;
pub mod skill;
pub mod spawn;
pub mod step;
pub mod task;
pub mod task_words;
pub mod template;
mod template_scan;
pub mod text;
pub mod wake;
pub mod words;
pub mod xml;

pub use delegation::findings;
pub use outline::{outline, outline_with_checks};

/// The forms in which an answer can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For agents.
    Xml,
    /// For people at a terminal.
    Text,
    /// For programs.
    Json,
    /// For documents.
    Markdown,
}
