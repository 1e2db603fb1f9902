//! Plain text for a terminal, with the same content as [`crate::xml`].
//!
//! Each function returns a block without a trailing newline; [`page`] joins blocks. Control characters become visible,
//! so that untrusted text cannot move the cursor or change colours.

use bugle_core::reply::TaskLabel;
use unicode_width::UnicodeWidthStr as _;

use crate::xml::escape::control_picture;
use crate::xml::step::{NextCommand, StepHeader};

/// The title, with the position on the next line.
pub fn header(header: &StepHeader<'_>) -> String {
    let phase = header
        .phase
        .map(|phase| format!(" ({phase})"))
        .unwrap_or_default();
    printable(&format!(
        "{}
{}, step {}{phase}, run {}, visit {}",
        header.title, header.skill, header.step, header.run, header.visit
    ))
}

/// A step's task, on one line.
pub fn task(task: &TaskLabel) -> String {
    let words = [task.number.as_str(), &task.title].join(" ");
    let words: Vec<&str> = words.split_whitespace().collect();
    printable(&format!("Task {} ({})", words.join(" "), task.id))
}

/// A heading with text below it.
pub fn section(heading: &str, body: &str) -> String {
    printable(&format!("{heading}\n\n{}", body.trim_end()))
}

/// A heading with a list below it.
pub fn list<Item: AsRef<str>>(heading: &str, items: &[Item]) -> String {
    let mut block = printable(heading);
    for item in items {
        block.push_str("\n  - ");
        block.push_str(&printable(item.as_ref()).replace('\n', "\n    "));
    }
    block
}

/// The command that ends the step; `None` if the step has none.
pub fn command(next: &NextCommand) -> Option<String> {
    match next {
        NextCommand::Flat(command) => Some(labelled("When done, run:", command)),
        NextCommand::Branch { if_pass, if_fail } => Some(page(&[
            labelled("When done, if the work passes, run:", if_pass),
            labelled("When done, if the work fails, run:", if_fail),
        ])),
        NextCommand::None => None,
    }
}

/// The line that reports a completed run.
pub fn complete(skill: &str, run: &str) -> String {
    printable(&format!("{skill} is complete (run {run})."))
}

/// Joins blocks with a blank line between them; skips empty blocks.
pub fn page<Block: AsRef<str>>(blocks: &[Block]) -> String {
    let blocks: Vec<_> = blocks
        .iter()
        .map(AsRef::as_ref)
        .filter(|block| !block.is_empty())
        .collect();
    blocks.join("\n\n")
}

/// Indents a one-line command. A longer command stays flush left: inside a quoted string or a here-document, the
/// indentation would become part of the command.
fn labelled(label: &str, command: &str) -> String {
    let indent = if command.contains('\n') { "" } else { "    " };
    printable(&format!("{label}\n\n{indent}{command}"))
}

/// Makes control characters visible. Newlines and tabs stay; CRLF becomes a newline.
pub fn printable(text: &str) -> String {
    // Fast path for text that needs no change.
    if is_plain(text) {
        return text.to_owned();
    }
    let visible = |character: char| match character {
        '\n' | '\t' => character,
        '\u{7F}' => '\u{2421}',
        // Bidirectional controls can make a line look like different text.
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => control_picture(character).unwrap_or(character),
    };
    text.replace("\r\n", "\n").chars().map(visible).collect()
}

/// Whether the text is ASCII without control characters other than tabs and newlines. Works on chunks, so that the
/// compiler can vectorise it.
pub(crate) fn is_plain(text: &str) -> bool {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let mut pieces = text.as_bytes().chunks(128);
    pieces.all(|piece| piece.iter().fold(true, |plain, byte| plain & is_plain(byte)))
}

/// An error and its hints.
pub fn error_message(message: &str, hints: &[String]) -> String {
    let mut text = format!("bugle: {message}\n");
    for line in hints.iter().flat_map(|hint| hint.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
    printable(&text)
}

/// The first 100 characters of the text, on one line.
pub fn excerpt(text: &str) -> String {
    shortened(text, 100)
}

/// The text on one line, cut to `most` characters; `...` marks a cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line,
    }
}

/// The longest question in a list, in characters.
const MAX_QUESTION: usize = 160;

/// A question on one line. Cuts a long question in the middle: many questions begin with the same words, and the last
/// sentence is usually what the question is about.
pub fn question_excerpt(text: &str) -> String {
    cut_in_middle(text, MAX_QUESTION)
}

/// The text on one line, with at most `most` characters; ` ... ` in the middle marks a cut.
pub fn cut_in_middle(text: &str, most: usize) -> String {
    const GAP: &str = " ... ";
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= most {
        return line;
    }
    let room = most.saturating_sub(GAP.len());
    let start: String = line.chars().take(room / 2).collect();
    let end: String = line.chars().skip(length - (room - room / 2)).collect();
    // Leave out words that are cut off.
    let start = start.rsplit_once(' ').map_or(start.as_str(), |(whole, _)| whole);
    let end = end.split_once(' ').map_or(end.as_str(), |(_, whole)| whole);
    format!("{start}{GAP}{end}")
}

/// Wraps a line at spaces. A word that is longer than `width` keeps its line.
pub(crate) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.as_str().width() + 1 + word.width() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_step_reads_like_a_page() {
        let command = command(&NextCommand::Flat("bugle done 'r-7f3a#2'".to_owned()));
        let blocks = [
            header(&StepHeader::EXAMPLE),
            section(
                "Do",
                "Take the decision apart.\n\nSplit what joins two statements.\n",
            ),
            section("format.md (the shape of the list)", "C1: ...\nA1: ..."),
            list(
                "Not allowed in this step:",
                &["Judging a claim", "Editing:\nany file"],
            ),
            command.unwrap_or_default(),
        ];
        insta::assert_snapshot!(page(&blocks));
    }

    #[test]
    fn a_branch_shows_both_commands() {
        let next = NextCommand::Branch {
            if_pass: "bugle done 'r-7f3a#2' --outcome ok".to_owned(),
            if_fail: "bugle done 'r-7f3a#2' --outcome fail".to_owned(),
        };
        insta::assert_snapshot!(command(&next).unwrap());
    }

    #[test]
    fn a_long_command_is_not_indented() {
        let next = NextCommand::Flat("cat <<END\n  kept\nEND".to_owned());
        assert_eq!(
            command(&next).unwrap(),
            "When done, run:\n\ncat <<END\n  kept\nEND"
        );
    }

    #[test]
    fn the_end_of_a_run_is_one_line() {
        assert_eq!(complete("planner", "r-7f3a"), "planner is complete (run r-7f3a).");
        assert_eq!(command(&NextCommand::None), None);
    }

    #[test]
    fn empty_blocks_leave_no_gap() {
        assert_eq!(page(&["one", "", "two"]), "one\n\ntwo");
    }

    #[test]
    fn a_long_question_keeps_its_start_and_its_end() {
        assert_eq!(cut_in_middle("Which port?", 11), "Which port?");
        assert_eq!(
            cut_in_middle("Review 3 of 5 did not pass.\nMay the port stay open?", 35),
            "Review 3 of 5 ... stay open?"
        );
    }

    #[test]
    fn lines_wrap_at_spaces() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable it is", 4), ["unbreakable", "it", "is"]);
        assert_eq!(wrapped("", 4), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_text_controls_the_terminal(text in any::<String>()) {
            let header = StepHeader { title: &text, skill: &text, ..StepHeader::EXAMPLE };
            let blocks = [
                super::header(&header),
                section(&text, &text),
                list(&text, &[&text]),
                command(&NextCommand::Flat(text.clone())).unwrap(),
                complete(&text, &text),
            ];
            prop_assert!(!page(&blocks).chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
