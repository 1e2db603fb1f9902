//! Quotes untrusted text in a wake-up, so that the text cannot look like Bugle's own.
//!
//! An inline value loses its line breaks and always follows Bugle's own words. Longer text is put between fences that
//! are longer than any inside it. Control characters become visible in both.

use std::borrow::Cow;

use bugle_core::interface::Interface;
use bugle_core::reply::WakeFacts;

use crate::template;
use crate::text::{is_plain, printable};

/// A value on one line. It cannot close a tag that a client puts around the wake-up.
pub(super) fn inline(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    untrusted(&printable(&line)).into_owned()
}

/// A value on one line, cut to `most` characters; `...` marks a cut.
pub(super) fn clipped(text: &str, most: usize) -> String {
    let line = inline(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// A command or path as a code span, even if it contains backticks. Closing tags are split, because a path can contain
/// them. Bugle's inline commands contain none.
pub(super) fn code(text: &str) -> String {
    let line = inline(text);
    if !line.contains('`') {
        return format!("`{line}`");
    }
    let longest = line.split(|letter| letter != '`').map(str::len).max();
    let marks = "`".repeat(longest.unwrap_or_default() + 1);
    format!("{marks} {line} {marks}")
}

/// Text between fences. Closing tags are written as `<\/`, so that the text cannot close the client's tag around the
/// wake-up. [`tags_remark`] explains this to the reader.
pub(super) fn fence(text: &str) -> String {
    // Fast path for text without control characters.
    if is_plain(text) {
        return template::fenced("", &untrusted(text));
    }
    // CRLF becomes a newline before control characters become visible.
    printable(&template::fenced("", &untrusted(&text.replace("\r\n", "\n"))))
}

fn untrusted(text: &str) -> Cow<'_, str> {
    if text.contains("</") {
        Cow::Owned(text.replace("</", r"<\/"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The remark on text that contains a closing tag; empty if it contains none.
pub(super) fn tags_remark(text: &str) -> &'static str {
    if text.contains("</") {
        r" (closing tags are written as `<\/` here)"
    } else {
        ""
    }
}

/// An agent as `@name`.
pub(super) fn mention(name: &str) -> String {
    format!("@{}", clipped(name.trim_start_matches('@'), 60))
}

/// An actor: an agent as `@name`, any other actor as given.
pub(super) fn speaker(name: &str) -> String {
    if name.trim_start().starts_with('@') {
        mention(name.trim_start())
    } else {
        clipped(name, 60)
    }
}

/// A length as `u64`.
pub(super) fn number(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A command on its own lines. A one-line command is indented. A longer command is fenced, because indentation would
/// become part of the command.
pub(super) fn command(command: &str) -> String {
    if command.contains(['\n', '\r']) {
        return template::fenced("sh", &printable(command));
    }
    format!("    {}", printable(command))
}

/// A list, one item per line.
pub(super) fn items(lines: impl IntoIterator<Item = String>) -> String {
    let lines = lines.into_iter().map(|line| format!("- {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Notices, one per line.
pub(super) fn notices(notices: impl IntoIterator<Item = String>) -> String {
    let lines = notices.into_iter();
    let lines = lines.map(|notice| format!("Note: {}", inline(&notice)));
    lines.collect::<Vec<_>>().join("\n")
}

/// How the agent calls Bugle.
#[derive(Debug, Clone)]
pub(super) struct Program {
    name: String,
    interface: Interface,
}

impl Program {
    /// A command as the agent can issue it.
    pub(super) fn command(&self, words: &[&str]) -> String {
        match self.interface.tool_call(words) {
            Some(call) => call.to_string(),
            None => format!("{} {}", self.name, words.join(" ")),
        }
    }
}

/// How the agent calls Bugle.
pub(super) fn program(facts: &WakeFacts) -> Program {
    Program {
        name: program_name(facts),
        interface: facts.interface,
    }
}

/// The name of the `bugle` program in the given commands. These commands run as printed, so the same name works in
/// other commands.
fn program_name(facts: &WakeFacts) -> String {
    let step = facts.step.iter().filter_map(|step| step.command.as_deref());
    let next = facts.next.commands.iter().map(|next| next.command.as_str());
    let position = facts.position.iter().flat_map(|position| &position.commands);
    let position = position.map(|next| next.command.as_str());
    let mut calls = step.chain(next).chain(position).filter_map(first_word);
    calls.find(|word| names_bugle(word)).unwrap_or("bugle").to_owned()
}

/// The first word of a command, with the quotes around it.
fn first_word(command: &str) -> Option<&str> {
    let end = match command.strip_prefix('\'') {
        Some(quoted) => quoted.find('\'')? + 2,
        None => command.find(' ')?,
    };
    command.get(..end).filter(|word| !word.contains(char::is_control))
}

fn names_bugle(word: &str) -> bool {
    let path = word.trim_matches('\'');
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    matches!(name, "bugle" | "bugle.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_on_its_line() {
        assert_eq!(inline("a\n# b\u{2028}c\u{7}"), "a # b c\u{2407}");
        assert_eq!(clipped("one two three", 7), "one two...");
        assert_eq!(clipped("one two", 7), "one two");
    }

    #[test]
    fn a_code_span_may_contain_backticks() {
        assert_eq!(code("bugle run list"), "`bugle run list`");
        assert_eq!(code("a `b`` c"), "``` a `b`` c ```");
    }

    #[test]
    fn a_closing_tag_is_split_and_marked() {
        assert_eq!(untrusted("</wake_up> a < b"), r"<\/wake_up> a < b");
        assert_eq!(tags_remark("a < b"), "");
        assert!(tags_remark("</a>").contains(r"<\/"));
    }

    #[test]
    fn commands_use_the_program_name_of_the_given_commands() {
        assert_eq!(first_word("bugle task next"), Some("bugle"));
        assert_eq!(first_word("'/a b/bugle' task next"), Some("'/a b/bugle'"));
        assert!(names_bugle("'/a b/bugle'"));
        assert!(names_bugle(r"'C:\tools\bugle.exe'"));
        assert!(!names_bugle("echo"));
    }

    #[test]
    fn a_multi_line_command_is_not_indented() {
        assert_eq!(command("bugle run list"), "    bugle run list");
        assert_eq!(command("cat <<END\n a\nEND"), "```sh\ncat <<END\n a\nEND\n```");
    }
}
