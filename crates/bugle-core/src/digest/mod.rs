//! The sections of a skill in several sizes, and which of them a task needs.
//!
//! The parser (`bugle-skill`) passes a [`SkillOutline`]: sections and blocks as byte ranges of the body. This module
//! computes the sizes and search words of every section once, so that the result can be cached by the hash of the
//! body. Selecting the sections for a task then needs no text.

mod kind;
mod relevance;
mod sentence;
mod shorten;
mod size;
mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use kind::SectionKind;
pub use relevance::{Match, MatchPlace, NEEDED_SCORE, Need, RELATED_SCORE, Relevance, WordSource, relevance};
pub use size::{Detail, Rendering, Size};

/// A parsed body. The blocks of all sections together are the whole body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillOutline {
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A heading and the text up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The level of the heading, from 1; 0 is the text before the first heading.
    pub level: u8,
    /// The text of the heading.
    pub title: String,
    /// The parent section.
    pub parent: Option<usize>,
    /// Its own bytes: the heading and the text up to the next heading of any level.
    pub own: Range<usize>,
    /// Its own bytes and those of its subsections.
    pub whole: Range<usize>,
    /// Its blocks, without gaps.
    pub blocks: Vec<Block>,
}

/// A block of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// Its bytes, including line breaks.
    pub range: Range<usize>,
}

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading line.
    Heading,
    /// Lines of prose.
    Paragraph,
    /// An item of a bullet list.
    Bullet,
    /// An item of a numbered list.
    Numbered,
    /// A task item with a checkbox.
    Task,
    /// Rows of a table.
    Table,
    /// Fenced code.
    Code {
        /// Whether the fence is closed; if not, it contains all the text after it.
        closed: bool,
    },
    /// Empty lines.
    Blank,
}

/// A skill's sections, ready for display and lookup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSkill {
    /// The sections, in order.
    pub sections: Vec<DigestedSection>,
}

/// A section in every size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSection {
    /// The level of the heading; 0 is the text before the first heading.
    pub level: u8,
    /// The text of the heading.
    pub title: String,
    /// The parent section.
    pub parent: Option<usize>,
    /// Its kind.
    pub kind: SectionKind,
    /// Its full text.
    pub full: Rendering,
    /// Its instructions: heading, imperatives, list items, the first column of tables.
    pub digest: Rendering,
    /// A one-line pointer to it.
    pub pointer: Rendering,
    /// The stems of the words in its heading.
    heading_words: Vec<String>,
    /// The stems of the first words of its text.
    opening_words: Vec<String>,
}

impl DigestedSection {
    /// The section in one size.
    pub fn at(&self, detail: Detail) -> &Rendering {
        match detail {
            Detail::Full => &self.full,
            Detail::Digest => &self.digest,
            Detail::Pointer => &self.pointer,
        }
    }
}

impl SkillOutline {
    /// The direct subsections of a section.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let sections = self.sections.iter().enumerate();
        sections.filter_map(move |(at, section)| (section.parent == Some(of)).then_some(at))
    }
}

/// Computes the sizes of every section.
pub fn digest(body: &str, outline: &SkillOutline) -> DigestedSkill {
    let sections = outline.sections.iter();
    DigestedSkill {
        sections: sections.map(|section| digest_section(body, section)).collect(),
    }
}

fn digest_section(body: &str, section: &Section) -> DigestedSection {
    let kind = SectionKind::of(section);
    let full = Rendering::new(bare(text(body, &section.own)).to_owned());
    let digest = shorten::digest(body, section, kind, &full);
    let pointer = shorten::pointer(section, &full, &digest);
    DigestedSection {
        level: section.level,
        title: section.title.clone(),
        parent: section.parent,
        kind,
        heading_words: words::stems(&section.title),
        opening_words: words::stems(&shorten::opening(body, section)),
        full,
        digest,
        pointer,
    }
}

/// A byte range of the body; empty if the outline does not fit the body.
fn text<'a>(body: &'a str, range: &Range<usize>) -> &'a str {
    body.get(range.clone()).unwrap_or_default()
}

/// A text without surrounding empty lines.
fn bare(text: &str) -> &str {
    let mut rest = text.trim_end();
    while let Some((line, behind)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = behind;
    }
    rest
}
