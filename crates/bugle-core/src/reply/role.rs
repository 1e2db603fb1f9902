//! Roles: a list, one role in detail, and agent definitions for a client.

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
    /// The role's name in a step.
    pub name: String,
    /// When to use the role.
    pub description: String,
    /// Where the role comes from: project, user or built-in.
    pub source: String,
    /// The role's file; `None` for a built-in role.
    pub path: Option<String>,
    /// The tools that the role must not use.
    pub denied_tools: Vec<String>,
    /// The only tools that the role may use; `None` if there is no such limit.
    pub allowed_tools: Option<Vec<String>>,
    /// The required model size: small, medium or large.
    pub model: Option<String>,
}

/// A role with its brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleDetail {
    /// The role.
    pub entry: RoleEntry,
    /// The role's brief.
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
    /// The file name of the definition.
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
    /// The definition's file.
    pub path: String,
    /// The result of the export.
    pub state: ExportState,
}

/// The result of exporting a role to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportState {
    /// The file was new or different, and was written.
    Written,
    /// The file was up to date.
    Unchanged,
}
