//! The last lines of an agent's log: plain output, or a client's transcript with one JSON object a line.

use serde_json::Value;

/// How much of the end of a log is looked at: enough for a few long entries of a transcript.
pub const LOG_WINDOW_BYTES: u64 = 256 * 1024;

/// How many lines are kept.
const MOST_LINES: usize = 40;
/// How many bytes these may have together.
const MOST_BYTES: usize = 4096;
/// How many characters of one line are kept.
const MOST_OF_ONE: usize = 300;
/// How deep a JSON object is looked into.
const DEEPEST: usize = 8;

/// The keys under which a transcript has words, whatever the client, in the order in which they are read.
const TELLING: [&str; 17] = [
    "payload",
    "item",
    "event",
    "message",
    "name",
    "command",
    "text",
    "thinking",
    "content",
    "parts",
    "input",
    "arguments",
    "output",
    "result",
    "exit_code",
    "error",
    "last_agent_message",
];

/// The types that say nothing about what they are the type of.
const PLAIN_TYPES: [&str; 5] = ["text", "output_text", "input_text", "message", "response_item"];

/// The last lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LastWords {
    /// The lines, the last one last; no control characters in them.
    pub lines: Vec<String>,
    /// Whether there is more before them, or in them.
    pub is_cut: bool,
}

impl LastWords {
    /// Reads the end of a log; `is_all` if it is also its beginning.
    pub fn read(end: &[u8], is_all: bool) -> Self {
        let text = String::from_utf8_lossy(end);
        let mut whole: Vec<&str> = text.lines().collect();
        if !is_all && whole.len() > 1 {
            // Where the window begins, nobody knows what stood before.
            whole.remove(0);
        }
        let mut words = Self {
            lines: Vec::new(),
            is_cut: !is_all,
        };
        let mut bytes = 0;
        for line in whole.iter().rev() {
            let Some(said) = said(line) else { continue };
            let (said, is_cut) = clipped(&said, MOST_OF_ONE);
            bytes += said.len() + 1;
            if words.lines.len() == MOST_LINES || bytes > MOST_BYTES {
                words.is_cut = true;
                break;
            }
            words.is_cut |= is_cut;
            words.lines.push(said);
        }
        words.lines.reverse();
        words
    }
}

/// What a line says; nothing if that is nothing.
fn said(line: &str) -> Option<String> {
    let line = line.trim();
    let words = match serde_json::from_str::<Value>(line) {
        Ok(entry @ Value::Object(_)) => {
            let mut words = Vec::new();
            tell(&entry, 0, &mut words);
            let told = words.join(" ");
            if told.trim().is_empty() {
                return None;
            }
            match who(&entry) {
                Some(who) => format!("{who}: {told}"),
                None => told,
            }
        }
        _ => line.to_owned(),
    };
    let plain = plain(&words);
    (!plain.is_empty()).then_some(plain)
}

/// Whose words an entry has: its role, wherever that stands; else its type.
fn who(entry: &Value) -> Option<&str> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let inner = || {
        let inner = ["message", "payload", "item"].iter();
        inner
            .filter_map(|key| entry.get(*key))
            .find_map(|inner| inner.get("role").and_then(Value::as_str))
    };
    text("role").or_else(inner).or_else(|| text("type"))
}

/// Gathers the words of an entry.
fn tell(value: &Value, depth: usize, words: &mut Vec<String>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Number(number) => words.push(number.to_string()),
        Value::Array(items) => {
            for item in items {
                tell(item, depth + 1, words);
            }
        }
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            if let Some(kind) = kind.filter(|kind| depth > 0 && !PLAIN_TYPES.contains(kind)) {
                words.push(format!("[{kind}]"));
            }
            for key in TELLING {
                if let Some(inner) = fields.get(key) {
                    tell(inner, depth + 1, words);
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// A text in one line, without what steers a terminal.
fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next_if_eq(&'[').is_some() {
                // Colours and the like: up to the letter that ends them.
                while letters.next_if(|next| !('@'..='~').contains(next)).is_some() {}
                letters.next();
            }
        } else if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
            kept.push(' ');
        } else {
            kept.push(letter);
        }
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clipped(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (format!("{}...", &text[..end]), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(log: &str) -> Vec<String> {
        LastWords::read(log.as_bytes(), true).lines
    }

    #[test]
    fn plain_output_is_kept_without_what_steers_a_terminal() {
        let log = "one\r\n\n\u{1b}[31mtwo\u{1b}[0m\u{7}\nthree";
        assert_eq!(lines(log), ["one", "two", "three"]);
    }

    #[test]
    fn of_a_transcript_the_words_are_kept() {
        let log = concat!(
            r#"{"type":"summary","leafUuid":"1"}"#,
            "\n",
            r#"{"type":"user","uuid":"2","message":{"role":"user","content":"Add the login"}}"#,
            "\n",
            r#"{"type":"assistant","message":{"role":"assistant","usage":{"output_tokens":9},"content":[{"type":"text","text":"I run\nthe tests."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"cargo test"}}]}}"#,
            "\n",
            r#"{"type":"item.completed","item":{"type":"command_execution","command":"ls","exit_code":2}}"#,
            "\n",
        );
        assert_eq!(
            lines(log),
            [
                "user: Add the login",
                "assistant: I run the tests. [tool_use] Bash cargo test",
                "item.completed: [command_execution] ls 2",
            ]
        );
    }

    #[test]
    fn the_line_in_which_the_window_begins_is_not_half_told() {
        let words = LastWords::read(b"lf a line\nwhole\n", false);
        assert_eq!((words.lines, words.is_cut), (vec!["whole".to_owned()], true));
        let words = LastWords::read(b"the end of one endless line", false);
        assert_eq!(words.lines.len(), 1);
    }

    #[test]
    fn deep_objects_are_looked_into_only_so_far() {
        let deep = format!("{}1{}", r#"{"item":"#.repeat(60), "}".repeat(60));
        assert_eq!(lines(&deep), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_it_is_short_and_steers_nothing(
            bytes in proptest::collection::vec(any::<u8>(), 0..3000),
            repeat in 1_usize..8,
            is_all in any::<bool>(),
        ) {
            let words = LastWords::read(&bytes.repeat(repeat), is_all);
            prop_assert!(words.lines.len() <= MOST_LINES);
            prop_assert!(words.lines.iter().map(|line| line.len() + 1).sum::<usize>() <= MOST_BYTES);
            for line in &words.lines {
                prop_assert!(!line.contains(char::is_control) && !line.is_empty());
            }
        }
    }
}
