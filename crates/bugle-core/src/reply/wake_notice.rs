//! Notices about a wake-up, outside its text.

use serde::{Deserialize, Serialize};

use super::task_notice::SkillNotice;

/// A notice about a wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeNotice {
    /// The wake-up does not use a template, because the template has a problem.
    Template {
        /// The template's file.
        file: String,
        /// The problem.
        problem: TemplateProblem,
    },
    /// The text of the current skill is not available.
    SkillUnavailable {
        /// The skill's name.
        skill: String,
        /// The reasons.
        notices: Vec<SkillNotice>,
    },
    /// No agent with this name is registered.
    UnknownAgent {
        /// The name.
        agent: String,
        /// The command that lists the agents.
        list: String,
    },
    /// A notice that an earlier version recorded as text.
    #[serde(untagged)]
    Text(String),
}

/// The problem of a wake-up template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateProblem {
    /// The file cannot be read.
    Unreadable(String),
    /// The template names an unknown value.
    UnknownValue {
        /// The line.
        line: Option<usize>,
        /// The name.
        name: String,
        /// The known values.
        known: Vec<String>,
    },
    /// The template cannot be rendered.
    Invalid {
        /// The line.
        line: Option<usize>,
        /// The template engine's message.
        message: String,
    },
    /// The template lacks the placeholder of a required part.
    MissingPart(String),
}
