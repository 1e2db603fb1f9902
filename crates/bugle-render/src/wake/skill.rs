//! The skill that applies: the sections that are needed, and that there are others.

use bugle_core::digest::Detail;
use bugle_core::wake::{Offer, Part};
use bugle_wire::{WakeSection, WakeSkill};

use super::quote::{code, count, fence, inline, items, notices, number};
use super::sizes;

pub(super) fn offer(skill: Option<&WakeSkill>) -> Offer {
    let Some(skill) = skill else {
        return sizes::nothing(Part::Skill);
    };
    let details = [Detail::Full, Detail::Digest, Detail::Pointer];
    sizes::offer(
        Part::Skill,
        details.map(|detail| (detail, blocks(skill, detail))).to_vec(),
    )
}

fn blocks(skill: &WakeSkill, detail: Detail) -> Vec<String> {
    let mut blocks = vec![
        "## Current skill".to_owned(),
        title(skill),
        notices(&skill.notices),
    ];
    if detail == Detail::Pointer {
        let reminders = number(skill.reminders.len());
        let left_out = match reminders {
            0 => "Its text is left out here.".to_owned(),
            _ => format!(
                "Its text and {} of other skills are left out here.",
                count(reminders, "rule", "rules")
            ),
        };
        blocks.push(format!("{left_out} {}", whole(skill)));
        return blocks;
    }
    blocks.extend(needed(skill, detail));
    blocks.push(reminders(skill));
    blocks.push(others(skill, detail));
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

/// The sections that the task or step needs, as one text.
fn needed(skill: &WakeSkill, detail: Detail) -> Vec<String> {
    let texts = skill.sections.iter().filter(|section| section.needed);
    let texts: Vec<&str> = texts.map(|section| at(section, detail)).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let sections = count(number(texts.len()), "section", "sections");
    let says = if detail == Detail::Full {
        format!("What it says for this work ({sections}, word for word):")
    } else {
        format!("What it asks for in this work ({sections}, shortened):")
    };
    vec![says, fence(&texts.join("\n\n"))]
}

fn at(section: &WakeSection, detail: Detail) -> &str {
    match detail {
        Detail::Full => &section.full,
        Detail::Digest => &section.digest,
        Detail::Pointer => &section.pointer,
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
fn others(skill: &WakeSkill, detail: Detail) -> String {
    let others = skill.sections.iter().filter(|section| !section.needed);
    let lines: Vec<String> = others
        .map(|section| inline(&section.pointer))
        .filter(|line| !line.is_empty())
        .collect();
    let is_all = detail == Detail::Full && skill.sections.iter().all(|section| section.needed);
    if is_all && !skill.sections.is_empty() {
        return String::new();
    }
    if lines.is_empty() {
        return whole(skill);
    }
    format!(
        "Its other sections, left out here:\n{}\n\n{}",
        items(lines),
        whole(skill)
    )
}

fn whole(skill: &WakeSkill) -> String {
    match &skill.whole {
        Some(whole) => format!("The whole of it: {}", code(whole)),
        None => "The whole of it cannot be read at the moment.".to_owned(),
    }
}
