//! Who acts in a step.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentRole {
    /// Holds the whole together and talks to the user.
    #[default]
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
