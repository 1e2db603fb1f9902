//! A skill's sections in several sizes, and the selection of the sections that a task needs.
//!
//! The parser (`bugle-skill`) passes a [`SkillOutline`]: sections and blocks as byte ranges of the body. This module
//! computes the sizes and search words of every section once, so that the result can be cached by body hash.
//! Selecting sections for a task then needs no text.

mod fit;
mod kind;
mod match_place;
mod relevance;
mod section_stage;
mod sentence;
mod shorten;
mod size;
mod stage;
mod start_command;
mod words;
mod work_stage;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use fit::{Candidate, fit};
pub use kind::SectionKind;
pub use match_place::MatchPlace;
pub use relevance::{Claim, Match, Need, Relevance, WordSource, relevance};
pub use section_stage::StageMatch;
pub use size::{Detail, Rendering, Size};
pub use stage::{Stage, StageReason, StepKind, WorkStage};
pub use start_command::without_start_command;
pub use work_stage::{WorkPosition, work_stage};

/// A parsed body. The blocks of all sections together cover the whole body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillOutline {
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A heading and the text up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading level, starting at 1; 0 means the text before the first heading.
    pub level: u8,
    /// The heading text.
    pub title: String,
    /// The parent section.
    pub parent: Option<usize>,
    /// Byte range of the section itself: the heading and the text up to the next heading of any level.
    pub own: Range<usize>,
    /// Byte range of the section and its subsections.
    pub whole: Range<usize>,
    /// The section's blocks, which cover the section without gaps.
    pub blocks: Vec<Block>,
}

/// A block within a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The block's kind.
    pub kind: BlockKind,
    /// The block's byte range, including line breaks.
    pub range: Range<usize>,
}

/// A block's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading line.
    Heading,
    /// Lines of prose.
    Paragraph,
    /// A bullet list item.
    Bullet,
    /// A numbered list item.
    Numbered,
    /// A task item with a checkbox.
    Task,
    /// Table rows.
    Table,
    /// A fenced code block.
    Code {
        /// Whether the fence is closed. An unclosed fence contains all text after it.
        closed: bool,
    },
    /// Empty lines.
    Blank,
}

/// A skill's sections, ready for display and search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSkill {
    /// The sections, in order.
    pub sections: Vec<DigestedSection>,
}

impl DigestedSkill {
    /// Whether the skill is about giving work to sub-agents: its title and one of its sections say so.
    pub fn delegates(&self) -> bool {
        let sends = |section: &DigestedSection| section.stages.contains(&Stage::Dispatch);
        let title = self.sections.iter().find(|section| section.level == 1);
        title.is_some_and(&sends)
            && self
                .sections
                .iter()
                .any(|section| section.level > 1 && sends(section))
    }
}

/// A section in every size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedSection {
    /// The heading level; 0 means the text before the first heading.
    pub level: u8,
    /// The heading text.
    pub title: String,
    /// The parent section.
    pub parent: Option<usize>,
    /// The section's kind.
    pub kind: SectionKind,
    /// The full text.
    pub full: Rendering,
    /// The instructions: heading, imperatives, list items, first table columns.
    pub digest: Rendering,
    /// A one-line pointer to the section.
    pub pointer: Rendering,
    /// The stages that the heading names.
    stages: Vec<Stage>,
    /// The stages that the bold starts of its paragraphs and list items name.
    inner_stages: Vec<Stage>,
    /// The stages that the first words of the text name.
    opening_stages: Vec<Stage>,
    /// The stems of the heading words.
    heading_words: Vec<String>,
    /// The stems of the first words in the section's text.
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
    /// A section's direct subsections.
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
    let full = Rendering::new(bare(shorten::text(body, &section.own)).to_owned());
    let digest = shorten::digest(body, section, kind, &full);
    let pointer = shorten::pointer(section, &full, &digest);
    let opening = shorten::opening(body, section);
    DigestedSection {
        level: section.level,
        title: section.title.clone(),
        parent: section.parent,
        kind,
        heading_words: words::stems(&section.title),
        opening_words: words::stems(&opening),
        stages: section_stage::named(&section.title),
        inner_stages: section_stage::named(&shorten::labels(body, section)),
        opening_stages: section_stage::named(&opening),
        full,
        digest,
        pointer,
    }
}

/// Trims empty lines from both ends.
fn bare(text: &str) -> &str {
    let mut rest = text.trim_end();
    while let Some((line, behind)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = behind;
    }
    rest
}
