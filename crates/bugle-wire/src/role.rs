//! Roles: in a list, one in detail, and as definitions that a client takes for agents of its own.

use serde::Serialize;

/// Every role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleList {
    /// The roles.
    pub roles: Vec<RoleEntry>,
}

/// A role in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleEntry {
    /// What a step calls it.
    pub name: String,
    /// When it is called for.
    pub description: String,
    /// Where it comes from: project, user or built-in.
    pub source: String,
    /// Its file; none for a built-in one.
    pub path: Option<String>,
    /// The tools that may not be used.
    pub denied_tools: Vec<String>,
    /// The only tools that may be used, if there is such a list.
    pub allowed_tools: Option<Vec<String>>,
    /// How able a model has to be, if it matters: small, medium or large.
    pub model: Option<String>,
}

/// A role with its brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleDetail {
    /// The role.
    pub entry: RoleEntry,
    /// Its brief.
    pub text: String,
}

/// A role as a client reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleDefinition {
    /// The client: claude or codex.
    pub client: String,
    /// The role.
    pub role: String,
    /// What the client calls the agent.
    pub agent: String,
    /// The name of the file that it belongs in.
    pub file: String,
    /// What belongs in the file.
    pub text: String,
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleExport {
    /// The client: claude or codex.
    pub client: String,
    /// The folder of the definitions.
    pub folder: String,
    /// The definitions, in the order of the roles.
    pub files: Vec<ExportedRole>,
}

/// A definition in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedRole {
    /// The role.
    pub role: String,
    /// What the client calls the agent.
    pub agent: String,
    /// Its file.
    pub path: String,
    /// What was done.
    pub state: ExportState,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// It was written: it was not there, or said something else.
    Written,
    /// It said the same already and was left alone.
    Unchanged,
}
