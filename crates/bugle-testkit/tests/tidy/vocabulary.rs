//! Names and comments use plain words: a list of banned ones, and what to write instead.

use crate::tree::{TextFile, assert_no_faults, folders_in, texts};

/// Crates that still have banned words. Remove an entry when its crate is clean; never add one.
const NOT_YET: &[&str] = &["bugle-cli"];

/// Words and phrases that names and comments must not have, and what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("whoever", "name the actor: the agent, the user, the reviewer"),
    ("somebody", "name the actor: the agent, the user, another session"),
    ("nobody", "name the actor, or say `no agent`, `none`"),
    ("anew", "again"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("owe", "must return"),
    ("owes", "must return"),
    ("owed", "required"),
    ("owing", "returning"),
    ("shall", "must, or the plain imperative"),
    ("dear", "expensive"),
    ("amiss", "wrong"),
    ("hence", "so"),
    ("whence", "from where"),
    ("is told", "sees, receives"),
    ("are told", "see, receive"),
    ("is said", "name the actor: the client says"),
    ("for want of", "without"),
    ("lies in", "is in, is under"),
    ("lie in", "are in, are under"),
    ("as it stands", "as it is, unchanged"),
    ("take up", "resume"),
    ("takes up", "resumes"),
    ("taken up", "resumed"),
    ("give up", "cancel, stop"),
    ("gives up", "cancels, stops"),
    ("given up", "cancelled, abandoned"),
    ("put aside", "paused, archived"),
    ("looks on", "watches"),
    ("gets on", "progresses"),
    ("of its own accord", "by itself, unasked"),
];

/// The words of a file's names and comments, by line. Strings are skipped: texts for users and agents have tests of
/// their own.
fn words_by_line(source: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        let skipped = literal_length(rest, line.chars().last());
        if skipped > 0 {
            let breaks = rest[..skipped].matches('\n').count();
            line.push(' ');
            for _ in 0..breaks {
                lines.push(std::mem::take(&mut line));
            }
            rest = &rest[skipped..];
            continue;
        }
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            line.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        if letter == '\n' {
            lines.push(std::mem::take(&mut line));
        } else {
            line.push(letter);
        }
        rest = &rest[letter.len_utf8()..];
    }
    lines.push(line);
    lines.iter().map(|line| words(line)).collect()
}

/// The length in bytes of the string or character literal at the beginning of `rest`; 0 if there is none.
fn literal_length(rest: &str, before: Option<char>) -> usize {
    let is_in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if !is_in_name && let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = 2 + hashes;
            return rest[body..]
                .find(&end)
                .map_or(rest.len(), |at| body + at + end.len());
        }
    }
    if let Some(text) = rest.strip_prefix('"') {
        let mut letters = text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => {
                    letters.next();
                }
                '"' => return at + 2,
                _ => {}
            }
        }
        return rest.len();
    }
    for quoted in ["'\"'", "'\\\"'", "'\\''"] {
        if rest.starts_with(quoted) {
            return quoted.len();
        }
    }
    0
}

/// The words of a line in lower case, with one space around each: `is_told` and `IsTold` are ` is told `.
fn words(line: &str) -> String {
    let mut words = String::from(" ");
    let mut before = ' ';
    for letter in line.chars() {
        let is_letter = letter.is_alphabetic();
        let begins = is_letter && (!before.is_alphabetic() || letter.is_uppercase() && before.is_lowercase());
        if (begins || !is_letter) && !words.ends_with(' ') {
            words.push(' ');
        }
        if is_letter {
            words.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

fn file_faults(file: &TextFile) -> Vec<String> {
    let lines = words_by_line(&file.text);
    // The words of all lines with single spaces, so that a phrase may span two lines of a comment.
    let mut all = String::from(" ");
    let mut starts = Vec::with_capacity(lines.len());
    for line in &lines {
        starts.push(all.len());
        all.push_str(line.trim_start());
    }
    let mut faults = Vec::new();
    for (banned, instead) in BANNED {
        for (at, _) in all.match_indices(&format!(" {banned} ")) {
            let line = starts.partition_point(|start| *start <= at + 1);
            faults.push(format!("{}:{line}: `{banned}`: {instead}", file.path));
        }
    }
    faults
}

fn crate_faults(krate: &str, files: &[TextFile]) -> Vec<String> {
    let folder = format!("crates/{krate}/");
    let own = "crates/bugle-testkit/tests/tidy/vocabulary.rs";
    let faults: Vec<String> = files
        .iter()
        .filter(|file| file.path.starts_with(&folder) && file.has_extension("rs") && file.path != own)
        .flat_map(file_faults)
        .collect();
    match (faults.is_empty(), NOT_YET.contains(&krate)) {
        (true, true) => vec![format!(
            "{krate} has no banned word: remove it from NOT_YET (tests/tidy/vocabulary.rs)"
        )],
        (false, true) => Vec::new(),
        (_, false) => faults,
    }
}

#[test]
fn a_banned_word_in_a_name_or_comment_is_a_fault() {
    let count = |text: &str| file_faults(&TextFile::new("a.rs", text)).len();
    assert_eq!(count("// Nobody reads it.\n"), 1);
    assert_eq!(count("fn mend() {}\n"), 1);
    assert_eq!(count("struct NobodyIsTold;\n"), 2);
    assert_eq!(count("fn numbered_anew() {}\n"), 1);
    assert_eq!(count("/// What it is\n/// told then.\n"), 1);
    assert_eq!(
        count("let text = \"nobody\";\nlet raw = r#\"a \" nobody\"#;\nlet c = '\"'; // fine\n"),
        0
    );
    assert_eq!(count("// recommend, amend, shallow\n"), 0);
}

#[test]
fn names_and_comments_use_plain_words() {
    let files = texts();
    let faults = folders_in("crates")
        .into_iter()
        .flat_map(|krate| crate_faults(&krate, &files));
    assert_no_faults(&faults.collect::<Vec<_>>());
}
