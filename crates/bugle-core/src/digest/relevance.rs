//! Scores a skill's sections for a task. The score is the section kind's base score plus points for words from the
//! task title, step and role that occur in headings and openings. Every point is explained.

use serde::Serialize;

use super::words::words_with_stems;
use super::{DigestedSection, DigestedSkill, SectionKind};
use crate::role::AgentRole;
use crate::skill_selection::undecorated;

/// Minimum score of a needed section. Rules, checklists and red flags reach it by themselves; any other section needs a
/// matching word.
pub const NEEDED_SCORE: u32 = 5;

/// Minimum score of a related section, which is shown if there is room.
pub const RELATED_SCORE: u32 = 3;

/// The work for which sections are selected.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need<'a> {
    /// The task title.
    pub title: &'a str,
    /// The step as a phrase, if there is one.
    pub step: Option<&'a str>,
    /// The agent's role.
    pub role: Option<AgentRole>,
}

/// A section's relevance, with the reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relevance {
    /// The section's index.
    pub section: usize,
    /// The total score.
    pub score: u32,
    /// The section's kind.
    pub kind: SectionKind,
    /// The base score of the section's kind, which is part of the total.
    pub prior: u32,
    /// The words that matched.
    pub matches: Vec<Match>,
}

impl Relevance {
    /// Whether the section is needed.
    pub fn is_needed(&self) -> bool {
        self.score >= NEEDED_SCORE
    }
}

/// A word that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The matching word, in lower case.
    pub word: String,
    /// Where the word came from.
    pub source: WordSource,
    /// The most specific part of the section that the word matched.
    pub place: MatchPlace,
    /// The word's score.
    pub points: u32,
}

/// Where a search word came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordSource {
    /// The step.
    Step,
    /// The task title.
    Title,
    /// The role.
    Role,
}

/// Where a word matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPlace {
    /// The heading.
    Heading,
    /// The heading of a parent section.
    Above,
    /// The first words of the section.
    Opening,
}

/// Search words per role.
const ROLE_WORDS: &[(AgentRole, &str)] = &[
    (
        AgentRole::Orchestrator,
        "orchestrate dispatch subagent plan progress coordinate controller",
    ),
    (
        AgentRole::Developer,
        "implement implementer developer code test commit",
    ),
    (
        AgentRole::QualityReviewer,
        "review reviewer finding severity verdict quality",
    ),
    (
        AgentRole::TechnicalWriter,
        "document documentation writer readme comment",
    ),
    (
        AgentRole::Architect,
        "design architecture decision approach option",
    ),
    (
        AgentRole::Debugger,
        "debug cause reproduce hypothesis evidence failure",
    ),
    (AgentRole::Explore, "explore search map report"),
    (AgentRole::GeneralPurpose, ""),
];

/// A skill's sections by relevance, highest first; ties keep their order.
pub fn relevance(skill: &DigestedSkill, need: &Need<'_>) -> Vec<Relevance> {
    let wanted = wanted(skill, need);
    let mut found: Vec<Relevance> = skill
        .sections
        .iter()
        .enumerate()
        .map(|(at, section)| {
            let matches: Vec<Match> = wanted
                .iter()
                .filter_map(|word| look_for(skill, section, word))
                .collect();
            let prior = prior(skill, section, &matches);
            let points: u32 = matches.iter().map(|found| found.points).sum();
            Relevance {
                section: at,
                score: prior + points,
                kind: section.kind,
                prior,
                matches,
            }
        })
        .collect();
    found.sort_by_key(|relevance| std::cmp::Reverse(relevance.score));
    found
}

/// The base score of a section's kind. A subsection gets the full base score only if a heading matches: in a skill with
/// thirteen phases and a checklist for each, a task needs only one checklist.
fn prior(skill: &DigestedSkill, section: &DigestedSection, matches: &[Match]) -> u32 {
    let is_part = above(skill, section).next().is_some();
    let is_wanted = matches
        .iter()
        .any(|found| matches!(found.place, MatchPlace::Heading | MatchPlace::Above));
    match section.kind.points() {
        _ if section.full.text.is_empty() => 0,
        points if is_part && !is_wanted => points.min(1),
        points => points,
    }
}

/// A search word.
struct Wanted {
    source: WordSource,
    word: String,
    stem: String,
    /// Whether the word describes the whole skill.
    everywhere: bool,
}

/// The search words without duplicates: words from the step, then from the title, then from the role.
fn wanted(skill: &DigestedSkill, need: &Need<'_>) -> Vec<Wanted> {
    let role_words = ROLE_WORDS
        .iter()
        .find(|(role, _)| need.role == Some(*role))
        .map_or("", |(_, words)| words);
    let sources = [
        (WordSource::Step, need.step.unwrap_or_default()),
        (WordSource::Title, undecorated(need.title)),
        (WordSource::Role, role_words),
    ];
    let mut all: Vec<Wanted> = Vec::new();
    for (source, text) in sources {
        for (word, stem) in words_with_stems(text) {
            if !all.iter().any(|known| known.stem == stem) {
                let everywhere = is_everywhere(skill, &stem);
                all.push(Wanted {
                    source,
                    word,
                    stem,
                    everywhere,
                });
            }
        }
    }
    all
}

fn look_for(skill: &DigestedSkill, section: &DigestedSection, wanted: &Wanted) -> Option<Match> {
    let has = |words: &[String]| words.contains(&wanted.stem);
    let place = if section.level > 1 && has(&section.heading_words) {
        MatchPlace::Heading
    } else if above(skill, section).any(|parent| has(&parent.heading_words)) {
        MatchPlace::Above
    } else if has(&section.opening_words) && !wanted.everywhere {
        MatchPlace::Opening
    } else {
        return None;
    };
    Some(Match {
        word: wanted.word.clone(),
        source: wanted.source,
        place,
        points: points(wanted.source, place),
    })
}

fn points(source: WordSource, place: MatchPlace) -> u32 {
    let (heading, above, opening) = match source {
        WordSource::Step => (8, 3, 3),
        WordSource::Title => (6, 2, 2),
        WordSource::Role => (3, 1, 1),
    };
    match place {
        MatchPlace::Heading => heading,
        MatchPlace::Above => above,
        MatchPlace::Opening => opening,
    }
}

/// A section's ancestors. Excludes the skill's title, because it is an ancestor of every section.
fn above<'a>(
    skill: &'a DigestedSkill,
    section: &DigestedSection,
) -> impl Iterator<Item = &'a DigestedSection> {
    let parent = |section: &DigestedSection| skill.sections.get(section.parent?);
    // Bounded by the number of heading levels, because the parents in an invalid outline could form a cycle.
    std::iter::successors(parent(section), move |section| parent(section))
        .take(6)
        .filter(|section| section.level > 1)
}

/// Whether the word is in so many sections' openings that it describes the whole skill.
fn is_everywhere(skill: &DigestedSkill, stem: &str) -> bool {
    let having = skill
        .sections
        .iter()
        .filter(|section| section.opening_words.iter().any(|known| known == stem));
    having.count() > (skill.sections.len() / 8).max(3)
}
