//! Roles: a list, one role in detail, and agent definitions for a client.

use crate::words::Word;

shapes! {
    RoleList {
        roles: Vec<RoleEntry>,
    }
    RoleEntry {
        name: String,
        description: String,
        source: String,
        path: Option<String>,
        denied_tools: Vec<String>,
        allowed_tools: Option<Vec<String>>,
        model: Option<String>,
    }
    RoleDetail {
        entry: RoleEntry,
        text: String,
    }
    RoleDefinition {
        client: String,
        role: String,
        agent: String,
        file: String,
        text: String,
    }
    RoleExport {
        client: String,
        folder: String,
        files: Vec<ExportedRole>,
    }
    ExportedRole {
        role: String,
        agent: String,
        path: String,
        state: Word,
    }
}
