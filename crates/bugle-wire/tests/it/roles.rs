//! Tests for the JSON of roles.

use bugle_core::reply::{
    ExportState, ExportedRole, RoleDefinition, RoleDetail, RoleEntry, RoleExport, RoleList,
};

use crate::support::{document, texts};

fn entry() -> RoleEntry {
    RoleEntry {
        name: "explore".to_owned(),
        description: "Use to look around".to_owned(),
        source: "project".to_owned(),
        path: Some("/home/ada/project/.bugle/roles/explore.md".to_owned()),
        denied_tools: texts(["Edit", "Write"]),
        allowed_tools: None,
        model: Some("small".to_owned()),
    }
}

#[test]
fn a_list_of_roles() {
    let bare = RoleEntry {
        name: "developer".to_owned(),
        source: "built-in".to_owned(),
        path: None,
        denied_tools: Vec::new(),
        allowed_tools: Some(texts(["Read"])),
        model: None,
        ..entry()
    };
    let view = RoleList {
        roles: vec![entry(), bare],
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_role() {
    let view = RoleDetail {
        entry: entry(),
        text: "## Brief\n\nLook.".to_owned(),
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn a_definition() {
    let view = RoleDefinition {
        client: "claude".to_owned(),
        role: "explore".to_owned(),
        agent: "bugle-explore".to_owned(),
        file: "bugle-explore.md".to_owned(),
        text: "---\nname: bugle-explore\n---\n\nLook.\n".to_owned(),
    };
    insta::assert_snapshot!(document(&view));
}

#[test]
fn an_export() {
    let written = ExportedRole {
        role: "explore".to_owned(),
        agent: "bugle-explore".to_owned(),
        path: "/home/ada/project/.codex/agents/bugle-explore.toml".to_owned(),
        state: ExportState::Written,
    };
    let unchanged = ExportedRole {
        state: ExportState::Unchanged,
        ..written.clone()
    };
    let view = RoleExport {
        client: "codex".to_owned(),
        folder: "/home/ada/project/.codex/agents".to_owned(),
        files: vec![written, unchanged],
    };
    insta::assert_snapshot!(document(&view));
}
