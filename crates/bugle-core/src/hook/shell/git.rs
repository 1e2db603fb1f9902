//! The files that git changes, and the commands that git runs.

use super::word::Word;
use super::{Access, Reader};

/// Suffixes of settings whose values git runs as commands.
const RUNS: [&str; 13] = [
    "editor",
    "pager",
    "sshcommand",
    "external",
    "textconv",
    "clean",
    "smudge",
    "process",
    "fsmonitor",
    "helper",
    "cmd",
    "command",
    "program",
];

impl Reader<'_> {
    /// Records a git command's changes to the worktree, and reads the commands that git runs.
    pub(super) fn git(&mut self, arguments: &[Word], depth: usize) {
        let mut words = arguments.iter();
        let mut command = "";
        while let Some(word) = words.next() {
            match word.text.as_str() {
                "-c" => {
                    let setting = words.next().map_or("", |word| word.text.as_str());
                    self.git_setting(setting, depth);
                }
                "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                    words.next();
                }
                option if option.starts_with('-') => {}
                other => {
                    command = other;
                    break;
                }
            }
        }
        let rest: Vec<&Word> = words.collect();
        let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        self.git_runs(command, &texts, depth);
        for (at, word) in rest.iter().enumerate() {
            let attached = word.text.strip_prefix("--output=");
            let is_output = word.text == "--output" || word.text == "-o" && command == "archive";
            let file = attached.or_else(|| texts.get(at + 1).copied().filter(|_| is_output));
            if let Some(file) = file.filter(|_| matches!(command, "diff" | "log" | "show" | "archive")) {
                // Git writes this file wherever it is, even outside the worktree.
                self.write(Some("git --output"), &Word::plain(file), Access::Write);
            }
        }
        if changes_work_tree(command, &texts) {
            self.unknown(Some("git"), None);
        }
    }

    fn git_setting(&mut self, setting: &str, depth: usize) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let key = key.to_ascii_lowercase();
        let last = key.rsplit('.').next().unwrap_or_default();
        if key.starts_with("alias.") {
            match value.strip_prefix('!') {
                Some(command) => self.text(command, depth),
                None => self.text(&format!("git {value}"), depth),
            }
        } else if last == "hookspath" && !value.is_empty() && value != "/dev/null" {
            self.unknown(None, Some(setting));
        } else if RUNS.contains(&last) && !matches!(value, "" | "true" | "false") {
            self.text(value.trim_start_matches('!'), depth);
        }
    }

    /// Reads the commands that git runs.
    fn git_runs(&mut self, command: &str, rest: &[&str], depth: usize) {
        match (command, rest) {
            ("bisect", ["run", words @ ..]) | ("submodule", ["foreach", words @ ..]) => {
                let words: Vec<&str> = words
                    .iter()
                    .copied()
                    .skip_while(|word| word.starts_with('-'))
                    .collect();
                self.text(&words.join(" "), depth);
            }
            ("filter-branch" | "rebase" | "difftool" | "mergetool", rest) => {
                for (at, word) in rest.iter().enumerate() {
                    let takes = matches!(*word, "-x" | "--exec" | "--extcmd") || word.ends_with("-filter");
                    let attached = word
                        .split_once('=')
                        .filter(|(key, _)| matches!(*key, "--exec" | "--extcmd"));
                    let text = attached
                        .map(|(_, text)| text)
                        .or_else(|| rest.get(at + 1).copied().filter(|_| takes));
                    if let Some(text) = text {
                        self.text(text, depth);
                    }
                }
            }
            ("config", [.., key, value])
                if !rest.iter().any(|word| word.starts_with("--get"))
                    && (key.starts_with("alias.")
                        || RUNS.iter().any(|end| key.to_ascii_lowercase().ends_with(end))) =>
            {
                self.git_setting(&format!("{key}={value}"), depth);
            }
            _ => {}
        }
    }
}

/// Whether a git command changes files in the worktree.
fn changes_work_tree(command: &str, rest: &[&str]) -> bool {
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let operands = || rest.iter().filter(|word| !word.starts_with('-')).count();
    let first = rest.first().copied().unwrap_or_default();
    match command {
        "apply" => has(&["--apply"]) || !has(&["--check", "--stat", "--numstat", "--summary", "--cached"]),
        "restore" => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "clean" => !has(&["-n", "--dry-run"]),
        "rm" => !has(&["--cached", "-n", "--dry-run"]),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "stash" => !matches!(first, "list" | "show" | "create"),
        // Creating a branch at the current commit changes no file.
        "checkout" => !(has(&["-b", "-B"]) && operands() <= 1),
        "switch" => !(has(&["-c", "-C", "--create"]) && operands() <= 1),
        "worktree" | "notes" => matches!(first, "add" | "remove" | "move") && command == "worktree",
        "submodule" => matches!(first, "update" | "add" | "deinit"),
        "bisect" => matches!(first, "start" | "good" | "bad" | "skip" | "reset" | "run"),
        "sparse-checkout" => first != "list",
        "format-patch" => !has(&["--stdout"]),
        "bundle" => first == "create",
        "lfs" => matches!(first, "pull" | "checkout" | "fetch"),
        "read-tree" => has(&["-u"]),
        "mv" | "am" | "revert" | "cherry-pick" | "merge" | "rebase" | "pull" | "init" | "clone"
        | "checkout-index" | "filter-branch" | "filter-repo" | "mergetool" => true,
        _ => false,
    }
}
