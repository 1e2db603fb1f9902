//! Names, comments and texts use plain words. Banned words are listed with their replacements.

use crate::tree::{TextFile, assert_no_faults, texts};

/// Prompts that have not been rewritten yet. Remove an entry when its files are clean; never add one.
const NOT_YET: &[&str] = &[
    "/prompts/",
    "/resources/",
    "skills/develop/",
    "skills/doc-sync/workflow.yaml",
    "skills/execute-plan/workflow.yaml",
    "skills/incoherence/workflow.yaml",
    "skills/prompt-engineer/workflow.yaml",
];

/// Files in which a banned word is correct: text by other authors, stable codes, quotations, and code in which adjacent
/// words form a phrase by chance.
const RIGHT: &[(&str, &str)] = &[
    ("crates/bugle-app/src/tasks/change.rs", "also if"),
    ("crates/bugle-cli/src/commands/task/assign.rs", "nobody"),
    ("crates/bugle-core/src/digest/sentence.rs", "shall"),
    ("crates/bugle-core/src/engine/refusal_codes.rs", "nobody"),
    ("crates/bugle-render/src/message.rs", "nobody"),
    ("crates/bugle-render/src/setup.rs", "holds for"),
    ("docs/troubleshooting.md", "nobody"),
    ("skills/writing-style/workflow.yaml", "go on"),
];

/// Banned words and phrases, and their replacements.
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
    ("look after", "supervise, maintain"),
    ("looks after", "supervises, maintains"),
    ("heard of", "seen, active"),
    ("by and by", "gradually, one after the other"),
    ("gets along", "works with"),
    ("also if", "even if"),
    ("also while", "even while"),
    ("also when", "even when"),
    ("what holds", "what is true"),
    ("still holds", "is still true, is still valid"),
    ("holds for", "applies to, is true of"),
    ("hold for", "apply to, are true of"),
    ("decide about", "decide at a gate, trust a skill, manage members"),
    (
        "decides about",
        "decides at a gate, trusts a skill, manages members",
    ),
    ("least role", "minimum role"),
    ("go on", "continue, keep doing"),
    ("goes on", "continues, keeps doing"),
    ("stays as it is", "is unchanged, is kept"),
    ("cause of a fault", "cause of a bug"),
    ("knows of no", "found no"),
    ("other columns than", "columns that differ from"),
    ("neighbor", "neighbour"),
    ("neighbors", "neighbours"),
    ("recognizes", "recognises"),
    ("recognized", "recognised"),
    ("normalizes", "normalises"),
    ("normalized", "normalised"),
    ("summarizes", "summarises"),
];

/// The checked part of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Names and comments. Strings in tests may quote anything.
    NamesAndComments,
    /// Everything: strings reach people and agents.
    Everything,
}

/// The words of a Rust file, by line; without strings unless they are checked too.
fn words_by_line(source: &str, scope: Scope) -> Vec<String> {
    if scope == Scope::Everything {
        return source.lines().map(words).collect();
    }
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

fn file_faults(file: &TextFile, scope: Scope) -> Vec<String> {
    let lines = words_by_line(&file.text, scope);
    // Join the words of all lines with single spaces, because a phrase may span two lines of a comment.
    let mut all = String::from(" ");
    let mut starts = Vec::with_capacity(lines.len());
    for line in &lines {
        starts.push(all.len());
        all.push_str(line.trim_start());
    }
    let mut faults = Vec::new();
    for (banned, instead) in BANNED {
        if RIGHT.contains(&(&file.path, banned)) {
            continue;
        }
        for (at, _) in all.match_indices(&format!(" {banned} ")) {
            let line = starts.partition_point(|start| *start <= at + 1);
            faults.push(format!("{}:{line}: `{banned}`: {instead}", file.path));
        }
    }
    faults
}

/// The checked part of this file; `None` if nothing is checked.
fn scope(file: &TextFile) -> Option<Scope> {
    let path = file.path.as_str();
    let is_own = path == "crates/bugle-testkit/tests/tidy/vocabulary.rs";
    let is_text = ["md", "yaml", "html", "js", "sh"]
        .iter()
        .any(|extension| file.has_extension(extension));
    let is_script = path.starts_with("scripts/");
    if is_own || NOT_YET.iter().any(|part| path.contains(part)) {
        return None;
    }
    if file.has_extension("rs") {
        let is_quoting = file.is_test()
            || path.contains("/tests")
            || path.contains("-testkit/")
            || path.contains("/benches/");
        return Some(if is_quoting {
            Scope::NamesAndComments
        } else {
            Scope::Everything
        });
    }
    let is_fixture = path.starts_with("crates/") && path.contains("/tests/");
    ((is_text || is_script) && !is_fixture).then_some(Scope::Everything)
}

#[test]
fn a_banned_word_in_a_name_or_comment_is_a_fault() {
    let count = |text: &str| file_faults(&TextFile::new("a.rs", text), Scope::NamesAndComments).len();
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
fn a_banned_word_in_a_text_is_a_fault() {
    let count = |path: &str, text: &str| {
        let file = TextFile::new(path, text);
        scope(&file).map(|scope| file_faults(&file, scope).len())
    };
    assert_eq!(
        count("crates/a/src/b.rs", "let text = \"Nobody asks.\";\n"),
        Some(1)
    );
    assert_eq!(
        count("crates/a/tests/it/b.rs", "let text = \"Nobody asks.\";\n"),
        Some(0)
    );
    assert_eq!(count("docs/a.md", "It is told to\nmend it anew.\n"), Some(3));
    assert_eq!(count("skills/a/prompts/b.md", "Mend it.\n"), None);
    assert_eq!(count("crates/a/tests/plans/b.md", "Mend it.\n"), None);
}

#[test]
fn names_comments_and_texts_use_plain_words() {
    let files = texts();
    let faults = files
        .iter()
        .filter_map(|file| scope(file).map(|scope| file_faults(file, scope)));
    assert_no_faults(&faults.flatten().collect::<Vec<_>>());
}

#[test]
fn every_exception_is_needed() {
    let files = texts();
    let unneeded = RIGHT.iter().filter(|(path, banned)| {
        let file = files.iter().find(|file| file.path == *path);
        let words = file.map(|file| words(&file.text)).unwrap_or_default();
        !words.contains(&format!(" {banned} "))
    });
    let faults: Vec<String> = unneeded
        .map(|(path, banned)| format!("{path} has no `{banned}`"))
        .collect();
    assert_no_faults(&faults);
}
