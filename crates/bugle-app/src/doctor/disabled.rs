//! Settings of Claude Code that turn all hooks off.

use std::path::{Path, PathBuf};

use bugle_core::doctor::Seen;
use bugle_wire::setup::turns_hooks_off;

use crate::Place;
use crate::place::VariableSource;

/// The settings with which an administrator rules over those of users.
const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// The files that turn hooks off: of the project, of the user and managed ones.
pub(super) fn hooks_off(place: &Place, variables: VariableSource<'_>) -> Vec<Seen> {
    let given = variables("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let user = given.map_or_else(
        || place.home.join(".claude"),
        |folder| place.directory.join(folder),
    );
    let project = place.root.join(".claude");
    let mut files: Vec<PathBuf> = vec![
        project.join("settings.json"),
        project.join("settings.local.json"),
        user.join("settings.json"),
    ];
    files.dedup();
    files.extend(MANAGED.map(PathBuf::from));
    let is_off = |file: &Path| std::fs::read_to_string(file).is_ok_and(|text| turns_hooks_off(&text));
    let off = files.into_iter().filter(|file| is_off(file));
    off.map(|file| Seen::HooksOff(file.display().to_string()))
        .collect()
}
