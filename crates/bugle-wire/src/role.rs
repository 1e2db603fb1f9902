//! Roles: a list, one in detail, and agent definitions for a client.

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
    /// Its name in a step.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Where it comes from: project, user or built-in.
    pub source: String,
    /// Its file; `None` if it is built in.
    pub path: Option<String>,
    /// The tools it must not use.
    pub denied_tools: Vec<String>,
    /// The only tools it may use; `None` if there is no such limit.
    pub allowed_tools: Option<Vec<String>>,
    /// Its model size, if it requires one: small, medium or large.
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

/// An agent definition for a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleDefinition {
    /// The client: claude or codex.
    pub client: String,
    /// The role.
    pub role: String,
    /// The agent's name in the client.
    pub agent: String,
    /// The name of its file.
    pub file: String,
    /// The text of the file.
    pub text: String,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleExport {
    /// The client: claude or codex.
    pub client: String,
    /// The folder of the definitions.
    pub folder: String,
    /// The definitions, in role order.
    pub files: Vec<ExportedRole>,
}

/// An exported definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedRole {
    /// The role.
    pub role: String,
    /// The agent's name in the client.
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
    /// It was new or different, and was written.
    Written,
    /// It was up to date.
    Unchanged,
}
