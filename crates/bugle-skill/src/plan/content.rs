//! The normalised text of a task, whose hash detects edits.

use super::lines::{Kind, Line};
use super::text::{checkbox, list_item};

/// Lines with normalised line endings, no trailing spaces, at most one blank line in a row, and empty checkboxes.
/// Checking a box or changing line endings or white space is not an edit.
pub(super) fn content(lines: &[Line<'_>], kinds: &[Kind], first: usize, end: usize) -> String {
    let mut text = String::new();
    let mut blank = false;
    for index in first..end {
        let line = lines[index].text.trim_end();
        if line.is_empty() || kinds[index] == Kind::Rule {
            blank = true;
            continue;
        }
        if blank && !text.is_empty() {
            text.push('\n');
        }
        blank = false;
        match kinds[index] {
            Kind::Text | Kind::Comment => push_without_tick(&mut text, line),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn push_without_tick(text: &mut String, line: &str) {
    let body = line.trim_start();
    let unticked = list_item(body).and_then(|(_, content)| Some((content, checkbox(content)?.1)));
    match unticked {
        Some((content, rest)) => {
            text.push_str(&line[..line.len() - content.len()]);
            text.push_str("[ ] ");
            text.push_str(rest);
        }
        None => text.push_str(line),
    }
}
