//! The current skill: in full if it is short, otherwise the sections that match the work and the titles of the others.

use bugle_core::count::counted;
use bugle_core::digest::{Detail, RELATED_SCORE};
use bugle_core::reply::{WakeSection, WakeSkill};
use bugle_core::wake::{Offer, Part};

use super::quote::{code, fence, inline, items, notices, number, tags_remark};
use super::shorten::{self, LENGTHS};
use super::sizes;
use crate::{notice_text, task_text};

/// Maximum length of the beginning that is shown if no section matches, in characters.
const MOST_OF_BEGINNING: usize = 240;

/// Maximum length in characters of a skill that is shown in full.
const MOST_WHOLE: usize = 6_000;

pub(super) fn offer(skill: Option<&WakeSkill>) -> Offer {
    let Some(skill) = skill else {
        return sizes::nothing(Part::Skill);
    };
    let length: usize = skill.sections.iter().map(|section| section.full.len()).sum();
    if length == 0 {
        // A skill without text needs no room; `--explain` names it.
        return sizes::whole(Part::Skill, vec![reminders(skill)]);
    }
    // In a long skill, only the sections that match the work are worth the space.
    let candidates: Vec<&WakeSection> = skill
        .sections
        .iter()
        .filter(|section| length <= MOST_WHOLE || section.needed || section.score >= RELATED_SCORE)
        .collect();
    let mut offered = vec![(Detail::Full, blocks(skill, &fitting(&candidates, usize::MAX)))];
    let lengths = LENGTHS.into_iter().filter(|most| *most < length);
    offered.extend(lengths.map(|most| (Detail::Digest, blocks(skill, &fitting(&candidates, most)))));
    offered.push((Detail::Pointer, pointer(skill)));
    sizes::offer(Part::Skill, offered)
}

/// A section as it is shown.
struct Shown<'a> {
    section: &'a WakeSection,
    text: &'a str,
    is_whole: bool,
}

/// The sections that fit into `most` characters, in text order. Needed sections get room first: the digest of each,
/// then the full texts that fit. The other sections follow in the same way.
fn fitting<'a>(sections: &[&'a WakeSection], most: usize) -> Vec<Shown<'a>> {
    let mut places: Vec<usize> = (0..sections.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(sections[*place].score));
    let (needed, others): (Vec<usize>, Vec<usize>) =
        places.into_iter().partition(|place| sections[*place].needed);
    // Bytes are an upper bound for characters.
    let mut room = most;
    let mut texts: Vec<Option<&'a str>> = vec![None; sections.len()];
    for places in [needed, others] {
        for is_whole in [false, true] {
            for place in &places {
                let section = sections[*place];
                let text: &'a str = if is_whole { &section.full } else { &section.digest };
                let taken = texts[*place].map_or(0, str::len);
                if !text.trim().is_empty() && text.len() <= room.saturating_add(taken) {
                    room = room.saturating_add(taken) - text.len();
                    texts[*place] = Some(text);
                }
            }
        }
    }
    let shown = sections.iter().zip(texts).filter_map(|(section, text)| {
        let text = text?;
        Some(Shown {
            section,
            text,
            is_whole: text == section.full,
        })
    });
    shown.collect()
}

fn head(skill: &WakeSkill) -> Vec<String> {
    vec![
        "## Current skill".to_owned(),
        title(skill),
        notices(skill.notices.iter().map(notice_text::skill)),
    ]
}

fn blocks(skill: &WakeSkill, shown: &[Shown<'_>]) -> Vec<String> {
    let mut blocks = head(skill);
    let beginning = if shown.is_empty() {
        beginning(skill)
    } else {
        blocks.extend(quoted(skill, shown));
        None
    };
    if let Some((first, text, how)) = beginning {
        let tags = tags_remark(text);
        blocks.push(format!(
            "No section matches this work. Beginning of the skill ({how}){tags}:"
        ));
        blocks.push(fence(text));
        blocks.push(reminders(skill));
        blocks.extend(others(skill, &[first]));
        return blocks;
    }
    blocks.push(reminders(skill));
    if !is_all(skill, shown) {
        let sections: Vec<&WakeSection> = shown.iter().map(|shown| shown.section).collect();
        blocks.extend(others(skill, &sections));
    }
    blocks
}

/// Whether the whole skill is shown.
fn is_all(skill: &WakeSkill, shown: &[Shown<'_>]) -> bool {
    let sections = skill
        .sections
        .iter()
        .filter(|section| !section.full.trim().is_empty());
    shown.iter().all(|shown| shown.is_whole) && shown.len() == sections.count()
}

fn pointer(skill: &WakeSkill) -> Vec<String> {
    let mut blocks = head(skill);
    let left_out = match number(skill.reminders.len()) {
        0 => "The skill's text is not shown.".to_owned(),
        reminders => format!(
            "The skill's text and {} from other skills are not shown.",
            counted(reminders, "rule")
        ),
    };
    blocks.push(format!("{left_out} {}", whole(skill)).trim_end().to_owned());
    blocks
}

fn title(skill: &WakeSkill) -> String {
    let version = skill.version.as_ref();
    let version = version.map_or(String::new(), |version| format!(" ({})", inline(version)));
    format!(
        "**Skill:** {}{version}. {}",
        code(&skill.name),
        inline(&task_text::because(&skill.reason, true))
    )
}

/// The shown sections, quoted as one block.
fn quoted(skill: &WakeSkill, shown: &[Shown<'_>]) -> Vec<String> {
    let texts: Vec<&str> = shown.iter().map(|shown| shown.text).collect();
    let text = texts.join("\n\n");
    let tags = tags_remark(&text);
    if is_all(skill, shown) {
        return vec![format!("Full text{tags}:"), fence(&text)];
    }
    let whole = number(shown.iter().filter(|shown| shown.is_whole).count());
    let shortened = number(shown.len()) - whole;
    let how = match (whole, shortened) {
        (whole, 0) => format!("{whole}, in full"),
        (0, shortened) => format!("{shortened}, shortened"),
        _ => format!("{}, {shortened} of them shortened", whole + shortened),
    };
    vec![
        format!("Sections that apply to this work ({how}){tags}:"),
        fence(&text),
    ]
}

/// The beginning of a skill: the first section with text, shortened if it is long.
fn beginning(skill: &WakeSkill) -> Option<(&WakeSection, &str, &'static str)> {
    let is_worded = |section: &&WakeSection| !section.digest.trim().is_empty();
    let first = skill.sections.iter().find(is_worded)?;
    match shorten::beginning(&first.digest, MOST_OF_BEGINNING) {
        Some((text, _)) => Some((first, text, "shortened")),
        None if first.digest == first.full => Some((first, &first.full, "in full")),
        None => Some((first, &first.digest, "shortened")),
    }
}

fn reminders(skill: &WakeSkill) -> String {
    if skill.reminders.is_empty() {
        return String::new();
    }
    let lines = skill.reminders.iter();
    let lines = lines.map(|reminder| format!("{} ({})", inline(&reminder.line), code(&reminder.skill)));
    format!("Rules from other skills that also apply:\n{}", items(lines))
}

/// The sections that are not shown, and where the full text is.
fn others(skill: &WakeSkill, shown: &[&WakeSection]) -> Vec<String> {
    let is_shown = |section: &WakeSection| shown.iter().any(|one| std::ptr::eq(*one, section));
    let others = skill.sections.iter().filter(|section| !is_shown(section));
    let lines: Vec<String> = others
        .map(|section| inline(&section.pointer))
        .filter(|line| !line.is_empty())
        .collect();
    let mut blocks = Vec::new();
    if !lines.is_empty() {
        blocks.push(format!("Sections not shown:\n{}", items(lines)));
    }
    blocks.push(whole(skill));
    blocks
}

fn whole(skill: &WakeSkill) -> String {
    let whole = skill.whole.as_ref();
    whole.map_or(String::new(), |whole| format!("Full text: {}", code(whole)))
}
