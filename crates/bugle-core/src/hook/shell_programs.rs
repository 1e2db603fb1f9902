//! Programs that write files, and by which of their words that can be told.

use super::shell::{Write, base};
use super::shell_words::Word;

/// Commands whose every argument that is not an option is written or taken away.
const WRITE_ALL: [&str; 7] = ["tee", "rm", "touch", "truncate", "unlink", "rmdir", "shred"];
/// Commands whose last argument is written.
const WRITE_LAST: [&str; 5] = ["cp", "mv", "install", "ln", "rsync"];
/// Commands that change what a text of theirs says.
const WRITE_BY_TEXT: [&str; 2] = ["patch", "apply_patch"];

/// What a command writes, as far as its words tell.
pub(super) fn written(name: &str, arguments: &[Word]) -> Vec<Write> {
    let files = || arguments.iter().filter(|word| !word.text.starts_with('-'));
    let by = |file: Option<&Word>| write(name, file);
    match name {
        _ if WRITE_ALL.contains(&name) => files()
            .filter(|word| !(word.is_literal && is_harmless(&word.text)))
            .map(|word| by(Some(word)))
            .collect(),
        _ if WRITE_LAST.contains(&name) => files()
            .next_back()
            .map(|word| by(Some(word)))
            .into_iter()
            .collect(),
        _ if WRITE_BY_TEXT.contains(&name) => vec![by(None)],
        "sed" | "perl" | "ruby" if arguments.iter().any(|word| edits_in_place(name, &word.text)) => {
            vec![by(files().next_back())]
        }
        "awk" | "gawk" if loads_inplace(arguments) => vec![by(files().next_back())],
        "dd" => {
            let target = arguments.iter().find_map(|word| word.text.strip_prefix("of="));
            named(name, target).into_iter().collect()
        }
        "find" => found(arguments),
        "git" if changes_work_tree(arguments) => vec![by(None)],
        "curl" => downloaded(name, arguments, &CURL),
        "wget" if arguments.iter().any(|word| word.text == "--spider") => Vec::new(),
        "wget" => {
            let told = downloaded(name, arguments, &WGET);
            let says_where = arguments.iter().any(|word| WGET.says_where(&word.text));
            if told.is_empty() && !says_where {
                vec![by(None)]
            } else {
                told
            }
        }
        _ => Vec::new(),
    }
}

fn write(name: &str, file: Option<&Word>) -> Write {
    Write::Command {
        name: name.to_owned(),
        file: file.filter(|word| word.is_literal).map(|word| word.text.clone()),
    }
}

/// A file that is written, unless writing it does nothing.
fn named(name: &str, file: Option<&str>) -> Option<Write> {
    file.filter(|file| !is_harmless(file) && *file != "-")
        .map(|file| Write::Command {
            name: name.to_owned(),
            file: Some(file.to_owned()),
        })
}

pub(super) fn is_harmless(file: &str) -> bool {
    matches!(file, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") || file.starts_with("/dev/fd/")
}

/// `-i`, `-ni`, `-pi.bak`, `--in-place`. Behind a letter that takes a value, the rest of the word is that value.
fn edits_in_place(name: &str, word: &str) -> bool {
    if word.starts_with("--in-place") {
        return true;
    }
    let valued = if name == "sed" { "efl" } else { "eEfFIMmxCDrd" };
    let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    letters
        .chars()
        .take_while(|letter| !valued.contains(*letter))
        .any(|letter| letter == 'i')
}

/// `-i inplace`, in each of its forms.
fn loads_inplace(arguments: &[Word]) -> bool {
    let pairs = arguments.windows(2);
    let mut apart = pairs.filter(|pair| matches!(pair[0].text.as_str(), "-i" | "--include"));
    apart.any(|pair| pair[1].text == "inplace")
        || arguments
            .iter()
            .any(|word| matches!(word.text.as_str(), "-iinplace" | "--include=inplace"))
}

/// What `find` writes, or has written by the commands that it runs.
fn found(arguments: &[Word]) -> Vec<Write> {
    let mut writes = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let rest = &arguments[at + 1..];
        match word.text.as_str() {
            "-delete" => writes.push(write("find", None)),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                writes.extend(named("find", rest.first().map(|file| file.text.as_str())));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = rest
                    .iter()
                    .position(|word| matches!(word.text.as_str(), ";" | "+"));
                let mut words = rest[..end.unwrap_or(rest.len())].to_vec();
                for word in &mut words {
                    word.is_literal &= !word.text.contains("{}");
                }
                if let Some((name, arguments)) = words.split_first()
                    && base(&name.text) != "find"
                {
                    writes.extend(written(base(&name.text), arguments));
                }
            }
            _ => {}
        }
    }
    writes
}

/// Whether a command of `git` changes files of the work tree.
fn changes_work_tree(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().map(|word| word.text.as_str());
    let mut command = None;
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            other => {
                command = Some(other);
                break;
            }
        }
    }
    let rest: Vec<&str> = words.collect();
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    match command.unwrap_or_default() {
        "apply" => has(&["--apply"]) || !has(&["--check", "--stat", "--numstat", "--summary"]),
        "restore" => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "clean" => !has(&["-n", "--dry-run"]),
        "rm" => !has(&["--cached", "-n", "--dry-run"]),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "stash" => !matches!(rest.first(), Some(&("list" | "show"))),
        "checkout" | "switch" | "mv" | "am" | "revert" | "cherry-pick" | "merge" | "rebase" | "pull" => true,
        _ => false,
    }
}

/// How a program that fetches says where to.
struct Fetching {
    /// The letters of options that are followed by a file to be written.
    into: &'static str,
    /// The same in words.
    into_words: &'static [&'static str],
    /// The letters of options that write a file under its own name.
    under_its_name: &'static str,
    /// The letters of other options that take a value.
    valued: &'static str,
}

const CURL: Fetching = Fetching {
    into: "oDc",
    into_words: &[
        "--output",
        "--dump-header",
        "--cookie-jar",
        "--trace",
        "--trace-ascii",
    ],
    under_its_name: "OJ",
    valued: "AbCdeEFHKmPQrtTuUwxXyYz",
};
const WGET: Fetching = Fetching {
    into: "Oo",
    into_words: &["--output-document", "--output-file"],
    under_its_name: "",
    valued: "aABDeGiIlPQRtTUwX",
};

impl Fetching {
    /// Whether a word says where the document goes.
    fn says_where(&self, word: &str) -> bool {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| {
            let flags = letters
                .chars()
                .take_while(|letter| !self.valued.contains(*letter));
            flags.into_iter().any(|letter| letter == 'O')
        }) || word.starts_with("--output-document")
    }
}

/// The files that a program writes what it fetches to, as far as it is told.
fn downloaded(name: &str, arguments: &[Word], how: &Fetching) -> Vec<Write> {
    let mut writes = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if let Some(long) = word.text.strip_prefix("--") {
            let (option, value) = long
                .split_once('=')
                .map_or((long, None), |(option, value)| (option, Some(value)));
            if how.into_words.iter().any(|known| known[2..] == *option) {
                match value {
                    Some(value) => writes.extend(named(name, Some(value))),
                    None => writes.extend(target(name, words.next())),
                }
            } else if option.starts_with("remote-name") {
                writes.push(write(name, None));
            }
            continue;
        }
        let Some(letters) = word.text.strip_prefix('-') else {
            continue;
        };
        for (at, letter) in letters.char_indices() {
            let value = &letters[at + letter.len_utf8()..];
            if how.into.contains(letter) {
                if value.is_empty() {
                    writes.extend(target(name, words.next()));
                } else {
                    writes.extend(named(name, Some(value)));
                }
                break;
            }
            if how.valued.contains(letter) {
                if value.is_empty() {
                    words.next();
                }
                break;
            }
            if how.under_its_name.contains(letter) {
                writes.push(write(name, None));
            }
        }
    }
    writes
}

/// The file that a word names, unless writing it does nothing.
fn target(name: &str, word: Option<&Word>) -> Option<Write> {
    let word = word?;
    if word.is_literal {
        named(name, Some(&word.text))
    } else {
        Some(write(name, None))
    }
}
