//! A work tree of its own for an agent, so that it and others do not write into the same files.

use std::process::{Command, Stdio};

use crate::{AppError, Place, folder};

/// Makes a work tree with a new branch that is called like the agent; says where it is.
pub(super) fn make(place: &Place, name: &str) -> Result<String, AppError> {
    let base = place.bugle_home.join("worktrees");
    folder::make_private(&base)?;
    let random = crate::random()? & 0xffff;
    let path = base.join(format!("{name}-{random:04x}"));
    let output = Command::new("git")
        .arg("-C")
        .arg(&place.root)
        .args(["worktree", "add", "--quiet", "-b"])
        .arg(format!("agent/{name}-{random:04x}"))
        .arg(&path)
        .stdin(Stdio::null())
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
