//! Agent roles.

use serde::{Deserialize, Serialize};

use crate::tool::ToolPolicy;

/// An agent's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentRole {
    /// Coordinates the work and talks to the user.
    Orchestrator,
    /// Writes code from a specification.
    Developer,
    /// Reviews work without changing it.
    QualityReviewer,
    /// Writes documentation.
    TechnicalWriter,
    /// Designs a solution before others build it.
    Architect,
    /// Finds causes without fixing them.
    Debugger,
    /// Reads code and reports facts.
    Explore,
    /// Anything else.
    GeneralPurpose,
}

/// The contents of a role's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// One line that says when to use the role.
    pub description: String,
    /// The tools that an agent in this role may use.
    pub tools: ToolPolicy,
    /// How capable the model must be, if that matters.
    pub model: Option<ModelSize>,
    /// The instructions for an agent in this role.
    pub text: String,
}

/// How capable a sub-agent's model must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSize {
    /// A fast model is enough.
    Small,
    /// The default.
    Medium,
    /// The most capable model.
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
