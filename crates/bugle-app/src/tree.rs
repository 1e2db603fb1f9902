//! What a project's files look like, in a word: the commit, and a fingerprint of what differs from it. A verdict names
//! it, so that it is never taken for a verdict on something else.
//!
//! `git status` would run the filters that a repository names. Here git only lists what its index holds and what it does not
//! know, and files are compared by stat and by hash. The flags of the index (`assume-unchanged`, `skip-worktree`) play no
//! part.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::git;
use index::{Entry, Listed, entries};

mod index;

/// Of a larger file that git does not know, only the size and the time of its last change are looked at.
const LARGEST_READ: u64 = 16 * 1024 * 1024;
/// How deep repositories within repositories are followed.
const DEEPEST: u32 = 4;
const GITLINK: u32 = 0o160_000;

/// The commit and a fingerprint of the work tree around a folder; nothing outside git. Nothing is written or run.
pub(crate) fn fingerprint(folder: &Path) -> Option<String> {
    print_of(top(folder)?, DEEPEST)
}

/// What of the work tree around a folder differs from its commit, in the words of `git status --porcelain -z`; nothing
/// outside git. Nothing is written or run.
pub(crate) fn status(folder: &Path) -> Option<Vec<u8>> {
    let tree = WorkTree::scan(top(folder)?, Untracked::Folders, DEEPEST)?;
    let mut lines = Vec::new();
    for (path, change) in tree.changes {
        lines.extend([change.staged, change.unstaged, b' ']);
        lines.extend(path);
        lines.push(0);
    }
    Some(lines)
}

fn print_of(root: &Path, depth: u32) -> Option<String> {
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

fn top(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// How files that git does not know are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Untracked {
    /// Each of them.
    Files,
    /// By their folder, where git knows nothing in it.
    Folders,
}

/// A work tree, compared with its commit.
struct WorkTree {
    commit: Option<String>,
    changes: BTreeMap<Vec<u8>, Change>,
}

/// A path whose content differs from the commit.
struct Change {
    /// How the index differs from the commit, as a letter.
    staged: u8,
    /// How the file differs from the index, as a letter.
    unstaged: u8,
    /// What is there now; equal for equal content.
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
        let mut unread: Vec<Vec<u8>> = Vec::new();
        for Listed { path, entry } in entries(&listed) {
            let file = root.join(path_of(path));
            let now = fs::symlink_metadata(&file).ok();
            let is_staged = match &tree.commit {
                Some(_) => staged.get(path).copied(),
                None => entry.is_some().then_some(b'A'),
            };
            let (unstaged, content) = match (&entry, &now) {
                (None, None) => continue,
                // Only that it is there is said of it then.
                (None, Some(_)) if untracked == Untracked::Folders => (b'?', Content::Known(Vec::new())),
                (None, Some(now)) => (b'?', content(&file, now, LARGEST_READ)),
                (Some(entry), _) if entry.mode == GITLINK => match nested(&file, entry, depth) {
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
                Content::Unread => {
                    unread.push(path.to_vec());
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
        // What was removed from the index is in no list of it.
        for (path, letter) in staged {
            let gone = || Change {
                staged: letter,
                unstaged: b' ',
                content: b"gone".to_vec(),
            };
            tree.changes.entry(path).or_insert_with(gone);
        }
        tree.read(root, &unread, &listed);
        Some(tree)
    }

    /// Hashes the files that cannot be judged without reading them, in one call. A file that was only touched is no change.
    fn read(&mut self, root: &Path, unread: &[Vec<u8>], listed: &[u8]) {
        if unread.is_empty() {
            return;
        }
        let hashes = blobs_of(root, unread);
        let wanted: BTreeMap<&[u8], Vec<u8>> = unread.iter().map(Vec::as_slice).zip(hashes).collect();
        for Listed { path, entry } in entries(listed) {
            let (Some(hash), Some(change)) = (wanted.get(path), self.changes.get_mut(path)) else {
                continue;
            };
            let file = root.join(path_of(path));
            let executable = fs::symlink_metadata(&file).is_ok_and(|now| index::is_executable(&now));
            change.content = file_content(executable, hash);
            let is_same = entry.is_some_and(|entry| {
                entry.is_whole() && entry.blob.as_bytes() == hash && entry.is_executable() == executable
            });
            if is_same {
                change.unstaged = b' ';
            }
        }
        self.changes
            .retain(|_, change| (change.staged, change.unstaged) != (b' ', b' '));
    }
}

/// What is at a path, if that is known without reading it.
enum Content {
    Known(Vec<u8>),
    Unread,
}

/// What an unchanged file of the index holds.
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
    Content::Unread
}

/// The fingerprint of a repository within this one, if it differs from what the index says.
fn nested(folder: &Path, entry: &Entry, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let print = folder
        .join(".git")
        .exists()
        .then(|| print_of(folder, depth))
        .flatten()?;
    (!entry.blob.starts_with(&print)).then_some(print)
}

/// How the index differs from a commit: a letter for each path.
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
    let mut words = output.split(|byte| *byte == 0);
    let mut staged = BTreeMap::new();
    while let (Some(about), Some(path)) = (words.next(), words.next()) {
        let letter = about.last().copied().unwrap_or(b'M');
        staged.insert(path.to_vec(), letter);
    }
    Some(staged)
}

/// The hash of each file's bytes as git would store them without any filter; empty for one that cannot be read.
fn blobs_of(root: &Path, paths: &[Vec<u8>]) -> Vec<Vec<u8>> {
    // A name with a line break cannot be given to git in a list, and one that is gone would end the list.
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
#[path = "tree_tests.rs"]
mod tests;
