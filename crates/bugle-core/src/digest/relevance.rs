//! Scores the sections of a skill for a task: matches of words from the title, the step and the role in headings and
//! openings, on top of the score of the section's kind. Every point is explained.

use serde::Serialize;

use super::words::words_with_stems;
use super::{DigestedSection, DigestedSkill, SectionKind};
use crate::role::AgentRole;
use crate::skill_selection::undecorated;

/// The score from which a section is needed. Rules, checklists and red flags reach it by themselves; any other
/// section needs a matching word.
pub const NEEDED_SCORE: u32 = 5;

/// The score from which a section is related to the work and worth spare room.
pub const RELATED_SCORE: u32 = 3;

/// What the sections are needed for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need<'a> {
    /// The title of the task.
    pub title: &'a str,
    /// The step, in words, if there is one.
    pub step: Option<&'a str>,
    /// The role of the agent.
    pub role: Option<AgentRole>,
}

/// How relevant a section is, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relevance {
    /// The index of the section.
    pub section: usize,
    /// The total score.
    pub score: u32,
    /// The kind of section.
    pub kind: SectionKind,
    /// The score of its kind, which is part of the total.
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

/// A matching word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The word, in lower case.
    pub word: String,
    /// Its source.
    pub source: WordSource,
    /// Its best match.
    pub place: MatchPlace,
    /// Its score.
    pub points: u32,
}

/// The source of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordSource {
    /// The step.
    Step,
    /// The title of the task.
    Title,
    /// The role.
    Role,
}

/// The place of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPlace {
    /// The heading.
    Heading,
    /// A heading above it.
    Above,
    /// The opening of the section.
    Opening,
}

/// The words of each role.
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

/// The sections of a skill by relevance, highest first; ties stay in order.
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

/// The score of a section's kind. A subsection gets it only if a heading matches: a skill with thirteen phases has
/// thirteen checklists, and a task needs one of them.
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

/// A word to search for.
struct Wanted {
    source: WordSource,
    word: String,
    stem: String,
    /// Whether the whole skill is about it.
    everywhere: bool,
}

/// The words to search for, each once. The step comes before the title, and both before the role.
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

/// The ancestors of a section. The skill's title is above all sections and distinguishes none.
fn above<'a>(
    skill: &'a DigestedSkill,
    section: &DigestedSection,
) -> impl Iterator<Item = &'a DigestedSection> {
    let parent = |section: &DigestedSection| skill.sections.get(section.parent?);
    // Bounded by the number of levels, in case the parents of a faulty outline form a cycle.
    std::iter::successors(parent(section), move |section| parent(section))
        .take(6)
        .filter(|section| section.level > 1)
}

/// Whether so many sections start with the word that it describes the whole skill and distinguishes no section.
fn is_everywhere(skill: &DigestedSkill, stem: &str) -> bool {
    let having = skill
        .sections
        .iter()
        .filter(|section| section.opening_words.iter().any(|known| known == stem));
    having.count() > (skill.sections.len() / 8).max(3)
}
