//! Records the files that a reviewer saw, so that a refusal can name the files that changed afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bugle_core::id::ChildToken;
use bugle_core::reply::ChangedFiles;
use serde::{Deserialize, Serialize};

use crate::worktree::uncommitted;
use crate::{Context, git, work_files};

/// Maximum number of changed files to name.
const MAX_NAMED: usize = 5;

/// A worktree's commit, and the content of each file that differs from it.
#[derive(Serialize, Deserialize)]
struct ReviewedFiles {
    commit: Option<String>,
    files: BTreeMap<String, String>,
}

impl ReviewedFiles {
    fn read(folder: &Path) -> Option<Self> {
        let (commit, files) = uncommitted(folder)?;
        Some(Self { commit, files })
    }
}

/// Records the files that a reviewer saw. The record only improves a message, so a failure is harmless.
pub(crate) fn record(ctx: &Context, child: &ChildToken, folder: &Path) {
    if let Some(seen) = ReviewedFiles::read(folder)
        && let Ok(text) = serde_json::to_string(&seen)
    {
        let _ = fs::write(work_files::reviewed_files(ctx, child), text);
    }
}

/// The files that changed after a review; `None` if these files are not known.
pub(crate) fn changed_since(ctx: &Context, child: &ChildToken, folder: &Path) -> Option<ChangedFiles> {
    let text = fs::read_to_string(work_files::reviewed_files(ctx, child)).ok()?;
    let seen: ReviewedFiles = serde_json::from_str(&text).ok()?;
    let now = ReviewedFiles::read(folder)?;
    let mut changed: Vec<String> = seen
        .files
        .keys()
        .chain(now.files.keys())
        .filter(|path| seen.files.get(*path) != now.files.get(*path))
        .cloned()
        .collect();
    if let (Some(then), Some(now)) = (&seen.commit, &now.commit)
        && then != now
    {
        let names = git::output(folder, &["diff-tree", "-r", "--name-only", "-z", then, now])?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        changed.extend(names.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    changed.sort_unstable();
    changed.dedup();
    let more = changed.len().saturating_sub(MAX_NAMED);
    changed.truncate(MAX_NAMED);
    (!changed.is_empty()).then_some(ChangedFiles { files: changed, more })
}
