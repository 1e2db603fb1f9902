//! The lines of the stream, before they are drawn.

use super::scene::{Entry, Scene, Tone};
use super::text::{columns, wrap};

/// The text indentation, which leaves room for the time.
const INDENT: usize = 6;

/// A line of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// There are earlier entries.
    Earlier,
    /// A new day.
    Day(String),
    /// A line of an entry. Only the entry's first line has a time and a head.
    Text {
        tone: Tone,
        time: String,
        head: String,
        text: String,
    },
}

/// All lines of the stream.
pub(super) fn lines(scene: &Scene, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if scene.earlier {
        lines.push(Line::Earlier);
    }
    let mut day = None;
    for entry in &scene.entries {
        if day != Some(&entry.day) {
            lines.push(Line::Day(entry.day.clone()));
            day = Some(&entry.day);
        }
        entry_lines(entry, width, &mut lines);
    }
    lines
}

fn entry_lines(entry: &Entry, width: usize, lines: &mut Vec<Line>) {
    let Entry {
        tone,
        time,
        head,
        text,
        ..
    } = entry;
    let head = format!("{head}: ");
    let mut rest = wrap(&format!("{head}{text}"), width.saturating_sub(INDENT)).into_iter();
    let first = rest.next().unwrap_or_default();
    // The head starts the line, unless it is wider than the line.
    let (head, text) = match first.strip_prefix(head.as_str()) {
        Some(text) => (head, text.to_owned()),
        None => (first, String::new()),
    };
    lines.push(Line::Text {
        tone: *tone,
        time: time.clone(),
        head,
        text,
    });
    lines.extend(rest.map(|text| Line::Text {
        tone: *tone,
        time: String::new(),
        head: String::new(),
        text,
    }));
}

/// The number of lines in the new scene that follow the last entry of the old scene.
pub(super) fn lines_after(old: &Scene, new: &Scene, width: usize) -> usize {
    let Some(last) = old.entries.last() else { return 0 };
    let Some(at) = new.entries.iter().rposition(|entry| entry.key == last.key) else {
        return 0;
    };
    let until = Scene {
        entries: new.entries[..=at].to_vec(),
        earlier: new.earlier,
        ..Scene::default()
    };
    lines(new, width).len().saturating_sub(lines(&until, width).len())
}

/// The number of lines from the start of an entry to the end of the stream; 0 if the entry is missing.
pub(super) fn lines_from(scene: &Scene, key: &str, width: usize) -> usize {
    let Some(at) = scene.entries.iter().position(|entry| entry.key == key) else {
        return 0;
    };
    let from = Scene {
        entries: scene.entries[at..].to_vec(),
        ..Scene::default()
    };
    // Do not count the day line.
    lines(&from, width).len().saturating_sub(1)
}

/// A time, padded to the text indentation.
pub(super) fn margin(time: &str) -> String {
    format!("{time}{}", " ".repeat(INDENT.saturating_sub(columns(time))))
}
