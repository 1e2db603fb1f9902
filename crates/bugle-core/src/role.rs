//! Who acts in a step.

use std::fmt;
use std::str::FromStr;

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
    /// What whoever takes the role is told: the brief, the constraints, the report.
    pub text: String,
}

/// How able a model has to be: a hint for whoever starts a sub-agent.
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

impl ModelSize {
    /// Every size.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The word for it in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }
}

impl FromStr for ModelSize {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|size| size.as_str() == text).ok_or(())
    }
}

impl AgentRole {
    /// Every role.
    pub const ALL: [Self; 8] = [
        Self::Orchestrator,
        Self::Developer,
        Self::QualityReviewer,
        Self::TechnicalWriter,
        Self::Architect,
        Self::Debugger,
        Self::Explore,
        Self::GeneralPurpose,
    ];

    /// The word for it in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Orchestrator => "orchestrator",
            Self::Developer => "developer",
            Self::QualityReviewer => "quality-reviewer",
            Self::TechnicalWriter => "technical-writer",
            Self::Architect => "architect",
            Self::Debugger => "debugger",
            Self::Explore => "explore",
            Self::GeneralPurpose => "general-purpose",
        }
    }
}

impl fmt::Display for AgentRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AgentRole {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}
