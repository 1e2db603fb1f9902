//! Tests for the JSON of setup.

use bugle_core::reply::{FileState, PluginView, SetupAction, SetupFile, SetupNote, SetupView};

use crate::support::{document, texts};

#[test]
fn a_set_up() {
    insta::assert_snapshot!(document(&SetupView {
        client: "claude".to_owned(),
        scope: "project".to_owned(),
        action: SetupAction::Check,
        dry_run: false,
        files: vec![SetupFile {
            path: "/work/.claude/settings.json".to_owned(),
            holds: "hooks".to_owned(),
            state: FileState::Missing,
            details: texts(["hook Stop is missing"]),
            diff: None,
        }],
        notes: vec![SetupNote::Client {
            text: "Something to know.".to_owned(),
        }],
    }));
}

#[test]
fn a_plugin() {
    insta::assert_snapshot!(document(&PluginView {
        client: "codex".to_owned(),
        folder: "/work/bugle-plugin".to_owned(),
        files: texts([".agents/plugins/marketplace.json"]),
        install: texts(["codex plugin add bugle@bugle"]),
    }));
}
