//! The answer of `bugle doctor`.

use serde::Serialize;
/// The health of the client integrations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorView {
    /// Whether there is nothing to fix.
    pub well: bool,
    /// The clients that were found.
    pub clients: Vec<ClientHealth>,
    /// Findings that do not concern a particular client.
    pub findings: Vec<HealthFinding>,
    /// How to set up a client, if none is set up.
    pub remedy: Option<String>,
}

/// The health of one client's integration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientHealth {
    /// The client.
    pub client: String,
    /// The client's display name.
    pub title: String,
    /// The scope of the setup: project or user.
    pub scope: String,
    /// The findings.
    pub findings: Vec<HealthFinding>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthFinding {
    /// The subject of the check.
    pub check: String,
    /// The result.
    pub state: HealthState,
    /// The finding, as one sentence.
    pub says: String,
    /// How to fix the problem.
    pub remedy: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Correct.
    Well,
    /// Possibly correct; the user must check.
    Unsure,
    /// Wrong; a fix is needed.
    Wrong,
}

impl HealthState {
    /// The label in text output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Unsure => "note",
            Self::Wrong => "FAIL",
        }
    }
}
