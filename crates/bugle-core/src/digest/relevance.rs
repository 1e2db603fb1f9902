//! Scores the sections of a skill for a task: words of the title, the step and the role, matched in headings and
//! openings, on top of the value of the kind of section. Every point is explained.

use serde::Serialize;

use super::words::words_with_stems;
use super::{DigestedSection, DigestedSkill, SectionKind};
use crate::role::AgentRole;
use crate::skill_selection::undecorated;

/// From this score on a section is needed. What always holds (rules, checklists, red flags) reaches it alone; anything
/// else needs a word that matches.
pub const NEEDED_SCORE: u32 = 5;

/// From this score on a section has to do with the work, and is worth room that nothing else needs: more speaks for it
/// than that it is there.
pub const RELATED_SCORE: u32 = 3;

/// What sections are wanted for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need<'a> {
    /// The title of the task.
    pub title: &'a str,
    /// The step, in words, if there is one.
    pub step: Option<&'a str>,
    /// Who works on it.
    pub role: Option<AgentRole>,
}

/// How much a section is needed, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relevance {
    /// Which section, by its place in the text.
    pub section: usize,
    /// The sum of all points.
    pub score: u32,
    /// What sort of section it is.
    pub kind: SectionKind,
    /// What it is worth for its sort; part of the score.
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

/// A word that was looked for and found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The word, in lower case.
    pub word: String,
    /// Where it comes from.
    pub source: WordSource,
    /// Where it was found; of several places the best.
    pub place: MatchPlace,
    /// What it is worth.
    pub points: u32,
}

/// Where a word that is looked for comes from.
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

/// Where a word was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPlace {
    /// In the heading.
    Heading,
    /// In a heading above it.
    Above,
    /// In how the section begins.
    Opening,
}

/// What a role looks for.
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

/// The sections of a skill by how much they are needed, most first; those that tie stay in the order of the text.
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

/// What a section is worth for its sort. A part of a section counts for its sort only where a heading is wanted: a skill
/// with thirteen phases has thirteen checklists, and a task needs one of them.
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

/// A word to look for.
struct Wanted {
    source: WordSource,
    word: String,
    stem: String,
    /// Whether it is what the whole skill is about.
    everywhere: bool,
}

/// The words to look for, each once: what the step says goes before the title, and both before the role.
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

/// The sections under whose headings a section stands. The title of the skill is over all of them and tells nothing.
fn above<'a>(
    skill: &'a DigestedSkill,
    section: &DigestedSection,
) -> impl Iterator<Item = &'a DigestedSection> {
    let parent = |section: &DigestedSection| skill.sections.get(section.parent?);
    // An outline whose parents went in a circle would have no top, so no more steps are taken than there are levels.
    std::iter::successors(parent(section), move |section| parent(section))
        .take(6)
        .filter(|section| section.level > 1)
}

/// Whether so many sections begin with the word that it is what the skill is about, and tells none of them apart.
fn is_everywhere(skill: &DigestedSkill, stem: &str) -> bool {
    let having = skill
        .sections
        .iter()
        .filter(|section| section.opening_words.iter().any(|known| known == stem));
    having.count() > (skill.sections.len() / 8).max(3)
}
