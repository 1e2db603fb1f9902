//! The skill that applies: all of it if it is short, else the sections that have to do with the work, and that there are
//! others.

use bugle_core::digest::{Detail, RELATED_SCORE};
use bugle_core::wake::{Offer, Part};
use bugle_wire::{WakeSection, WakeSkill};

use super::quote::{code, count, fence, inline, items, notices, number, tags_remark};
use super::shorten::{self, LENGTHS};
use super::sizes;

/// How many characters of its beginning are shown where no section is.
const MOST_OF_BEGINNING: usize = 240;

/// Up to so many characters a skill is shown whole if there is room: less would be saved than is lost.
const MOST_WHOLE: usize = 6_000;

pub(super) fn offer(skill: Option<&WakeSkill>) -> Offer {
    let Some(skill) = skill else {
        return sizes::nothing(Part::Skill);
    };
    let length: usize = skill.sections.iter().map(|section| section.full.len()).sum();
    if length == 0 {
        // A skill that is not available takes no room; `--explain` names it.
        return sizes::whole(Part::Skill, vec![reminders(skill)]);
    }
    // Of a long skill only what has to do with the work is worth its room.
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

/// As many sections as have so many characters together, in the order of the text. Those that are needed go first, each with
/// what it asks for, then word for word as far as there is room; then the others likewise.
fn fitting<'a>(sections: &[&'a WakeSection], most: usize) -> Vec<Shown<'a>> {
    let mut places: Vec<usize> = (0..sections.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(sections[*place].score));
    let (needed, others): (Vec<usize>, Vec<usize>) =
        places.into_iter().partition(|place| sections[*place].needed);
    // A text has no more characters than bytes.
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
        notices(&skill.notices),
    ]
}

fn blocks(skill: &WakeSkill, shown: &[Shown<'_>]) -> Vec<String> {
    let mut blocks = head(skill);
    let beginning = if shown.is_empty() {
        beginning(skill)
    } else {
        blocks.extend(said(skill, shown));
        None
    };
    if let Some((first, text, how)) = beginning {
        let tags = tags_remark(text);
        blocks.push(format!(
            "No section of it is chosen for this work. How it begins ({how}){tags}:"
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

/// Whether nothing is missing.
fn is_all(skill: &WakeSkill, shown: &[Shown<'_>]) -> bool {
    let said = skill
        .sections
        .iter()
        .filter(|section| !section.full.trim().is_empty());
    shown.iter().all(|shown| shown.is_whole) && shown.len() == said.count()
}

/// Why a skill is not in a wake-up although it applies, for a person who looks into it.
pub fn unavailable(skill: &WakeSkill) -> String {
    let notices: Vec<String> = skill.notices.iter().map(|notice| inline(notice)).collect();
    format!(
        "Skill {} has no text here. {}",
        code(&skill.name),
        notices.join(" ")
    )
    .trim_end()
    .to_owned()
}

fn pointer(skill: &WakeSkill) -> Vec<String> {
    let mut blocks = head(skill);
    let left_out = match number(skill.reminders.len()) {
        0 => "Its text is left out here.".to_owned(),
        reminders => format!(
            "Its text and {} of other skills are left out here.",
            count(reminders, "rule", "rules")
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
        inline(&skill.because)
    )
}

/// Sections as one text.
fn said(skill: &WakeSkill, shown: &[Shown<'_>]) -> Vec<String> {
    let texts: Vec<&str> = shown.iter().map(|shown| shown.text).collect();
    let text = texts.join("\n\n");
    let tags = tags_remark(&text);
    if is_all(skill, shown) {
        return vec![format!("All of it, word for word{tags}:"), fence(&text)];
    }
    let whole = number(shown.iter().filter(|shown| shown.is_whole).count());
    let shortened = number(shown.len()) - whole;
    let sections = |number: u64| count(number, "section", "sections");
    let how = match (whole, shortened) {
        (whole, 0) => format!("{}, word for word", sections(whole)),
        (0, shortened) => format!("{}, shortened", sections(shortened)),
        _ => format!("{}, {shortened} of them shortened", sections(whole + shortened)),
    };
    vec![format!("What it says for this work ({how}){tags}:"), fence(&text)]
}

/// How a skill begins: its first section that has any words, what it says before its first heading word for word where that
/// is short, else the gist.
fn beginning(skill: &WakeSkill) -> Option<(&WakeSection, &str, &'static str)> {
    let is_worded = |section: &&WakeSection| !section.digest.trim().is_empty();
    let first = skill.sections.iter().find(is_worded)?;
    match shorten::beginning(&first.digest, MOST_OF_BEGINNING) {
        Some((text, _)) => Some((first, text, "shortened")),
        None if first.digest == first.full => Some((first, &first.full, "word for word")),
        None => Some((first, &first.digest, "shortened")),
    }
}

fn reminders(skill: &WakeSkill) -> String {
    if skill.reminders.is_empty() {
        return String::new();
    }
    let lines = skill.reminders.iter();
    let lines = lines.map(|reminder| format!("{} ({})", inline(&reminder.line), code(&reminder.skill)));
    format!("Rules of other skills that hold here too:\n{}", items(lines))
}

/// What is left out, and where all of it is.
fn others(skill: &WakeSkill, shown: &[&WakeSection]) -> Vec<String> {
    let is_shown = |section: &WakeSection| shown.iter().any(|one| std::ptr::eq(*one, section));
    let others = skill.sections.iter().filter(|section| !is_shown(section));
    let lines: Vec<String> = others
        .map(|section| inline(&section.pointer))
        .filter(|line| !line.is_empty())
        .collect();
    let mut blocks = Vec::new();
    if !lines.is_empty() {
        blocks.push(format!("Its other sections, left out here:\n{}", items(lines)));
    }
    blocks.push(whole(skill));
    blocks
}

fn whole(skill: &WakeSkill) -> String {
    let whole = skill.whole.as_ref();
    whole.map_or(String::new(), |whole| format!("The whole of it: {}", code(whole)))
}
