//! Where in a skill a section is connected with the work.

use serde::Serialize;

use super::{DigestedSection, DigestedSkill};

/// Where a word or a stage matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPlace {
    /// The heading.
    Heading,
    /// The bold start of a paragraph or list item.
    Inside,
    /// The heading of a parent section.
    Above,
    /// A neighbouring step of the same series.
    Beside,
    /// The first words of the section.
    Opening,
}

/// A section's ancestors. Excludes the skill's title, because it is an ancestor of every section.
pub(super) fn above<'a>(
    skill: &'a DigestedSkill,
    section: &DigestedSection,
) -> impl Iterator<Item = &'a DigestedSection> {
    let parent = |section: &DigestedSection| skill.sections.get(section.parent?);
    // Bounded by the number of heading levels, because the parents in an invalid outline could form a cycle.
    std::iter::successors(parent(section), move |section| parent(section))
        .take(6)
        .filter(|section| section.level > 1)
}
