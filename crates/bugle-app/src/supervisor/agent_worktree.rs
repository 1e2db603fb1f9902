//! Creates a git worktree for an agent, so that agents do not edit the same files.

use std::process::Stdio;

use bugle_client::shell_word;

use crate::{AppError, Context, fs_util, git};

/// Creates a worktree with a new branch named after the agent, and returns its path.
pub(super) fn make(ctx: &Context, name: &str) -> Result<String, AppError> {
    let base = ctx.bugle_home.join("worktrees");
    fs_util::create_private_dir(&base)?;
    let random = ctx.random()? & 0xffff;
    let path = base.join(format!("{name}-{random:04x}"));
    let branch = format!("agent/{name}-{random:04x}");
    let programs = git::checkout_programs(&ctx.root);
    if !programs.is_empty() {
        let word = |path: &std::path::Path| shell_word(&path.to_string_lossy());
        return Err(AppError::Usage {
            what: format!(
                "cannot create a worktree: a checkout would run programs from this repository's git config ({}); nothing \
                 was started",
                programs.join(", ")
            ),
            hints: vec![format!(
                "If you trust these programs, create the worktree yourself, then start the agent there with -C: git -C {} \
                 worktree add -b {branch} {}",
                word(&ctx.root),
                word(&path)
            )],
        });
    }
    let output = git::command(&ctx.root)
        .args(["worktree", "add", "--quiet", "-b", &branch])
        .arg(&path)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| AppError::System(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        return Err(AppError::System(format!(
            "git could not create the worktree {}; nothing was started: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(path.to_string_lossy().into_owned())
}
