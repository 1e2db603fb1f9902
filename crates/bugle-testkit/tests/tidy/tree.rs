//! The text files of the repository, each with its path from the root.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct TextFile {
    /// The file's path from the root, with slashes.
    pub path: String,
    /// The file's text.
    pub text: String,
}

impl TextFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|found| found == extension)
    }

    /// Whether the file belongs to a test.
    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests") || self.path.ends_with("tests.rs")
    }

    /// The file's code, without comments and the test module at its end. Lines keep their numbers.
    pub(crate) fn code(&self) -> String {
        let text = self
            .text
            .split_once("#[cfg(test)]\nmod tests {")
            .map_or(self.text.as_str(), |(before, _)| before);
        let without_comment = |line: &str| !line.trim_start().starts_with("//");
        text.lines()
            .flat_map(|line| [if without_comment(line) { line } else { "" }, "\n"])
            .collect()
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every text file of the repository, sorted by path, without ignored files.
pub(crate) fn texts() -> Vec<TextFile> {
    let mut files = Vec::new();
    collect(&root(), "", &mut files);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn collect(folder: &Path, inside: &str, files: &mut Vec<TextFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if inside.is_empty() {
            name.clone()
        } else {
            format!("{inside}/{name}")
        };
        if is_ignored(&path) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &path, files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push(TextFile { path, text });
        }
    }
}

fn is_ignored(path: &str) -> bool {
    path == ".git"
        || path == "target"
        || path.starts_with("target-")
        || path.ends_with(".pending-snap")
        || path.ends_with(".snap.new")
}

/// The names of a folder's direct subfolders.
pub(crate) fn folders_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Fails with all faults, one line each.
#[track_caller]
pub(crate) fn assert_no_faults(faults: &[String]) {
    assert!(faults.is_empty(), "\n\n{}\n", faults.join("\n"));
}
