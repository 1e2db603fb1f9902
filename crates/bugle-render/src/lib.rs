//! Renders models as text: XML for agents; text, Markdown and pages for people; workflow graphs and step templates.
//! All functions are pure and return a `String`.

pub mod agent;
mod answer;
pub mod author_text;
pub mod child_text;
mod command_line;
pub mod command_text;
mod delegation;
pub mod doctor;
pub mod evidence_text;
pub mod graph;
pub mod hook_text;
pub mod message;
pub mod notice_text;
mod outline;
mod ownership_text;
pub mod page;
pub mod plan;
mod plan_refusal_text;
pub mod plan_text;
pub mod pooler;
pub mod problem;
pub mod project;
mod question;
pub mod refusal_text;
pub mod refused_text;
mod review_loop;
mod rights_text;
pub mod role;
pub mod run;
pub mod run_graph;
pub mod search;
pub mod setup;
pub mod skill;
pub mod spawn;
pub mod stage_text;
pub mod status;
pub mod step;
pub mod store;
pub mod task;
pub mod task_text;
pub mod team;
pub mod template;
pub mod text;
pub mod timeline_text;
mod value_text;
pub mod wake;
pub mod xml;

pub use answer::answer;
pub use delegation::findings;
pub use outline::{outline, outline_with_checks};

/// The formats of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For agents.
    Xml,
    /// For people at a terminal.
    Text,
    /// For documents.
    Markdown,
}
