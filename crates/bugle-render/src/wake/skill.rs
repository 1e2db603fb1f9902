//! The current skill: in full if it fits, otherwise the sections for the stage of the work and the titles of the others.

use bugle_core::count::counted;
use bugle_core::digest::{Candidate, Claim, Detail, fit};
use bugle_core::reply::{WakeSection, WakeSkill};
use bugle_core::wake::{Offer, Part};

use super::quote::{code, fence, inline, items, notices, number, tags_remark};
use super::shorten;
use super::sizes;
use crate::text::page;
use crate::{notice_text, stage_text, task_text};

/// Maximum length of the beginning that is shown if no section matches, in characters.
const MOST_OF_BEGINNING: usize = 240;

/// The lengths at which a skill is offered, besides its full text and its needed sections, in bytes.
const LENGTHS: [usize; 18] = [
    16_000, 12_000, 9_000, 7_500, 6_500, 5_800, 5_200, 4_600, 4_000, 3_500, 3_000, 2_500, 2_100, 1_500,
    1_000, 700, 500, 240,
];

pub(super) fn offer(skill: Option<&WakeSkill>) -> Offer {
    let Some(skill) = skill else {
        return sizes::nothing(Part::Skill);
    };
    let length: usize = skill.sections.iter().map(|section| section.full.len()).sum();
    if length == 0 {
        // A skill without text needs no room; `--explain` names it.
        return sizes::whole(Part::Skill, vec![reminders(skill)]);
    }
    let sections = skill.sections.iter();
    let candidates: Vec<Candidate<'_>> = sections
        .map(|section| Candidate {
            claim: section.claim,
            score: section.score,
            full: &section.full,
            digest: &section.digest,
        })
        .collect();
    let mut offered = vec![(
        Detail::Full,
        blocks(skill, &shown(skill, &fit(&candidates, length))),
    )];
    let needed = candidates.iter().filter(|section| section.claim == Claim::Needed);
    let needed: usize = needed.map(|section| section.full.len()).sum();
    let mut lengths: Vec<usize> = LENGTHS.into_iter().chain([needed]).collect();
    lengths.sort_unstable_by_key(|most| std::cmp::Reverse(*most));
    let mut before = Vec::new();
    // The needed sections in full; the rest of the skill waits until other parts have grown.
    let mut enough = String::new();
    for most in lengths.into_iter().filter(|most| *most < length) {
        let sizes = fit(&candidates, most);
        if sizes != before {
            offered.push((Detail::Digest, blocks(skill, &shown(skill, &sizes))));
            before = sizes;
        }
        if most == needed {
            enough = offered.last().map_or(String::new(), |(_, blocks)| page(blocks));
        }
    }
    offered.push((Detail::Pointer, pointer(skill)));
    let offer = sizes::offer(Part::Skill, offered);
    let enough = offer
        .sizes
        .iter()
        .position(|size| size.text.len() <= enough.len());
    Offer {
        enough: enough.filter(|_| needed > 0).unwrap_or(0),
        stage: skill.stage.clone(),
        ..offer
    }
}

/// A section as it is shown.
struct Shown<'a> {
    section: &'a WakeSection,
    text: &'a str,
    is_whole: bool,
}

/// The sections that are shown, in text order.
fn shown<'a>(skill: &'a WakeSkill, sizes: &[Option<Detail>]) -> Vec<Shown<'a>> {
    let sections = skill.sections.iter().zip(sizes);
    sections
        .filter_map(|(section, size)| {
            let is_whole = (*size)? == Detail::Full;
            Some(Shown {
                section,
                text: if is_whole { &section.full } else { &section.digest },
                is_whole,
            })
        })
        .collect()
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
    let why = match &skill.stage {
        Some(stage) => format!(
            "Sections for this stage of the work, {}",
            stage_text::stages(stage)
        ),
        None => "Sections that apply to this work".to_owned(),
    };
    vec![format!("{why} ({how}){tags}:"), fence(&text)]
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
