//! Tests for the text of roles.

use bugle_core::reply::{ExportState, ExportedRole, RoleDetail, RoleEntry, RoleExport, RoleList};
use bugle_render::role;

fn names(tools: &[&str]) -> Vec<String> {
    tools.iter().map(|&tool| tool.to_owned()).collect()
}

fn entry() -> RoleEntry {
    RoleEntry {
        name: "explore".to_owned(),
        description: "Use to look around".to_owned(),
        source: "project".to_owned(),
        path: Some("/home/ada/project/.bugle/roles/explore.md".to_owned()),
        denied_tools: names(&["Edit", "Write"]),
        allowed_tools: None,
        model: Some("small".to_owned()),
    }
}

#[test]
fn for_people() {
    let others = [
        RoleEntry {
            name: "developer".to_owned(),
            source: "built-in".to_owned(),
            path: None,
            denied_tools: Vec::new(),
            model: None,
            ..entry()
        },
        RoleEntry {
            allowed_tools: Some(names(&["Read", "Bash"])),
            ..entry()
        },
        RoleEntry {
            allowed_tools: Some(Vec::new()),
            description: "red \u{1b}[31m".to_owned(),
            ..entry()
        },
    ];
    let list = role::list(&RoleList {
        roles: std::iter::once(entry()).chain(others).collect(),
    });
    let detail = role::detail(&RoleDetail {
        entry: entry(),
        text: "## Brief\n\nLook.".to_owned(),
    });
    insta::assert_snapshot!(format!("{list}\n{detail}"));
}

#[test]
fn what_an_export_did() {
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
    let notes = [
        "Claude Code loads exported agents in its next session.",
        "Codex loads exported agents in its next session if it trusts the project.",
    ];
    let texts = notes.map(|note| role::export(&view, note));
    insta::assert_snapshot!(texts.join("\n"));
}
