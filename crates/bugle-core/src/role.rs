//! The roles of agents.

use serde::{Deserialize, Serialize};

use crate::tool::ToolPolicy;

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentRole {
    /// Holds the whole together and talks to the user.
    Orchestrator,
    /// Writes code to a specification.
    Developer,
    /// Judges work and changes nothing.
    QualityReviewer,
    /// Writes for readers.
    TechnicalWriter,
    /// Designs before anything is built.
    Architect,
    /// Finds causes, repairs nothing.
    Debugger,
    /// Looks around and reports.
    Explore,
    /// Anything else.
    GeneralPurpose,
}

/// A role as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// When it is called for, in a line.
    pub description: String,
    /// Which tools it may use.
    pub tools: ToolPolicy,
    /// How able a model has to be, if it matters.
    pub model: Option<ModelSize>,
    /// The text for an agent in this role: the brief, the constraints, the report.
    pub text: String,
}

/// How able a model has to be: a hint for starting a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSize {
    /// A quick one will do.
    Small,
    /// The usual one.
    Medium,
    /// The most able one there is.
    Large,
}

enum_text!(ModelSize {
    Small = "small",
    Medium = "medium",
    Large = "large",
});

enum_text!(AgentRole {
    Orchestrator = "orchestrator",
    Developer = "developer",
    QualityReviewer = "quality-reviewer",
    TechnicalWriter = "technical-writer",
    Architect = "architect",
    Debugger = "debugger",
    Explore = "explore",
    GeneralPurpose = "general-purpose",
});
