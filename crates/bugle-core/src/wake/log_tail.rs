//! The last lines of an agent's log, which is plain output or a client's JSON Lines transcript.

use serde_json::Value;

/// The number of bytes to read from the end of a log: enough for a few long transcript entries.
pub const LOG_WINDOW_BYTES: u64 = 256 * 1024;

/// Maximum number of lines to show.
const MAX_LINES: usize = 40;
/// Maximum number of bytes to show.
const MAX_BYTES: usize = 4096;
/// Maximum number of characters per line.
const MAX_LINE_LENGTH: usize = 300;
/// Maximum depth at which JSON is read.
const MAX_DEPTH: usize = 8;

/// The keys that contain text in clients' transcripts, in reading order.
const TEXT_KEYS: [&str; 17] = [
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

/// Entry types that are too generic to show.
const PLAIN_TYPES: [&str; 5] = ["text", "output_text", "input_text", "message", "response_item"];

/// The last lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogTail {
    /// The lines, oldest first, without control characters.
    pub lines: Vec<String>,
    /// Whether the log has more text before or within these lines.
    pub is_cut: bool,
}

impl LogTail {
    /// Reads the end of a log. `is_all` says whether it is the whole log.
    pub fn read(end: &[u8], is_all: bool) -> Self {
        let text = String::from_utf8_lossy(end);
        let mut whole: Vec<&str> = text.lines().collect();
        if !is_all && whole.len() > 1 {
            // The window may start in the middle of a line.
            whole.remove(0);
        }
        let mut words = Self {
            lines: Vec::new(),
            is_cut: !is_all,
        };
        let mut bytes = 0;
        for line in whole.iter().rev() {
            let Some(entry) = entry_text(line) else { continue };
            let (entry, is_cut) = clipped(&entry, MAX_LINE_LENGTH);
            bytes += entry.len() + 1;
            if words.lines.len() == MAX_LINES || bytes > MAX_BYTES {
                words.is_cut = true;
                break;
            }
            words.is_cut |= is_cut;
            words.lines.push(entry);
        }
        words.lines.reverse();
        words
    }
}

/// The text of a line, if it has any.
fn entry_text(line: &str) -> Option<String> {
    let line = line.trim();
    let words = match serde_json::from_str::<Value>(line) {
        Ok(entry @ Value::Object(_)) => {
            let mut words = Vec::new();
            collect_text(&entry, 0, &mut words);
            let text = words.join(" ");
            if text.trim().is_empty() {
                return None;
            }
            match speaker(&entry) {
                Some(speaker) => format!("{speaker}: {text}"),
                None => text,
            }
        }
        _ => line.to_owned(),
    };
    let plain = plain(&words);
    (!plain.is_empty()).then_some(plain)
}

/// An entry's speaker: its role at any depth, or else its type.
fn speaker(entry: &Value) -> Option<&str> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let inner = || {
        let inner = ["message", "payload", "item"].iter();
        inner
            .filter_map(|key| entry.get(*key))
            .find_map(|inner| inner.get("role").and_then(Value::as_str))
    };
    text("role").or_else(inner).or_else(|| text("type"))
}

/// Collects the text of an entry.
fn collect_text(value: &Value, depth: usize, words: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Number(number) => words.push(number.to_string()),
        Value::Array(items) => {
            for item in items {
                collect_text(item, depth + 1, words);
            }
        }
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            if let Some(kind) = kind.filter(|kind| depth > 0 && !PLAIN_TYPES.contains(kind)) {
                words.push(format!("[{kind}]"));
            }
            for key in TEXT_KEYS {
                if let Some(inner) = fields.get(key) {
                    collect_text(inner, depth + 1, words);
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The text on one line, without terminal control sequences.
fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next_if_eq(&'[').is_some() {
                // Skip an escape sequence up to its final letter.
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
        LogTail::read(log.as_bytes(), true).lines
    }

    #[test]
    fn plain_output_is_kept_without_control_sequences() {
        let log = "one\r\n\n\u{1b}[31mtwo\u{1b}[0m\u{7}\nthree";
        assert_eq!(lines(log), ["one", "two", "three"]);
    }

    #[test]
    fn the_text_of_a_transcript_is_kept() {
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
    fn a_partial_first_line_is_not_shown() {
        let words = LogTail::read(b"lf a line\nwhole\n", false);
        assert_eq!((words.lines, words.is_cut), (vec!["whole".to_owned()], true));
        let words = LogTail::read(b"the end of one endless line", false);
        assert_eq!(words.lines.len(), 1);
    }

    #[test]
    fn nested_objects_are_read_down_to_a_maximum_depth() {
        let deep = format!("{}1{}", r#"{"item":"#.repeat(60), "}".repeat(60));
        assert_eq!(lines(&deep), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_short_text_without_control_characters(
            bytes in proptest::collection::vec(any::<u8>(), 0..3000),
            repeat in 1_usize..8,
            is_all in any::<bool>(),
        ) {
            let words = LogTail::read(&bytes.repeat(repeat), is_all);
            prop_assert!(words.lines.len() <= MAX_LINES);
            prop_assert!(words.lines.iter().map(|line| line.len() + 1).sum::<usize>() <= MAX_BYTES);
            for line in &words.lines {
                prop_assert!(!line.contains(char::is_control) && !line.is_empty());
            }
        }
    }
}
