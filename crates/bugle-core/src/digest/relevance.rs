//! Scores a skill's sections for a task. The score is the section kind's base score, plus points for serving the stage
//! of the work, plus points for words from the task title and step that occur in headings and openings. Every point is
//! explained.

use serde::{Deserialize, Serialize};

use super::match_place::{MatchPlace, above};
use super::section_stage::{StageMatch, StagedSkill};
use super::stage::WorkStage;
use super::words::words_with_stems;
use super::{DigestedSection, DigestedSkill, SectionKind};
use crate::skill_selection::undecorated;

/// Minimum score of a needed section. Rules, checklists and red flags reach it by themselves; any other section needs a
/// matching word or stage.
const NEEDED_SCORE: u32 = 5;

/// Minimum score of a related section.
const RELATED_SCORE: u32 = 3;

/// The work for which sections are selected.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need<'a> {
    /// The task title.
    pub title: &'a str,
    /// The step as a phrase, if there is one.
    pub step: Option<&'a str>,
    /// The stage of the work, if it is known.
    pub stage: Option<&'a WorkStage>,
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
    /// The stage of the work that the section serves.
    pub stage: Option<StageMatch>,
    /// How strongly the work needs the section.
    pub claim: Claim,
}

/// How strongly a section is needed for the work, most needed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// The work needs the section.
    Needed,
    /// The section may help.
    Related,
    /// Nothing connects the section with the work.
    Unrelated,
    /// The section is for another stage of the work.
    OtherStage,
}

enum_text!(Claim {
    Needed = "needed",
    Related = "related",
    Unrelated = "unrelated",
    OtherStage = "other stage",
});

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
}

/// A skill's sections by relevance, highest first; ties keep their order.
pub fn relevance(skill: &DigestedSkill, need: &Need<'_>) -> Vec<Relevance> {
    let wanted = wanted(skill, need);
    let staged = need.stage.map(|stage| StagedSkill::new(skill, stage));
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
            let stage = staged.as_ref().and_then(|staged| staged.serves(at));
            let words: u32 = matches.iter().map(|found| found.points).sum();
            let score = prior + words + stage.as_ref().map_or(0, |stage| stage.points);
            let is_named = matches.iter().any(|found| found.place == MatchPlace::Heading);
            let leads_away = staged.as_ref().is_some_and(|staged| staged.leads_away(at));
            let claim = match score {
                _ if leads_away && !is_named => Claim::OtherStage,
                NEEDED_SCORE.. => Claim::Needed,
                RELATED_SCORE.. => Claim::Related,
                _ => Claim::Unrelated,
            };
            Relevance {
                section: at,
                score,
                kind: section.kind,
                prior,
                matches,
                stage,
                claim,
            }
        })
        .collect();
    found.sort_by_key(|relevance| (relevance.claim, std::cmp::Reverse(relevance.score)));
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
    /// Whether the word occurs in the text of many sections, so that it describes the whole skill.
    everywhere: bool,
    /// Whether the word is in the skill's title.
    titles_skill: bool,
    /// Whether several groups of sections have the word in their heading, so that it selects none of them.
    divides_nothing: bool,
}

/// The search words without duplicates: words from the step, then from the title.
fn wanted(skill: &DigestedSkill, need: &Need<'_>) -> Vec<Wanted> {
    let sources = [
        (WordSource::Step, need.step.unwrap_or_default()),
        (WordSource::Title, undecorated(need.title)),
    ];
    let mut all: Vec<Wanted> = Vec::new();
    for (source, text) in sources {
        for (word, stem) in words_with_stems(text) {
            if !all.iter().any(|known| known.stem == stem) {
                let mut titles = skill.sections.iter().filter(|section| section.level == 1);
                all.push(Wanted {
                    source,
                    everywhere: is_everywhere(skill, &stem),
                    titles_skill: titles.any(|title| title.heading_words.contains(&stem)),
                    divides_nothing: groups_with(skill, &stem) > 1,
                    word,
                    stem,
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
    } else if !wanted.divides_nothing && above(skill, section).any(|parent| has(&parent.heading_words)) {
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
        points: match place {
            MatchPlace::Heading if wanted.titles_skill => points(wanted.source, MatchPlace::Opening),
            place => points(wanted.source, place),
        },
    })
}

fn points(source: WordSource, place: MatchPlace) -> u32 {
    let (heading, elsewhere) = match source {
        WordSource::Step => (8, 3),
        WordSource::Title => (6, 2),
    };
    match place {
        MatchPlace::Heading => heading,
        MatchPlace::Inside | MatchPlace::Above | MatchPlace::Beside | MatchPlace::Opening => elsewhere,
    }
}

/// The number of sections with subsections whose heading contains the word.
fn groups_with(skill: &DigestedSkill, stem: &str) -> usize {
    let sections = skill.sections.iter().enumerate();
    let groups = sections.filter(|(at, section)| {
        let has_word = section.level > 1 && section.heading_words.iter().any(|word| word == stem);
        has_word && skill.sections.iter().any(|other| other.parent == Some(*at))
    });
    groups.count()
}

/// Whether the word is in so many sections' openings that it describes the whole skill.
fn is_everywhere(skill: &DigestedSkill, stem: &str) -> bool {
    let having = skill
        .sections
        .iter()
        .filter(|section| section.opening_words.iter().any(|known| known == stem));
    having.count() > (skill.sections.len() / 8).max(3)
}
