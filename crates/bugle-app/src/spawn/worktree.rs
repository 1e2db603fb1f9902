//! A work tree of its own for an agent, so that it and others do not write into the same files.

use std::process::Stdio;

use bugle_wire::setup::shell_word;

use crate::{AppError, Place, folder, git};

/// Makes a work tree with a new branch that is called like the agent; says where it is.
pub(super) fn make(place: &Place, name: &str) -> Result<String, AppError> {
    let base = place.bugle_home.join("worktrees");
    folder::make_private(&base)?;
    let random = crate::random()? & 0xffff;
    let path = base.join(format!("{name}-{random:04x}"));
    let branch = format!("agent/{name}-{random:04x}");
    let programs = git::programs_of_checkout(&place.root);
    if !programs.is_empty() {
        let word = |path: &std::path::Path| shell_word(&path.to_string_lossy());
        return Err(AppError::Usage {
            what: format!(
                "a checkout would run programs that this repository's own git config names ({}), and Bugle runs no code \
                 from a repository; nothing was started",
                programs.join(", ")
            ),
            hints: vec![format!(
                "If you trust them, make the work tree yourself, then start the agent in it with -C: git -C {} worktree \
                 add -b {branch} {}",
                word(&place.root),
                word(&path)
            )],
        });
    }
    let output = git::command(&place.root)
        .args(["worktree", "add", "--quiet", "-b", &branch])
        .arg(&path)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| AppError::System(format!("git cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(AppError::System(format!(
            "git made no work tree in {}; nothing was started: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(path.to_string_lossy().into_owned())
}
