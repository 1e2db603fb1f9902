//! Creates a git worktree for an agent, so that agents do not edit the same files.

use std::process::Stdio;

use bugle_client::shell_word;

use crate::{AppError, Context, fs_util, git};

/// Where a branch starts in a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BranchStart {
    /// The clone has the branch.
    Local,
    /// The clone has fetched the branch.
    Fetched,
}

/// Creates a worktree with a new branch named after the agent, and returns its path.
pub(super) fn make(ctx: &Context, name: &str) -> Result<String, AppError> {
    let random = ctx.random()? & 0xffff;
    let name = format!("{name}-{random:04x}");
    let branch = format!("agent/{name}");
    add(ctx, &name, &["-b", &branch])
}

/// Creates a worktree for an agent with a branch that the clone has or has fetched, and returns its path.
pub(super) fn check_out(
    ctx: &Context,
    name: &str,
    branch: &str,
    start: BranchStart,
) -> Result<String, AppError> {
    let name = match branch.strip_prefix("agent/") {
        Some(own) => own.to_owned(),
        None => format!("{name}-{:04x}", ctx.random()? & 0xffff),
    };
    let fetched = format!("origin/{branch}");
    match start {
        BranchStart::Local => add(ctx, &name, &[branch]),
        BranchStart::Fetched => add(ctx, &name, &["-b", branch, &fetched]),
    }
}

/// Runs `git worktree add` for a new folder. `branch` contains `-b` and the new branch, the commit to check out, or
/// both.
fn add(ctx: &Context, name: &str, branch: &[&str]) -> Result<String, AppError> {
    let base = ctx.bugle_home.join("worktrees");
    fs_util::create_private_dir(&base)?;
    let path = base.join(name);
    let (options, commit) = match branch {
        ["-b", new, rest @ ..] => (vec!["-b", new], rest),
        rest => (Vec::new(), rest),
    };
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
                 worktree add {} {} {}",
                word(&ctx.root),
                options.join(" "),
                word(&path),
                commit.join(" ")
            )],
        });
    }
    let output = git::command(&ctx.root)
        .args(["worktree", "add", "--quiet"])
        .args(&options)
        .arg(&path)
        .args(commit)
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
