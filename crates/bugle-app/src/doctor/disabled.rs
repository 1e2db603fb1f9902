//! Settings of Claude Code that turn all hooks off.

use std::path::{Path, PathBuf};

use bugle_client::setup::Scope;
use bugle_client::{Client, turns_hooks_off};
use bugle_core::doctor::Seen;

use crate::Context;
use crate::context::VariableSource;
use crate::setup::client_folders;

/// The files that turn hooks off: of the project, of the user and managed ones.
pub(super) fn hooks_off(ctx: &Context, variables: VariableSource<'_>) -> Vec<Seen> {
    let folder = |scope| client_folders(ctx, variables, Client::Claude, scope).own;
    let (project, user) = (folder(Scope::Project), folder(Scope::User));
    let mut files: Vec<PathBuf> = vec![
        project.join("settings.json"),
        project.join("settings.local.json"),
        user.join("settings.json"),
    ];
    files.dedup();
    files.extend(Client::Claude.settings_files().managed.iter().map(PathBuf::from));
    let is_off = |file: &Path| std::fs::read_to_string(file).is_ok_and(|text| turns_hooks_off(&text));
    let off = files.into_iter().filter(|file| is_off(file));
    off.map(|file| Seen::HooksOff(file.display().to_string()))
        .collect()
}
