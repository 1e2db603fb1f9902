//! What a project's files look like, in a word: the commit, and a fingerprint of what differs from it. A verdict names
//! it, so that nobody takes it for a verdict on something else.

use std::path::Path;
use std::process::{Command, Stdio};

use sha2::{Digest as _, Sha256};

/// Of a larger file only the size and the time of its last change are looked at.
const LARGEST_READ: u64 = 16 * 1024 * 1024;

/// The commit and a fingerprint of the work tree around a folder; nothing outside git. Nothing is written.
pub(crate) fn fingerprint(folder: &Path) -> Option<String> {
    let output = Command::new("git")
        .args([
            // What a repository that was unpacked here sets must not be run.
            "-c",
            "core.fsmonitor=false",
            "--no-optional-locks",
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
        ])
        .args(["--untracked-files=all", "--no-renames"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let root = top(folder)?;
    let mut commit = "no commit".to_owned();
    let mut hash = Sha256::new();
    let mut changes = 0_usize;
    for entry in output.stdout.split(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        if let Some(id) = entry.strip_prefix("# branch.oid ") {
            id.clone_into(&mut commit);
        } else if let Some(path) = changed_path(&entry) {
            changes += 1;
            hash.update(path.as_bytes());
            hash.update([0]);
            hash.update(content(&root.join(path)));
        }
    }
    let commit: String = commit.chars().take(12).collect();
    if changes == 0 {
        return Some(commit);
    }
    let digest: String = hash
        .finalize()
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(format!("{commit}+{digest}"))
}

/// What of the work tree around a folder differs from its commit, as git says it; nothing outside git. Nothing is written.
pub(crate) fn status(folder: &Path) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args([
            // What a repository that was unpacked here sets must not be run.
            "-c",
            "core.fsmonitor=false",
            "--no-optional-locks",
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
        ])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(output.stdout)
}

/// The path at the end of an entry about a file that differs from the commit.
fn changed_path(entry: &str) -> Option<&str> {
    // `1` has eight words before the path, `u` ten; the path itself may hold spaces.
    match entry.split_once(' ')? {
        ("1", _) => entry.splitn(9, ' ').nth(8),
        ("u", _) => entry.splitn(11, ' ').nth(10),
        ("?", path) => Some(path),
        _ => None,
    }
}

fn top(folder: &Path) -> Option<std::path::PathBuf> {
    folder
        .ancestors()
        .find(|above| above.join(".git").exists())
        .map(Path::to_owned)
}

fn content(path: &Path) -> Vec<u8> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return b"gone".to_vec();
    };
    if metadata.is_symlink() {
        let target = std::fs::read_link(path).unwrap_or_default();
        return target.to_string_lossy().into_owned().into_bytes();
    }
    if metadata.len() > LARGEST_READ {
        return format!("{} {:?}", metadata.len(), metadata.modified().ok()).into_bytes();
    }
    let bytes = std::fs::read(path).unwrap_or_default();
    Sha256::digest(bytes).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let run = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
    }

    #[test]
    fn every_change_that_git_would_commit_changes_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(fingerprint(root), None, "outside git there is none");
        git(root, &["init", "-q"]);
        std::fs::write(root.join(".gitignore"), "ignored\n").unwrap();
        std::fs::write(root.join("a b.txt"), "one").unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", "first"]);
        let clean = fingerprint(root).unwrap();
        assert_eq!(clean.len(), 12, "a clean tree is its commit");
        let mut seen = vec![clean.clone()];
        let mut differs = |what: &str| {
            let now = fingerprint(root).unwrap();
            assert!(!seen.contains(&now), "{what}: {now}");
            assert_eq!(fingerprint(root).unwrap(), now, "{what}: it is stable");
            seen.push(now);
        };
        std::fs::write(root.join("a b.txt"), "two").unwrap();
        differs("a changed file");
        std::fs::write(root.join("new.txt"), "x").unwrap();
        differs("a new file");
        std::fs::write(root.join("new.txt"), "y").unwrap();
        differs("a new file changed");
        std::fs::remove_file(root.join("a b.txt")).unwrap();
        differs("a file removed");
        std::fs::remove_file(root.join("new.txt")).unwrap();
        std::fs::write(root.join("a b.txt"), "one").unwrap();
        std::fs::write(root.join("ignored"), "x").unwrap();
        assert_eq!(
            fingerprint(root).unwrap(),
            clean,
            "back where it was, and ignored files do not count"
        );
    }
}
