//! Shortens a section to its instructions or to a pointer. It adds no text except a marker for omitted code and the
//! size in a pointer.

use std::ops::Range;

use super::kind::SectionKind;
use super::sentence::{is_imperative, sentences};
use super::size::{Rendering, Size};
use super::{Block, BlockKind, Section};

/// Number of characters at the start of a section that are searched for words.
const OPENING_CHARACTERS: usize = 240;

/// Maximum length of a bold start that counts as a heading, in bytes.
const MAX_LABEL: usize = 60;

/// The digest, or the full text if the digest is not shorter.
pub(super) fn digest(body: &str, section: &Section, kind: SectionKind, full: &Rendering) -> Rendering {
    let mut kept: Vec<Vec<String>> = section
        .blocks
        .iter()
        .map(|block| shortened(body, block, kind))
        .collect();
    let says_something = section.blocks.iter().zip(&kept).any(|(block, kept)| {
        !matches!(block.kind, BlockKind::Heading | BlockKind::Code { .. }) && !kept.is_empty()
    });
    if !says_something {
        // A heading alone is useless, so include the first sentence.
        let first = section.blocks.iter().enumerate().find_map(|(at, block)| {
            let is_prose = matches!(block.kind, BlockKind::Paragraph | BlockKind::Bullet);
            let sentence = first_sentence(text(body, &block.range)).filter(|_| is_prose)?;
            Some((at, sentence))
        });
        if let Some((at, sentence)) = first {
            kept[at] = vec![sentence];
        }
    }
    let lines: Vec<String> = kept.into_iter().flatten().collect();
    let digest = Rendering::new(lines.join("\n"));
    let says_enough = !digest.text.is_empty() && digest.size.fits(full.size);
    if says_enough { digest } else { full.clone() }
}

/// The lines of a block that the digest keeps.
fn shortened(body: &str, block: &Block, kind: SectionKind) -> Vec<String> {
    let text = text(body, &block.range);
    match block.kind {
        BlockKind::Heading => vec![text.trim().to_owned()],
        BlockKind::Paragraph => paragraph(text).into_iter().collect(),
        BlockKind::Task => vec![on_one_line(text)],
        BlockKind::Numbered => item(text).into_iter().collect(),
        BlockKind::Bullet => item(text)
            .filter(|first| kind.keeps_items() || sentences(first).into_iter().any(is_imperative))
            .into_iter()
            .collect(),
        BlockKind::Table => text.lines().filter_map(first_cell).collect(),
        BlockKind::Code { closed } => vec![code(text, closed)],
        BlockKind::Blank => Vec::new(),
    }
}

/// The instructions in a paragraph.
fn paragraph(text: &str) -> Option<String> {
    let mut kept = String::new();
    for sentence in untagged(text).into_iter().flat_map(sentences) {
        if !is_imperative(sentence) {
            continue;
        }
        let line = on_one_line(sentence);
        if kept.is_empty() {
            kept = line;
        } else {
            kept.push(' ');
            kept.push_str(line.trim_start_matches(['>', ' ']));
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// Splits a paragraph at lines that contain only a tag, because a tag is not part of a sentence.
fn untagged(text: &str) -> Vec<&str> {
    let mut stretches = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('<') && bare.ends_with('>') {
            stretches.push(&text[begin..at]);
            begin = at + line.len();
        }
        at += line.len();
    }
    stretches.push(&text[begin..]);
    stretches
}

/// A list item up to the end of its first sentence, with its indentation.
fn item(text: &str) -> Option<String> {
    let indent: String = text.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    first_sentence(text).map(|sentence| indent + &sentence)
}

fn first_sentence(text: &str) -> Option<String> {
    sentences(text).first().map(|sentence| on_one_line(sentence))
}

/// Joins lines after trimming each and removing its quote marker.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    for (index, part) in text.trim_end().lines().enumerate() {
        let part = if index == 0 {
            part.trim_end()
        } else {
            part.trim().trim_start_matches('>').trim_start()
        };
        if index > 0 && !part.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}

/// The first cell of a table row, or `None` for the separator row.
fn first_cell(row: &str) -> Option<String> {
    let inner = row.trim();
    let inner = inner.strip_prefix('|').unwrap_or(inner);
    let mut end = inner.len();
    let mut escaped = false;
    for (at, letter) in inner.char_indices() {
        if letter == '|' && !escaped {
            end = at;
            break;
        }
        escaped = letter == '\\' && !escaped;
    }
    let cell = inner[..end].trim();
    cell.contains(char::is_alphanumeric)
        .then(|| format!("| {cell} |"))
}

/// A marker for omitted code, or the code itself if the marker would be longer.
fn code(text: &str, closed: bool) -> String {
    let lines = text.lines().count().saturating_sub(1 + usize::from(closed));
    let mark = format!("[code omitted, lines: {lines}]");
    let short = closed && Size::of(text.trim_end()).fits(Size::of(&mark));
    if short { text.trim_end().to_owned() } else { mark }
}

/// A line with the section's title and size, or the digest if that is shorter.
pub(super) fn pointer(section: &Section, full: &Rendering, digest: &Rendering) -> Rendering {
    let title = section.title.lines().next().unwrap_or_default();
    let first_line = digest.text.lines().next().unwrap_or_default();
    let counted = format!("{title} ({} characters)", full.size.characters);
    let candidates = [counted.as_str(), title, first_line];
    let named = if title.is_empty() { 2 } else { 0 };
    candidates
        .into_iter()
        .skip(named)
        .map(|line| Rendering::new(line.to_owned()))
        .find(|line| line.size.fits(digest.size))
        .unwrap_or_default()
}

/// The start of a section, without its heading and code blocks.
pub(super) fn opening(body: &str, section: &Section) -> String {
    let prose = section.blocks.iter().filter(|block| {
        !matches!(
            block.kind,
            BlockKind::Heading | BlockKind::Code { .. } | BlockKind::Blank
        )
    });
    let letters = prose.flat_map(|block| text(body, &block.range).chars());
    letters.take(OPENING_CHARACTERS).collect()
}

/// The bold starts of a section's paragraphs, which serve as headings.
pub(super) fn labels(body: &str, section: &Section) -> String {
    let paragraphs = section
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Paragraph);
    let labels = paragraphs.filter_map(|block| {
        let bold = text(body, &block.range).trim_start().strip_prefix("**")?;
        Some(bold.split_once("**")?.0).filter(|label| label.len() <= MAX_LABEL)
    });
    labels.collect::<Vec<_>>().join("\n")
}

/// A slice of the body; empty if the range is invalid for this body.
pub(super) fn text<'a>(body: &'a str, range: &Range<usize>) -> &'a str {
    body.get(range.clone()).unwrap_or_default()
}
