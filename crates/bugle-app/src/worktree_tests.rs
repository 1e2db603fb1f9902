//! Fingerprints of real repositories, including hostile ones.

use std::process::Command;

use super::*;

fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
}

/// A repository with a committed file `a b.txt`.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q"]);
    fs::write(root.join(".gitignore"), "ignored\n").unwrap();
    fs::write(root.join("a b.txt"), "one").unwrap();
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "first"]);
    folder
}

fn shown(root: &Path) -> Vec<String> {
    let status = status(root).unwrap();
    let lines = status.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect()
}

#[test]
fn every_change_that_git_would_commit_changes_the_fingerprint() {
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(fingerprint(outside.path()), None, "no fingerprint outside git");
    let folder = repository();
    let root = folder.path();
    let clean = fingerprint(root).unwrap();
    assert_eq!(clean.len(), 12, "the fingerprint of a clean tree is its commit");
    let mut seen = vec![clean.clone()];
    let mut differs = |what: &str| {
        let now = fingerprint(root).unwrap();
        assert!(!seen.contains(&now), "{what}: {now}");
        assert_eq!(
            fingerprint(root).unwrap(),
            now,
            "{what}: the fingerprint is stable"
        );
        seen.push(now);
    };
    fs::write(root.join("a b.txt"), "two").unwrap();
    differs("a changed file with the same size");
    fs::write(root.join("new.txt"), "x").unwrap();
    differs("a new file");
    fs::write(root.join("new.txt"), "y").unwrap();
    differs("a change to the new file");
    fs::write(root.join("line\nbreak"), "y").unwrap();
    differs("a file with a line break in its name");
    fs::remove_file(root.join("line\nbreak")).unwrap();
    fs::remove_file(root.join("a b.txt")).unwrap();
    differs("a removed file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("new.txt", root.join("a b.txt")).unwrap();
        differs("a file replaced by a link");
        fs::remove_file(root.join("a b.txt")).unwrap();
    }
    fs::remove_file(root.join("new.txt")).unwrap();
    fs::write(root.join("a b.txt"), "one").unwrap();
    fs::write(root.join("ignored"), "x").unwrap();
    assert_eq!(
        fingerprint(root).unwrap(),
        clean,
        "reverted changes and ignored files do not count"
    );
}

#[test]
fn staging_changes_the_status_but_not_the_fingerprint() {
    let folder = repository();
    let root = folder.path();
    assert_eq!(shown(root), Vec::<String>::new());
    fs::write(root.join("a b.txt"), "two").unwrap();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d/new.txt"), "x").unwrap();
    let before = fingerprint(root).unwrap();
    assert_eq!(shown(root), [" M a b.txt", "?? d/"]);
    git(root, &["add", "-A"]);
    assert_eq!(fingerprint(root).unwrap(), before);
    assert_eq!(shown(root), ["M  a b.txt", "A  d/new.txt"]);
    git(root, &["rm", "-q", "--cached", "a b.txt"]);
    fs::remove_file(root.join("a b.txt")).unwrap();
    assert_eq!(shown(root), ["D  a b.txt", "A  d/new.txt"]);
}

#[test]
fn index_flags_do_not_hide_edits() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let folder = repository();
        let root = folder.path();
        let clean = fingerprint(root).unwrap();
        git(root, &["update-index", flag, "a b.txt"]);
        assert_eq!(fingerprint(root).unwrap(), clean, "{flag} alone changes nothing");
        fs::write(root.join("a b.txt"), "hidden edit").unwrap();
        assert_ne!(fingerprint(root).unwrap(), clean, "{flag}");
        assert_eq!(shown(root), [" M a b.txt"], "{flag}");
    }
}

#[test]
fn a_repository_without_commits_has_a_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q"]);
    assert_eq!(fingerprint(root).as_deref(), Some("no commit"));
    fs::write(root.join("a"), "x").unwrap();
    let untracked = fingerprint(root).unwrap();
    assert!(untracked.starts_with("no commit+"), "{untracked}");
    git(root, &["add", "a"]);
    assert_eq!(fingerprint(root).unwrap(), untracked);
    assert_eq!(shown(root), ["A  a"]);
}

#[test]
fn an_edit_in_a_submodule_changes_the_fingerprint() {
    let (inner, outer) = (repository(), repository());
    let root = outer.path();
    let url = inner.path().to_string_lossy().into_owned();
    git(root, &["submodule", "--quiet", "add", &url, "sub"]);
    git(root, &["commit", "-qm", "second"]);
    let clean = fingerprint(root).unwrap();
    assert_eq!(clean.len(), 12, "{clean}");
    fs::write(root.join("sub/a b.txt"), "two").unwrap();
    assert_ne!(fingerprint(root).unwrap(), clean);
    assert_eq!(shown(root), [" M sub"]);
}

#[cfg(unix)]
#[test]
fn programs_that_a_repository_configures_are_not_run() {
    let folder = repository();
    let root = folder.path();
    let marker = root.join(".git/ran");
    let program = format!("touch '{}'; cat", marker.display());
    for setting in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "core.sshCommand",
        "core.editor",
        "alias.ls-files",
    ] {
        git(root, &["config", setting, &program]);
    }
    fs::write(root.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
    fs::write(root.join("a b.txt"), "two").unwrap();
    fs::write(root.join("new.txt"), "x").unwrap();
    assert!(fingerprint(root).is_some());
    assert!(status(root).is_some());
    assert!(!marker.exists());
    assert_eq!(
        git::checkout_programs(root),
        ["filter.x.clean", "filter.x.smudge", "filter.x.process"]
    );
}

#[test]
fn the_fingerprint_is_cached_until_the_cache_is_cleared() {
    let folder = repository();
    let cache = FingerprintCache::default();
    let before = cache.get(folder.path());
    fs::write(folder.path().join("a b.txt"), "two").unwrap();
    assert_eq!(cache.get(folder.path()), before);
    assert_ne!(
        cache.clone().get(folder.path()),
        before,
        "a cloned cache starts empty"
    );
    cache.clear();
    assert_ne!(cache.get(folder.path()), before);
}
