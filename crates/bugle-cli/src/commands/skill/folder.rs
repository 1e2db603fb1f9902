//! The folder for new skills.

use std::path::PathBuf;

use bugle_app::Context;

/// The user's or the project's skill folder.
pub(super) fn skills_folder(ctx: &Context, user: bool) -> PathBuf {
    if user {
        ctx.bugle_home.join("skills")
    } else {
        ctx.root.join(".bugle/skills")
    }
}
