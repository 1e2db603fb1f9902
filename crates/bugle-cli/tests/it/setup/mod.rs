//! `bugle setup` and `bugle doctor`.

mod clinic;
mod doctor;
mod existing_files;
mod new_files;
mod own_skills;
mod trust;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::support::sandbox::Sandbox;

const CLIENTS: [&str; 7] = ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "grok"];

/// Everything under these folders: files with their bytes, links with their targets, empty folders.
fn tree(folders: &[PathBuf]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        let entries: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        if entries.is_empty() {
            found.insert(folder.clone(), b"(an empty folder)".to_vec());
        }
        for path in entries {
            if path.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(path, target.into_os_string().into_encoded_bytes());
            } else if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

impl Sandbox {
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        tree(&[self.project(), self.home()])
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        self.write(&path, text);
        path
    }
}

/// The client-specific files, as one string.
fn written(sandbox: &Sandbox) -> String {
    let mut out = String::new();
    for (path, bytes) in sandbox.files() {
        let text = String::from_utf8(bytes).unwrap();
        let path = path.strip_prefix(sandbox.root()).unwrap();
        let name = path.to_str().unwrap();
        // Show only one skill stub, because all stubs are alike. The tests of roles cover the agents' texts.
        let skill = name.contains("/skills/") && !name.contains(".claude/skills/decision-critic/");
        let alike = skill || name.contains("/agents/");
        if alike {
            out.push_str(&format!("=== {name}\n"));
        } else {
            out.push_str(&format!("=== {name}\n{}\n", sandbox.neutral(&text)));
        }
    }
    out
}
