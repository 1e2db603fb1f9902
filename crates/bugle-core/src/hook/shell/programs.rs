//! Programs that write files, recognised by their arguments.

use super::operands::{
    edits_in_place, is_script_option, loads_inplace, operands, option_values, with_target_directory,
};
use super::patch::changes;
use super::word::Word;
use super::{Access, Reader, fetch, sed};

/// Programs that write every file among their operands, and their options that take a value.
const WRITE_ALL: [(&str, &[&str]); 10] = [
    ("tee", &[]),
    ("touch", &["-d", "-t", "-r", "--date", "--reference"]),
    ("truncate", &["-s", "-r", "--size", "--reference"]),
    ("sponge", &[]),
    ("mkfifo", &["-m"]),
    ("mknod", &["-m"]),
    ("dos2unix", &[]),
    ("unix2dos", &[]),
    ("fallocate", &["-l", "-o"]),
    ("script", &[]),
];
/// Programs that remove or replace every file among their operands.
const REMOVE_ALL: [&str; 10] = [
    "rm", "unlink", "rmdir", "shred", "gzip", "gunzip", "bzip2", "xz", "unxz", "zstd",
];
/// Programs that change the files named after their first operand.
const CHANGE_REST: [&str; 6] = ["chmod", "chown", "chgrp", "chattr", "setfacl", "rename"];
/// Programs that write their last operand, and their options that take a value.
const WRITE_LAST: [(&str, &[&str]); 5] = [
    ("cp", &["-S", "--suffix"]),
    ("install", &["-m", "-o", "-g", "-S"]),
    ("ln", &["-S", "--suffix"]),
    ("rsync", &["-e", "--exclude", "--include", "-f", "--rsh"]),
    ("scp", &["-i", "-P", "-o", "-F", "-c", "-l", "-J"]),
];
/// Editors, which write the files they open.
const EDITORS: [&str; 13] = [
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "micro",
    "hx",
    "joe",
    "red",
];
/// Formatters that write files only with one of these options.
const WRITE_IF: [(&str, &[&str]); 10] = [
    ("prettier", &["--write", "-w"]),
    ("gofmt", &["-w"]),
    ("goimports", &["-w"]),
    ("shfmt", &["-w"]),
    ("clang-format", &["-i"]),
    ("eslint", &["--fix"]),
    ("stylelint", &["--fix"]),
    ("ruff", &["--fix"]),
    ("yq", &["-i", "--inplace"]),
    ("clang-tidy", &["--fix", "-fix"]),
];
/// Programs that write files unless they have one of these options.
const WRITE_UNLESS: [(&str, &[&str]); 4] = [
    (
        "rustfmt",
        &["--check", "--version", "-V", "--help", "--print-config"],
    ),
    ("black", &["--check", "--diff", "--version", "--help"]),
    ("isort", &["--check", "-c", "--check-only", "--diff", "--version"]),
    ("patch", &["--dry-run", "--version", "--help"]),
];
/// Programs that open a database.
const DATABASES: [&str; 4] = ["sqlite3", "litecli", "duckdb", "sqlite-utils"];

impl Reader<'_> {
    /// Records the files that a program writes, as far as its arguments show them.
    pub(super) fn programs(&mut self, name: &str, arguments: &[Word], input: Option<&str>) {
        let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.text.as_str()));
        let listed = |list: &[(&str, &'static [&'static str])]| {
            list.iter()
                .find(|(program, _)| *program == name)
                .map(|(_, options)| *options)
        };
        if let Some(valued) = listed(&WRITE_ALL) {
            self.write_all(name, &operands(arguments, valued), Access::Write);
        } else if let Some(valued) = listed(&WRITE_LAST) {
            self.write_last(name, arguments, valued);
        } else if REMOVE_ALL.contains(&name) {
            let only_prints = ["gzip", "gunzip", "bzip2", "xz", "unxz", "zstd"].contains(&name)
                && has(&["-c", "--stdout", "-dc", "-cd", "-t", "--test", "-l", "--list"]);
            if !only_prints {
                self.write_all(name, &operands(arguments, &["-n", "-s"]), Access::Tree);
            }
        } else if CHANGE_REST.contains(&name) {
            let files = operands(arguments, &[]);
            self.write_all(name, files.get(1..).unwrap_or_default(), Access::Tree);
        } else if let Some(options) = listed(&WRITE_IF) {
            if has(options) || name == "ruff" && has(&["format"]) && !has(&["--check", "--diff"]) {
                self.unknown(Some(name), None);
            }
        } else if let Some(options) = listed(&WRITE_UNLESS) {
            if !has(options) {
                self.unknown(Some(name), None);
            }
        } else if EDITORS.contains(&name) {
            if !has(&["--version", "--help", "-h", "-R"]) {
                let files = operands(arguments, &["-c", "-S", "-u", "--cmd", "-s", "-i"]);
                self.write_all(name, &files, Access::Write);
                if files.is_empty() {
                    self.unknown(Some(name), None);
                }
            }
        } else if DATABASES.contains(&name) {
            if !has(&["-readonly", "--readonly"]) {
                self.write_all(name, &operands(arguments, &["-cmd", "-separator"]), Access::Open);
            }
        } else {
            self.other(name, arguments, input);
        }
    }

    fn other(&mut self, name: &str, arguments: &[Word], input: Option<&str>) {
        let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.text.as_str()));
        match name {
            "mv" => {
                let (files, into) = with_target_directory(arguments, &["-S", "--suffix"]);
                let (last, sources) = match into {
                    Some(_) => (into, files.as_slice()),
                    None => files
                        .split_last()
                        .map_or((None, [].as_slice()), |(last, rest)| (Some(last.clone()), rest)),
                };
                self.write_all(name, sources, Access::Tree);
                self.write_all(name, last.as_slice(), Access::Write);
            }
            "apply_patch" | "applypatch" => self.patch(name, arguments, input),
            "sed" | "gsed" | "perl" | "ruby" if edits_in_place(name, arguments) => {
                let valued: &[&str] = if name.ends_with("sed") {
                    &["-e", "-f", "-l", "--expression", "--file"]
                } else {
                    &["-e", "-E"]
                };
                let files = operands(arguments, valued);
                let has_script = has(&["-e", "-E", "-f", "--expression", "--file"])
                    || arguments.iter().any(|word| {
                        is_script_option(name, &word.text) || word.text.starts_with("--expression=")
                    });
                let files = files.get(usize::from(!has_script)..).unwrap_or_default();
                self.write_all(name, files, Access::Write);
                if files.is_empty() {
                    self.unknown(Some(name), None);
                }
                self.sed_script(name, arguments);
            }
            "sed" | "gsed" => self.sed_script(name, arguments),
            "awk" | "gawk" if loads_inplace(arguments) => {
                let files = operands(arguments, &["-i", "-v", "-F", "-f", "--include"]);
                self.write_all(name, files.get(1..).unwrap_or_default(), Access::Write);
                self.unknown(Some(name), None);
            }
            "dd" => {
                let targets = arguments.iter().filter_map(|word| {
                    let file = word.text.strip_prefix("of=")?;
                    Some(Word {
                        text: file.to_owned(),
                        ..word.clone()
                    })
                });
                self.write_all(name, &targets.collect::<Vec<_>>(), Access::Write);
            }
            "sort" => self.write_all(name, &option_values(arguments, 'o', "--output"), Access::Write),
            "uniq" | "split" | "csplit" => {
                let files = operands(arguments, &["-f", "-s", "-w", "-b", "-l", "-n", "-a", "-C"]);
                match files.get(1) {
                    Some(file) => self.write_all(name, std::slice::from_ref(file), Access::Write),
                    None if name == "uniq" => {}
                    None => self.unknown(Some(name), None),
                }
            }
            "tar" | "bsdtar" | "gtar" => self.tar(name, arguments),
            "unzip" if !has(&["-l", "-t", "-p", "-v", "-z", "-Z", "-Z1"]) => {
                let into = option_values(arguments, 'd', "--directory");
                self.extract(name, &into);
            }
            "zip" => {
                let archive = operands(arguments, &["-x", "-i"]);
                let archive = archive.first().filter(|word| word.text != "-");
                self.write_all(name, archive.cloned().as_slice(), Access::Write);
            }
            "7z" | "7za" | "ar" | "jar" | "cpio" | "unrar" => {
                let first = arguments.first().map_or("", |word| word.text.as_str());
                let lists = matches!(first, "l" | "t" | "tf" | "-tf" | "lb" | "p" | "--list");
                if !lists {
                    self.unknown(Some(name), None);
                }
            }
            "cargo" => {
                let fixes = has(&["fix", "--fix"]) || has(&["fmt"]) && !has(&["--check"]);
                if fixes && !has(&["--help"]) {
                    self.unknown(Some(name), None);
                }
            }
            "curl" | "wget" | "aria2c" => {
                for file in fetch::downloaded(name, arguments) {
                    match file {
                        Some(word) => self.write(Some(name), &word, Access::Write),
                        None => self.unknown(Some(name), None),
                    }
                }
            }
            _ => {}
        }
    }

    /// Records the files of a patch in an argument or on stdin.
    fn patch(&mut self, name: &str, arguments: &[Word], input: Option<&str>) {
        let patch = arguments.first().map(|word| word.text.as_str()).or(input);
        let files = changes(patch.unwrap_or_default());
        for change in &files {
            self.write(Some(name), &Word::plain(change.file()), Access::Write);
        }
        if files.is_empty() {
            self.unknown(Some(name), None);
        }
    }

    fn write_all(&mut self, name: &str, files: &[Word], access: Access) {
        for file in files {
            self.write(Some(name), file, access);
        }
    }

    /// Records a write to the last operand, or to the target directory if an option sets one. For `ln`, also records
    /// access to the link targets.
    fn write_last(&mut self, name: &str, arguments: &[Word], valued: &[&str]) {
        let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.text.as_str()));
        if name == "rsync" && has(&["-n", "--dry-run"]) {
            return;
        }
        let (files, into) = with_target_directory(arguments, valued);
        let last = into.clone().or_else(|| files.last().cloned());
        let is_remote = |word: &Word| {
            matches!(name, "rsync" | "scp")
                && word
                    .text
                    .split_once(':')
                    .is_some_and(|(host, _)| !host.contains('/'))
        };
        if let Some(last) = last.filter(|word| !is_remote(word)) {
            self.write(Some(name), &last, Access::Write);
        }
        if name == "ln" {
            let sources = if into.is_some() {
                files.as_slice()
            } else {
                files.split_last().map_or([].as_slice(), |(last, rest)| {
                    if rest.is_empty() {
                        std::slice::from_ref(last)
                    } else {
                        rest
                    }
                })
            };
            // Later writes through the link would not be recognised, so record the target now.
            self.write_all(name, sources, Access::Open);
        }
    }

    fn sed_script(&mut self, name: &str, arguments: &[Word]) {
        let script = sed::script(arguments);
        for file in &script.files {
            self.write(Some(name), &Word::plain(file), Access::Write);
        }
        if script.executes {
            self.unknown(Some(name), None);
        }
    }

    fn tar(&mut self, name: &str, arguments: &[Word]) {
        let mut letters = String::new();
        for (at, word) in arguments.iter().enumerate() {
            match word.text.as_str() {
                "--extract" | "--get" => letters.push('x'),
                "--create" => letters.push('c'),
                "--append" | "--update" | "--delete" => letters.push('r'),
                "--to-stdout" => letters.push('O'),
                long if long.starts_with("--") => {}
                short if short.starts_with('-') || at == 0 => {
                    letters.push_str(short.trim_start_matches('-'));
                }
                _ => {}
            }
        }
        if letters.contains('x') {
            if !letters.contains('O') {
                let into = option_values(arguments, 'C', "--directory");
                self.extract(name, &into);
            }
        } else if letters.contains(['c', 'r', 'u', 'A']) {
            let named = option_values(arguments, 'f', "--file");
            // `tar czf FILE`: the file name follows the letters.
            let first = arguments.get(1).filter(|_| {
                arguments
                    .first()
                    .is_some_and(|word| !word.text.starts_with('-') && word.text.ends_with('f'))
            });
            let files: Vec<Word> = named.into_iter().chain(first.cloned()).collect();
            let files: Vec<Word> = files.into_iter().filter(|word| word.text != "-").collect();
            self.write_all(name, &files, Access::Write);
        }
    }

    fn extract(&mut self, name: &str, into: &[Word]) {
        if into.is_empty() {
            self.unknown(Some(name), None);
        }
        self.write_all(name, into, Access::Write);
    }
}
