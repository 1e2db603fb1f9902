//! The sections of a skill, each at several sizes, and which of them a task needs.
//!
//! The parser (`bugle-skill`) passes an [`SkillOutline`]: sections and blocks as byte ranges of the body. Here
//! every section gets its sizes and the words it is found by, once, so that the result can be kept by the hash of the
//! body; which sections a task needs is then decided without looking at the text again.

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

/// A body taken apart. The blocks of all sections, one after the other, are the body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillOutline {
    /// The sections in the order of the text.
    pub sections: Vec<Section>,
}

/// A heading and what follows it up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// How deep the heading is, from 1; 0 is the text before the first heading.
    pub level: u8,
    /// The words of the heading.
    pub title: String,
    /// The section under whose heading it stands.
    pub parent: Option<usize>,
    /// Its own bytes: the heading and the text up to the next heading of any level.
    pub own: Range<usize>,
    /// Its own bytes and those of all sections under it.
    pub whole: Range<usize>,
    /// What it consists of, without gaps.
    pub blocks: Vec<Block>,
}

/// A stretch of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its bytes, line ends included.
    pub range: Range<usize>,
}

/// What a stretch of a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// The line of the heading.
    Heading,
    /// Lines of prose.
    Paragraph,
    /// An item of a list with its own marks.
    Bullet,
    /// An item of a list that counts.
    Numbered,
    /// An item with a box to tick.
    Task,
    /// Rows of a table.
    Table,
    /// Code between fences.
    Code {
        /// Whether the fence is closed; if not, it takes all that follows.
        closed: bool,
    },
    /// Empty lines.
    Blank,
}

/// A skill's sections, ready to be shown and looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSkill {
    /// The sections in the order of the text, as many as the outline has.
    pub sections: Vec<DigestedSection>,
}

/// A section at every size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSection {
    /// How deep the heading is; 0 is the text before the first heading.
    pub level: u8,
    /// The words of the heading.
    pub title: String,
    /// The section under whose heading it stands.
    pub parent: Option<usize>,
    /// What sort of section the heading makes it.
    pub kind: SectionKind,
    /// The whole of its own text.
    pub full: Rendering,
    /// What it asks for: heading, imperatives, items, the first column of tables.
    pub digest: Rendering,
    /// That there is such a section, in a line.
    pub pointer: Rendering,
    /// The stems of the words of its heading.
    heading_words: Vec<String>,
    /// The stems of the words with which its text begins.
    opening_words: Vec<String>,
}

impl DigestedSection {
    /// The section at a size.
    pub fn at(&self, detail: Detail) -> &Rendering {
        match detail {
            Detail::Full => &self.full,
            Detail::Digest => &self.digest,
            Detail::Pointer => &self.pointer,
        }
    }
}

impl SkillOutline {
    /// The sections right under one.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let sections = self.sections.iter().enumerate();
        sections.filter_map(move |(at, section)| (section.parent == Some(of)).then_some(at))
    }
}

/// Brings every section to its sizes.
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

/// Bytes of the body; an outline that does not fit it has empty sections.
fn text<'a>(body: &'a str, range: &Range<usize>) -> &'a str {
    body.get(range.clone()).unwrap_or_default()
}

/// A text without empty lines around it.
fn bare(text: &str) -> &str {
    let mut rest = text.trim_end();
    while let Some((line, behind)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = behind;
    }
    rest
}
