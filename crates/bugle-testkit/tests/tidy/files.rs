//! Rules for every file: a maximum length, a first comment that explains its purpose, and no leftover markers.

use crate::tree::{TextFile, assert_no_faults, texts};

const MAX_LENGTH: usize = 400;

/// Source files that are too long. Remove an entry when its file is short enough; never add one.
const STILL_LONG: &[&str] = &[];

/// Words that mark unfinished or silenced code, written in two halves so that this file does not contain them.
const UNFINISHED: &[(&str, &str)] = &[
    (concat!("to", "do!"), "finish it"),
    (concat!("unimpl", "emented!"), "finish it"),
    (concat!("FIX", "ME"), "fix it, or open an issue"),
    (concat!("TO", "DO"), "do it, or open an issue"),
    (concat!("for ", "now"), "say what is true, or until when and why"),
    (concat!("#[ig", "nore"), "a test must run"),
    (concat!("#[al", "low("), "use #[expect(lint, reason = \"...\")]"),
    (concat!("#![al", "low("), "use #![expect(lint, reason = \"...\")]"),
];

/// Names of one machine or service, which do not belong in a repository.
const FOREIGN: &[&str] = &[
    concat!("crates", ".io"),
    concat!("docs", ".rs/"),
    concat!("npmjs", "."),
    concat!("pypi", ".org"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
];

/// The parent of home folders. Examples use only invented users.
const HOMES: &str = concat!("/ho", "me/");
const MADE_UP: &[&str] = &["ada"];

fn source_faults(file: &TextFile) -> Vec<String> {
    let path = &file.path;
    let mut faults = Vec::new();
    let lines = file.text.lines().count();
    let is_excepted = STILL_LONG.contains(&path.as_str());
    if lines <= MAX_LENGTH && is_excepted {
        faults.push(format!(
            "{path}: {lines} lines: remove it from STILL_LONG (tests/tidy/files.rs)"
        ));
    }
    if lines > MAX_LENGTH && !is_excepted {
        faults.push(format!(
            "{path}: {lines} lines; the maximum is {MAX_LENGTH}: move a part of it to another file"
        ));
    }
    if !file.text.starts_with("//! ") {
        faults.push(format!(
            "{path}: the first line does not say what the file is for (`//! ...`)"
        ));
    }
    faults
}

fn unfinished_faults(file: &TextFile) -> Vec<String> {
    named_lines(file, UNFINISHED.iter().map(|(word, _)| *word))
        .map(|found| {
            let remedy = UNFINISHED.iter().find(|(word, _)| *word == found.word).unwrap().1;
            format!("{}: `{}`: {remedy}", found.place, found.word)
        })
        .collect()
}

fn foreign_faults(file: &TextFile) -> Vec<String> {
    let someones = |line: &str| {
        let mut names = line.split(HOMES).skip(1).map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap_or_default()
        });
        names.any(|name| !MADE_UP.contains(&name))
    };
    let homes = named_lines(file, std::iter::once(HOMES)).filter(|found| someones(found.line));
    named_lines(file, FOREIGN.iter().copied())
        .chain(homes)
        .map(|found| {
            format!(
                "{}: `{}` belongs to one machine or service",
                found.place, found.word
            )
        })
        .collect()
}

/// A word in a line.
struct Named<'a> {
    place: String,
    line: &'a str,
    word: &'static str,
}

fn named_lines<'a>(
    file: &'a TextFile,
    words: impl Iterator<Item = &'static str> + Clone + 'a,
) -> impl Iterator<Item = Named<'a>> + 'a {
    file.text.lines().enumerate().flat_map(move |(index, line)| {
        let words = words.clone().filter(move |word| line.contains(word));
        words.map(move |word| Named {
            place: format!("{}:{}", file.path, index + 1),
            line,
            word,
        })
    })
}

#[test]
fn a_long_file_or_one_without_a_first_comment_is_a_fault() {
    let of = |path, text: &str| source_faults(&TextFile::new(path, text)).len();
    let long = format!("//! Long.\n{}", "\n".repeat(MAX_LENGTH));
    assert_eq!(of("crates/a/src/lib.rs", &long), 1);
    assert_eq!(of("crates/a/tests/it/main.rs", &long), 1);
    assert_eq!(of("crates/a/src/lib.rs", "use std::fs;\n"), 1);
}

#[test]
fn leftover_markers_are_a_fault() {
    for (word, _) in UNFINISHED {
        let file = TextFile::new("a.rs", &format!("//! A.\n// {word}\n"));
        assert!(!unfinished_faults(&file).is_empty(), "{word}");
    }
    for word in FOREIGN {
        let file = TextFile::new("a.md", &format!("see {word}\n"));
        assert!(foreign_faults(&file)[0].starts_with("a.md:1: "), "{word}");
    }
    let at = |name: &str| foreign_faults(&TextFile::new("a.md", &format!("see {HOMES}{name}/x\n"))).len();
    assert_eq!([at("ada"), at("adam")], [0, 1]);
}

#[test]
fn every_source_file_is_short_and_says_what_it_is_for() {
    let files = texts();
    let gone = STILL_LONG
        .iter()
        .filter(|path| !files.iter().any(|file| file.path == **path))
        .map(|path| format!("{path} is gone: remove it from STILL_LONG (tests/tidy/files.rs)"));
    let sources = files.iter().filter(|file| file.has_extension("rs"));
    let faults = sources.flat_map(source_faults).chain(gone);
    assert_no_faults(&faults.collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_unfinished_or_silenced() {
    // Prompts and conventions are about other people's code and may contain such words.
    let own = texts()
        .into_iter()
        .filter(|file| !file.path.starts_with("skills/") && !file.path.starts_with("conventions/"))
        .filter(|file| !file.has_extension("lock"));
    assert_no_faults(&own.flat_map(|file| unfinished_faults(&file)).collect::<Vec<_>>());
}

#[test]
fn no_file_names_one_machine_or_one_registry() {
    // Cargo writes the lock file.
    let own = texts().into_iter().filter(|file| !file.has_extension("lock"));
    assert_no_faults(&own.flat_map(|file| foreign_faults(&file)).collect::<Vec<_>>());
}
