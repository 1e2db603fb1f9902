//! Records the files that a command writes.

use super::before::called;
use super::word::{UNKNOWN, Word, base};
use super::{Access, Reader, Write, WriteTarget};

impl Reader<'_> {
    /// A file name from a program's own script. Expands a leading tilde, as some programs do.
    pub(super) fn expanded_home(&self, text: &str) -> Word {
        let home = (self.shell.variable)("HOME");
        match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Word::plain(&format!("{home}/{rest}")),
            _ => Word::plain(text),
        }
    }

    /// Records the files that `find` writes, directly or through the commands that it runs.
    pub(super) fn find(&mut self, arguments: &[Word], depth: usize) {
        for (at, word) in arguments.iter().enumerate() {
            let rest = &arguments[at + 1..];
            match word.text.as_str() {
                "-delete" => {
                    let roots: Vec<&Word> = arguments
                        .iter()
                        .take_while(|word| !word.text.starts_with('-'))
                        .collect();
                    let all = roots.len() + 1 == arguments.len();
                    for root in roots {
                        let access = if all { Access::Tree } else { Access::Write };
                        self.write(Some("find"), root, access);
                    }
                    self.unknown(Some("find"), None);
                }
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                    if let Some(file) = rest.first() {
                        self.write(Some("find"), file, Access::Write);
                    }
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let is_end = |word: &Word| matches!(word.text.as_str(), ";" | "+");
                    let end = rest.iter().position(is_end).unwrap_or(rest.len());
                    let words: Vec<Word> = rest[..end].iter().map(without_braces).collect();
                    if base(words.first().map_or("", |word| word.text.as_str())) != "find" {
                        self.call(&called(&words, self.shell.session_variables), None, depth);
                    }
                }
                _ => {}
            }
        }
    }

    /// Records a write, unless it has no effect on files.
    pub(super) fn write(&mut self, program: Option<&str>, word: &Word, access: Access) {
        if word.is_process || is_device(&word.text) {
            return;
        }
        if word.text.contains(UNKNOWN) {
            if access != Access::Open {
                self.unknown(program, Some(&word.raw));
            }
            return;
        }
        let paths = self.directories.iter();
        let paths: Vec<String> = paths.map(|directory| within(directory, &word.text)).collect();
        // After a change to an unknown directory, a relative path could be any file.
        let is_certain = word.is_certain && !paths.iter().any(|path| path.contains(UNKNOWN));
        self.found.writes.push(Write {
            program: program.map(str::to_owned),
            target: WriteTarget::File {
                shown: word.raw.clone(),
                paths,
                is_certain,
            },
            access,
        });
    }

    /// Records a write to an unknown file.
    pub(super) fn unknown(&mut self, program: Option<&str>, shown: Option<&str>) {
        self.found.writes.push(Write {
            program: program.map(str::to_owned),
            target: WriteTarget::Unknown(shown.map(str::to_owned)),
            access: Access::Write,
        });
    }
}

/// Resolves a path against a directory.
pub(super) fn within(directory: &str, path: &str) -> String {
    if path.starts_with('/') || directory.is_empty() {
        path.to_owned()
    } else {
        format!("{directory}/{path}")
    }
}

/// A word from `find -exec`, with `{}` replaced by an unknown value.
fn without_braces(word: &Word) -> Word {
    let mut word = word.clone();
    if word.text.contains("{}") {
        word.text = word.text.replace("{}", "\0");
        word.is_certain = false;
    }
    word
}

/// Whether writing to this path changes no file.
pub(super) fn is_device(file: &str) -> bool {
    matches!(
        file,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full"
    ) || ["/dev/fd/", "/dev/tcp/", "/dev/udp/", "/dev/pts/"]
        .iter()
        .any(|folder| file.starts_with(folder))
}
