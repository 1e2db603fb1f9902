//! Client settings that turn all hooks off.

use std::path::{Path, PathBuf};

use bugle_client::Client;
use bugle_client::setup::Scope;

use crate::Context;
use crate::context::VariableSource;
use crate::setup::client_folders;

/// The files that turn hooks off, among the project's, the user's and the managed settings.
pub(crate) fn files_with_hooks_off(
    ctx: &Context,
    variables: VariableSource<'_>,
    client: Client,
) -> Vec<PathBuf> {
    let Some(switch) = client.off_switch() else {
        return Vec::new();
    };
    let in_folder = |scope, names: &[&str]| -> Vec<PathBuf> {
        let folder = client_folders(ctx, variables, client, scope).own;
        names.iter().map(|name| folder.join(name)).collect()
    };
    let mut files = in_folder(Scope::Project, switch.project_files);
    files.extend(in_folder(Scope::User, switch.user_files));
    files.dedup();
    files.extend(client.settings_files().managed.iter().map(PathBuf::from));
    let is_off = |file: &Path| std::fs::read_to_string(file).is_ok_and(|text| (switch.is_off)(&text));
    files.into_iter().filter(|file| is_off(file)).collect()
}
