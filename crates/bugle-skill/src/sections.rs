//! Splits the body of a `SKILL.md` into sections and blocks. Together, the blocks cover the whole body.

use std::ops::Range;

use bugle_core::digest::{Block, BlockKind, Section, SkillOutline};

use crate::markdown::{FencePart, Fences, Line, lines};

/// Splits a body into sections. Headings are lines outside fences that start with one to six `#`.
pub fn parse_sections(body: &str) -> SkillOutline {
    let lines: Vec<Line<'_>> = lines(body, Fences::Matched).collect();
    let mut sections: Vec<Section> = Vec::new();
    // The headings that may be parents of the next heading, deepest last.
    let mut open: Vec<usize> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let heading = line.fence.is_none().then(|| heading(line.text)).flatten();
        if let Some((level, title)) = heading {
            while open.last().is_some_and(|above| sections[*above].level >= level) {
                open.pop();
            }
            let parent = open.last().copied();
            open.push(sections.len());
            sections.push(new_section(level, title, parent, line.at));
        } else if sections.is_empty() {
            sections.push(new_section(0, "", None, line.at));
        }
        if let Some(section) = sections.last_mut() {
            take(section, &lines, index, heading.is_some());
        }
    }
    close(&mut sections, body.len());
    SkillOutline { sections }
}

fn new_section(level: u8, title: &str, parent: Option<usize>, at: usize) -> Section {
    Section {
        level,
        title: title.to_owned(),
        parent,
        own: at..at,
        whole: at..at,
        blocks: Vec::new(),
    }
}

/// Sets the end of every section. A section's own text ends at the next heading. The whole section ends at the next
/// heading of the same or a higher level.
fn close(sections: &mut [Section], end: usize) {
    for index in 0..sections.len() {
        let own_end = sections.get(index + 1).map_or(end, |next| next.own.start);
        let level = sections[index].level;
        let rest = sections.iter().skip(index + 1);
        let whole_end = rest
            .clone()
            .find(|next| level == 0 || next.level <= level)
            .map_or(end, |next| next.own.start);
        sections[index].own.end = own_end;
        sections[index].whole.end = whole_end;
    }
}

/// The level and the text of a heading.
fn heading(line: &str) -> Option<(u8, &str)> {
    let bare = line.trim_end();
    let text = bare.trim_start_matches(' ');
    if bare.len() - text.len() > 3 {
        return None;
    }
    let title = text.trim_start_matches('#');
    let level = u8::try_from(text.len() - title.len())
        .ok()
        .filter(|level| (1..=6).contains(level))?;
    if !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    let title = title.trim();
    // A heading may also end with marks after a space.
    let closed = title.trim_end_matches('#');
    let title = if closed.is_empty() || closed.ends_with([' ', '\t']) {
        closed.trim_end()
    } else {
        title
    };
    Some((level, title))
}

/// Adds a line to the blocks of a section.
fn take(section: &mut Section, lines: &[Line<'_>], index: usize, is_heading: bool) {
    let line = &lines[index];
    let range = line.at..line.at + line.text.len();
    let last = section.blocks.last_mut();
    let kind = if is_heading {
        BlockKind::Heading
    } else if let Some(part) = line.fence {
        if part != FencePart::Opens
            && let Some(block) = last
        {
            block.range.end = range.end;
            block.kind = BlockKind::Code {
                closed: part == FencePart::Closes,
            };
            return;
        }
        BlockKind::Code { closed: false }
    } else {
        let before = last.as_ref().map(|block| block.kind);
        let next = lines.get(index + 1).map_or("", |next| next.text);
        match kind(line.text, next, before) {
            Some(kind) => kind,
            None => before.unwrap_or(BlockKind::Paragraph),
        }
    };
    add(section, kind, range, starts_block(line.text, kind));
}

/// Extends the last block, or starts a new one.
fn add(section: &mut Section, kind: BlockKind, range: Range<usize>, starts: bool) {
    match section.blocks.last_mut() {
        Some(block) if block.kind == kind && !starts => block.range.end = range.end,
        _ => section.blocks.push(Block { kind, range }),
    }
}

/// Whether a line starts a new block even after a block of the same kind: headings, fences and items do.
fn starts_block(line: &str, kind: BlockKind) -> bool {
    match kind {
        BlockKind::Heading | BlockKind::Code { .. } => true,
        BlockKind::Bullet | BlockKind::Numbered | BlockKind::Task => item(line).is_some(),
        BlockKind::Paragraph | BlockKind::Table | BlockKind::Blank => false,
    }
}

/// The kind of a line outside fences; `None` if the line continues the previous item.
fn kind(line: &str, next: &str, before: Option<BlockKind>) -> Option<BlockKind> {
    if line.trim().is_empty() {
        return Some(BlockKind::Blank);
    }
    if let Some(kind) = item(line) {
        return Some(kind);
    }
    let is_row = line.trim_start().starts_with('|');
    let heads_table = line.contains('|') && is_rule(next);
    let continues_table = before == Some(BlockKind::Table) && line.contains('|');
    if is_row || heads_table || continues_table {
        return Some(BlockKind::Table);
    }
    let in_item = matches!(
        before,
        Some(BlockKind::Bullet | BlockKind::Numbered | BlockKind::Task)
    );
    (!in_item).then_some(BlockKind::Paragraph)
}

/// The kind of item that a line starts.
fn item(line: &str) -> Option<BlockKind> {
    let bare = line.trim();
    let (numbered, rest) = if let Some(rest) = bare.strip_prefix(['-', '*', '+']) {
        (false, rest)
    } else {
        let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = bare.len() - rest.len();
        if !(1..=9).contains(&digits) {
            return None;
        }
        (true, rest.strip_prefix(['.', ')'])?)
    };
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim_start();
    let boxed = ["[ ]", "[x]", "[X]"]
        .into_iter()
        .any(|mark| text.starts_with(mark));
    Some(match (boxed, numbered) {
        (true, _) => BlockKind::Task,
        (false, true) => BlockKind::Numbered,
        (false, false) => BlockKind::Bullet,
    })
}

/// Whether a line is the separator row of a table.
fn is_rule(line: &str) -> bool {
    let bare = line.trim();
    bare.contains('|')
        && bare.contains('-')
        && bare.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}
