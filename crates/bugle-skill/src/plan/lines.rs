//! The lines of a file and their kinds: heading, code, comment, rule, quotation, text.
//!
//! The kinds cover as much of Markdown's block structure as plans need. Which lines are code depends on how fences are
//! paired. Authors often pair them wrongly, so a file can be read in several ways; `fences` chooses one.

use bugle_core::fence::Fence;
use bugle_core::plan::{Extent, FenceReading};

use super::heading::{Heading, announced, heading_text};
use super::text::{indent, list_item, past_list_markers};

/// A line of the file, without its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line's text, without a byte order mark.
    pub text: &'a str,
    /// The line's offset in the file.
    pub start: usize,
    /// The offset of the line's end.
    pub end: usize,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// Text of a paragraph or a list.
    Text,
    /// `## ...` with its level.
    Heading(u8),
    /// A line that opens or closes a code block.
    Fence,
    /// Inside a code block.
    Code,
    Comment,
    /// `---`
    Rule,
    /// `> ...`
    Quote,
    /// Front matter at the top of the file.
    Front,
}

/// The lines of a file, with any kind of line break.
pub(super) fn lines(source: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut start = if source.starts_with('\u{feff}') { 3 } else { 0 };
    let bytes = source.as_bytes();
    while start < source.len() {
        let length = bytes[start..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = length.map_or(source.len(), |length| start + length);
        found.push(Line {
            text: &source[start..end],
            start,
            end,
        });
        let pair = bytes[end..].starts_with(b"\r\n");
        start = end + if pair { 2 } else { 1 };
    }
    found
}

/// The location of some lines, without trailing blank lines and rules.
pub(super) fn extent(lines: &[Line<'_>], kinds: &[Kind], first: usize, end: usize) -> Extent {
    let mut last = end.max(first + 1) - 1;
    let empty = |line: usize| kinds[line] == Kind::Rule || lines[line].text.trim().is_empty();
    while last > first && empty(last) {
        last -= 1;
    }
    Extent {
        line: first + 1,
        range: lines[first].start..lines[last].end,
    }
}

/// A file, read with one way of pairing fences.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// The kind of each line.
    pub kinds: Vec<Kind>,
    /// The line of a fence that is not closed, or closed only because a task follows.
    pub unclosed_fence: Option<usize>,
    /// Whether a fence with a language appears where a block could close. It probably opens a nested block.
    pub nested: bool,
    /// The lines of unclosed comments, which are read as text.
    pub unclosed_comments: Vec<usize>,
}

/// Reads the lines with one way of pairing fences.
pub(super) fn look(lines: &[Line<'_>], reading: FenceReading) -> Seen {
    let mut seen = Seen {
        kinds: Vec::with_capacity(lines.len()),
        unclosed_fence: None,
        nested: false,
        unclosed_comments: Vec::new(),
    };
    let last_comment_end = lines.iter().rposition(|line| line.text.contains("-->"));
    let mut scanner = Scanner {
        reading,
        fences: Vec::new(),
        comment: false,
        nested: false,
        items: Vec::new(),
        after_paragraph: false,
    };
    let mut last_task = None;
    let front = front_matter(lines);
    for (index, line) in lines.iter().enumerate() {
        if index < front {
            seen.kinds.push(Kind::Front);
            continue;
        }
        let task = (reading == FenceReading::Resumed)
            .then(|| task_number(line.text))
            .flatten();
        if let (Some(open), Some(task), Some(last)) = (scanner.fences.first(), task, last_task)
            && task == u32::saturating_add(last, 1)
        {
            seen.unclosed_fence.get_or_insert(open.line);
            scanner.fences.clear();
        }
        let comment_may_end = last_comment_end.is_some_and(|end| end >= index);
        let opens_comment = line.text.trim_start().starts_with("<!--");
        let kind = scanner.kind(line.text, index, comment_may_end);
        if opens_comment && !comment_may_end && !matches!(kind, Kind::Code | Kind::Comment) {
            seen.unclosed_comments.push(index);
        }
        if matches!(kind, Kind::Heading(_)) {
            last_task = task.or(last_task);
        }
        seen.kinds.push(kind);
    }
    let open = scanner.fences.first().map(|fence| fence.line);
    seen.unclosed_fence = seen.unclosed_fence.or(open);
    seen.nested = scanner.nested;
    seen
}

/// The task number of a heading line.
fn task_number(text: &str) -> Option<u32> {
    if !text.starts_with('#') || heading_level(text).is_none() {
        return None;
    }
    match announced(&heading_text(text)) {
        Heading::Task(task) => task.number.leading(),
        _ => None,
    }
}

/// The number of front matter lines: `---`, keys, `---`.
fn front_matter(lines: &[Line<'_>]) -> usize {
    const MAX_LINES: usize = 200;
    let is_mark = |line: &Line<'_>| line.text.trim_end() == "---";
    let has_key = |line: &Line<'_>| {
        let key = line.text.split_once(':').map_or("", |(key, _)| key);
        !key.is_empty()
            && key
                .chars()
                .all(|letter| letter.is_alphanumeric() || "-_".contains(letter))
    };
    if !lines.first().is_some_and(is_mark) || !lines.get(1).is_some_and(has_key) {
        return 0;
    }
    let inner = lines.iter().take(MAX_LINES).skip(1).position(is_mark);
    inner.map_or(0, |inner| inner + 2)
}

/// An open fence.
#[derive(Debug, Clone, Copy)]
struct OpenFence {
    marks: Fence,
    indent: usize,
    line: usize,
}

struct Scanner {
    reading: FenceReading,
    fences: Vec<OpenFence>,
    comment: bool,
    nested: bool,
    /// The columns where the text of each open list item starts.
    items: Vec<usize>,
    after_paragraph: bool,
}

impl Scanner {
    fn kind(&mut self, text: &str, line: usize, comment_may_end: bool) -> Kind {
        if self.comment {
            self.comment = !text.contains("-->");
            return Kind::Comment;
        }
        if !self.fences.is_empty() {
            return self.inside_fence(text, line);
        }
        let body = text.trim();
        if body.is_empty() {
            self.after_paragraph = false;
            return Kind::Blank;
        }
        let column = indent(text);
        while self.items.last().is_some_and(|item| *item > column) {
            self.items.pop();
        }
        let depth = column - self.items.last().copied().unwrap_or(0);
        if depth >= 4 {
            // Four columns of indentation are code after a blank line, and otherwise part of the paragraph.
            return if self.after_paragraph {
                Kind::Text
            } else {
                Kind::Code
            };
        }
        let kind = self.block(body, column, line, comment_may_end);
        self.after_paragraph = matches!(kind, Kind::Text | Kind::Quote);
        kind
    }

    fn block(&mut self, body: &str, column: usize, line: usize, comment_may_end: bool) -> Kind {
        if body.starts_with("<!--") && comment_may_end {
            self.comment = !body.contains("-->");
            return Kind::Comment;
        }
        if is_rule(body) {
            return Kind::Rule;
        }
        if let Some((marks, _)) = Fence::opened_by(past_list_markers(body)) {
            self.enter_items(body, column);
            let indent = self.items.last().copied().unwrap_or(0).max(column);
            self.fences.push(OpenFence { marks, indent, line });
            return Kind::Fence;
        }
        if let Some(level) = heading_level(body)
            && column < 4
        {
            return Kind::Heading(level);
        }
        if body.starts_with('>') {
            return Kind::Quote;
        }
        self.enter_items(body, column);
        Kind::Text
    }

    /// Records the columns where the text of each list item in this line starts.
    fn enter_items(&mut self, body: &str, column: usize) {
        let (mut rest, mut column) = (body, column);
        while let Some((_, after)) = list_item(rest) {
            column += rest.len() - after.len();
            self.items.push(column);
            rest = after;
        }
    }

    fn inside_fence(&mut self, text: &str, line: usize) -> Kind {
        let Some(open) = self.fences.last().copied() else {
            return Kind::Code;
        };
        let Some((marks, info)) = Fence::opened_by(text.trim()) else {
            return Kind::Code;
        };
        let column = indent(text);
        let alike = marks.mark == open.marks.mark && marks.length >= open.marks.length;
        let closes = alike && info.is_empty() && column <= open.indent + 3;
        self.nested |= alike && !info.is_empty();
        match self.reading {
            FenceReading::Toggled => {
                self.fences.clear();
            }
            FenceReading::Nested if alike && !info.is_empty() => {
                self.fences.push(OpenFence {
                    marks,
                    indent: column,
                    line,
                });
            }
            FenceReading::Paired | FenceReading::Resumed | FenceReading::Nested => {
                if !closes {
                    return Kind::Code;
                }
                self.fences.pop();
            }
        }
        self.after_paragraph = false;
        Kind::Fence
    }
}

/// The level of a heading.
pub(super) fn heading_level(body: &str) -> Option<u8> {
    let level = body.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &body[level..];
    let parted = rest.is_empty() || rest.starts_with([' ', '\t']);
    let level = u8::try_from(level).ok()?;
    ((1..=6).contains(&level) && parted).then_some(level)
}

fn is_rule(body: &str) -> bool {
    let mut letters = body.chars().filter(|letter| !letter.is_whitespace());
    let Some(sign) = letters.next() else {
        return false;
    };
    let mut count = 1;
    let same = letters.all(|letter| {
        count += 1;
        letter == sign
    });
    same && count >= 3 && "-*_".contains(sign)
}
