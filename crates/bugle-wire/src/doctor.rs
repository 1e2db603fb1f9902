//! What `bugle doctor` answers.

use serde::Serialize;

/// How Bugle and the clients get along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorView {
    /// Whether nothing has to be fixed.
    pub well: bool,
    /// The clients that were found.
    pub clients: Vec<ClientHealth>,
    /// What is about no client in particular.
    pub findings: Vec<HealthFinding>,
}

/// How a client stands, as it is set up for a project or for a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientHealth {
    /// The client.
    pub client: String,
    /// What its makers call it.
    pub title: String,
    /// For whom it is set up: project or user.
    pub scope: String,
    /// What was found.
    pub findings: Vec<HealthFinding>,
}

/// Something that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthFinding {
    /// What was looked at.
    pub check: String,
    /// How it stands.
    pub state: HealthState,
    /// What was found, in a sentence.
    pub says: String,
    /// How to fix it.
    pub remedy: Option<String>,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// As it should be.
    Well,
    /// It may be correct; a person has to check.
    Unsure,
    /// It has to be fixed.
    Wrong,
}

impl HealthState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Unsure => "note",
            Self::Wrong => "WRONG",
        }
    }
}
