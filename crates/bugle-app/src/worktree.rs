//! Fingerprints a worktree: the commit, and a hash of all changes since that commit. A verdict records the
//! fingerprint of the reviewed files.
//!
//! `git status` would run the filters that a repository configures. Here, git only lists index entries and untracked
//! files, and this module compares files by stat data and hash. It ignores the `assume-unchanged` and `skip-worktree`
//! index flags.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use index::{Entry, Listed, entries};
use sha2::{Digest as _, Sha256};

use crate::git;

mod index;

/// Maximum size of an untracked file to hash. A larger file is compared by size and modification time.
const MAX_HASHED_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum nesting depth of submodules to scan.
const MAX_DEPTH: u32 = 4;
const GITLINK: u32 = 0o160_000;

/// Caches a worktree's fingerprint, because computing it reads every file's stat data. A cloned cache starts empty.
#[derive(Debug, Default)]
pub(crate) struct FingerprintCache(Mutex<Option<(PathBuf, Option<String>)>>);

impl FingerprintCache {
    /// The fingerprint of the worktree that contains a folder.
    pub(crate) fn get(&self, folder: &Path) -> Option<String> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some((known, found)) if known == folder => found.clone(),
            _ => {
                let found = fingerprint(folder);
                *cached = Some((folder.to_owned(), found.clone()));
                found
            }
        }
    }

    /// Clears the cache. Call this when files may have changed.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Clone for FingerprintCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The fingerprint of the worktree that contains a folder; `None` outside git. Writes nothing, and runs no program
/// that the repository configures.
fn fingerprint(folder: &Path) -> Option<String> {
    fingerprint_of(worktree_root(folder)?, MAX_DEPTH)
}

/// The changes in the worktree that contains a folder, in the format of `git status --porcelain -z`; `None` outside
/// git. Writes nothing, and runs no program that the repository configures.
pub(crate) fn status(folder: &Path) -> Option<Vec<u8>> {
    let tree = WorkTree::scan(worktree_root(folder)?, Untracked::Folders, MAX_DEPTH)?;
    let mut lines = Vec::new();
    for (path, change) in tree.changes {
        lines.extend([change.staged, change.unstaged, b' ']);
        lines.extend(path);
        lines.push(0);
    }
    Some(lines)
}

/// The commit of the worktree that contains a folder, and a description of each file that differs from the commit;
/// `None` outside git.
pub(crate) fn uncommitted(folder: &Path) -> Option<(Option<String>, BTreeMap<String, String>)> {
    let tree = WorkTree::scan(worktree_root(folder)?, Untracked::Files, MAX_DEPTH)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let files = tree
        .changes
        .iter()
        .map(|(path, change)| (text(path), text(&change.content)));
    Some((tree.commit, files.collect()))
}

fn fingerprint_of(root: &Path, depth: u32) -> Option<String> {
    let tree = WorkTree::scan(root, Untracked::Files, depth)?;
    let commit: String = match &tree.commit {
        Some(commit) => commit.chars().take(12).collect(),
        None => "no commit".to_owned(),
    };
    if tree.changes.is_empty() {
        return Some(commit);
    }
    let mut hash = Sha256::new();
    for (path, change) in &tree.changes {
        hash.update(path);
        hash.update([0]);
        hash.update(&change.content);
        hash.update([0]);
    }
    let digest: String = hash
        .finalize()
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(format!("{commit}+{digest}"))
}

fn worktree_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// How to list untracked files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Untracked {
    /// List each file.
    Files,
    /// List a folder instead of its files if none of them is tracked.
    Folders,
}

/// The changes in a worktree since the checked-out commit.
struct WorkTree {
    commit: Option<String>,
    changes: BTreeMap<Vec<u8>, Change>,
}

/// A path whose content differs from the commit.
struct Change {
    /// The status letter of the index relative to the commit.
    staged: u8,
    /// The status letter of the file relative to the index.
    unstaged: u8,
    /// A description of the content. Equal content has equal descriptions.
    content: Vec<u8>,
}

impl WorkTree {
    fn scan(root: &Path, untracked: Untracked, depth: u32) -> Option<Self> {
        let known = git::output(root, &["rev-parse", "--git-path", "index", "--revs-only", "HEAD"])?;
        let known = String::from_utf8_lossy(&known).into_owned();
        let mut known = known.lines();
        let index = fs::metadata(root.join(known.next()?)).ok();
        let commit = known.next().map(str::to_owned);
        let staged = match &commit {
            Some(commit) => staged(root, commit)?,
            None => BTreeMap::new(),
        };
        let mut arguments = vec![
            "ls-files",
            "-t",
            "-s",
            "-o",
            "--exclude-standard",
            "-z",
            "--debug",
        ];
        if untracked == Untracked::Folders {
            arguments.extend(["--directory", "--no-empty-directory"]);
        }
        let listed = git::output(root, &arguments)?;
        let mut tree = Self {
            commit,
            changes: BTreeMap::new(),
        };
        let mut unhashed: Vec<Vec<u8>> = Vec::new();
        for Listed { path, entry } in entries(&listed) {
            let file = root.join(path_of(path));
            let now = fs::symlink_metadata(&file).ok();
            let is_staged = match &tree.commit {
                Some(_) => staged.get(path).copied(),
                None => entry.is_some().then_some(b'A'),
            };
            let (unstaged, content) = match (&entry, &now) {
                (None, None) => continue,
                // The status omits the content of untracked folders.
                (None, Some(_)) if untracked == Untracked::Folders => (b'?', Content::Known(Vec::new())),
                (None, Some(now)) => (b'?', content(&file, now, MAX_HASHED_BYTES)),
                (Some(entry), _) if entry.mode == GITLINK => match changed_submodule(&file, entry, depth) {
                    Some(inner) => (b'M', Content::Known(inner.into_bytes())),
                    None => (b' ', Content::Known(entry.blob.clone().into_bytes())),
                },
                (Some(_), None) => (b'D', Content::Known(b"gone".to_vec())),
                (Some(entry), Some(now)) if entry.is_unchanged(now, index.as_ref()) => {
                    (b' ', entry_content(entry, &file, now))
                }
                (Some(_), Some(now)) => (b'M', content(&file, now, u64::MAX)),
            };
            if is_staged.is_none() && unstaged == b' ' {
                continue;
            }
            let staged = if unstaged == b'?' {
                b'?'
            } else {
                is_staged.unwrap_or(b' ')
            };
            let content = match content {
                Content::Known(content) => content,
                Content::Unhashed => {
                    unhashed.push(path.to_vec());
                    Vec::new()
                }
            };
            let change = Change {
                staged,
                unstaged,
                content,
            };
            tree.changes.insert(path.to_vec(), change);
        }
        // `git ls-files` does not list paths that were removed from the index.
        for (path, letter) in staged {
            let gone = || Change {
                staged: letter,
                unstaged: b' ',
                content: b"gone".to_vec(),
            };
            tree.changes.entry(path).or_insert_with(gone);
        }
        tree.hash_files(root, &unhashed, &listed);
        Some(tree)
    }

    /// Hashes the files whose stat data is inconclusive, in one git call, and drops the unchanged files.
    fn hash_files(&mut self, root: &Path, unhashed: &[Vec<u8>], listed: &[u8]) {
        if unhashed.is_empty() {
            return;
        }
        let hashes = blobs_of(root, unhashed);
        let wanted: BTreeMap<&[u8], Vec<u8>> = unhashed.iter().map(Vec::as_slice).zip(hashes).collect();
        for Listed { path, entry } in entries(listed) {
            let (Some(hash), Some(change)) = (wanted.get(path), self.changes.get_mut(path)) else {
                continue;
            };
            let file = root.join(path_of(path));
            let executable = fs::symlink_metadata(&file).is_ok_and(|now| index::is_executable(&now));
            change.content = file_content(executable, hash);
            let is_same = entry.is_some_and(|entry| {
                entry.is_merged() && entry.blob.as_bytes() == hash && entry.is_executable() == executable
            });
            if is_same {
                change.unstaged = b' ';
            }
        }
        self.changes
            .retain(|_, change| (change.staged, change.unstaged) != (b' ', b' '));
    }
}

/// The content at a path, or `Unhashed` if the file must be hashed first.
enum Content {
    Known(Vec<u8>),
    Unhashed,
}

/// The content of a file that matches its index entry.
fn entry_content(entry: &Entry, file: &Path, now: &Metadata) -> Content {
    if now.is_symlink() {
        return content(file, now, 0);
    }
    Content::Known(file_content(entry.is_executable(), entry.blob.as_bytes()))
}

fn file_content(executable: bool, blob: &[u8]) -> Vec<u8> {
    let kind: &[u8] = if executable { b"program " } else { b"file " };
    [kind, blob].concat()
}

fn content(file: &Path, now: &Metadata, largest: u64) -> Content {
    if now.is_symlink() {
        let target = fs::read_link(file).unwrap_or_default();
        return Content::Known(format!("link {}", target.display()).into_bytes());
    }
    if !now.is_file() {
        return Content::Known(b"folder".to_vec());
    }
    if now.len() > largest {
        return Content::Known(format!("{} {:?}", now.len(), now.modified().ok()).into_bytes());
    }
    Content::Unhashed
}

/// The fingerprint of a submodule, if it differs from the commit in the index.
fn changed_submodule(folder: &Path, entry: &Entry, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let print = folder
        .join(".git")
        .exists()
        .then(|| fingerprint_of(folder, depth))
        .flatten()?;
    (!entry.blob.starts_with(&print)).then_some(print)
}

/// The status letters of the index relative to a commit, by path.
fn staged(root: &Path, commit: &str) -> Option<BTreeMap<Vec<u8>, u8>> {
    let output = git::output(
        root,
        &[
            "diff-index",
            "--cached",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "-z",
            commit,
        ],
    )?;
    let mut fields = output.split(|byte| *byte == 0);
    let mut staged = BTreeMap::new();
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let letter = about.last().copied().unwrap_or(b'M');
        staged.insert(path.to_vec(), letter);
    }
    Some(staged)
}

/// The hash of each file's bytes, with no filters applied. An unreadable file counts as empty.
fn blobs_of(root: &Path, paths: &[Vec<u8>]) -> Vec<Vec<u8>> {
    // Git reads one path per line and stops at the first missing file.
    let is_listable = |path: &&Vec<u8>| {
        !path.contains(&b'\n') && !path.starts_with(b"\"") && fs::File::open(root.join(path_of(path))).is_ok()
    };
    let input: Vec<u8> = paths
        .iter()
        .filter(is_listable)
        .flat_map(|path| path.iter().copied().chain([b'\n']))
        .collect();
    let output = git::output_for(root, &["hash-object", "--no-filters", "--stdin-paths"], &input);
    let output = output.unwrap_or_default();
    let mut lines = output.split(|byte| *byte == b'\n');
    let mut hash = |path: &Vec<u8>| {
        if is_listable(&path) {
            lines.next().unwrap_or_default().to_vec()
        } else {
            let bytes = fs::read(root.join(path_of(path))).unwrap_or_default();
            Sha256::digest(bytes).to_vec()
        }
    };
    paths.iter().map(&mut hash).collect()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
#[path = "worktree_tests.rs"]
mod tests;
