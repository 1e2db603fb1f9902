//! The skill that applies: the sections that are needed, and that there are others.

use bugle_core::digest::Detail;
use bugle_core::wake::{Offer, Part};
use bugle_wire::{WakeSection, WakeSkill};

use super::quote::{code, count, fence, inline, items, notices, number, tags_remark};
use super::sizes;

pub(super) fn offer(skill: Option<&WakeSkill>) -> Offer {
    let Some(skill) = skill else {
        return sizes::nothing(Part::Skill);
    };
    let mut needed: Vec<&WakeSection> = skill.sections.iter().filter(|section| section.needed).collect();
    let mut sizes = vec![(Detail::Full, blocks(skill, &needed, Detail::Full))];
    // Where not all of them fit, the better half may.
    loop {
        sizes.push((Detail::Digest, blocks(skill, &needed, Detail::Digest)));
        if needed.len() < 2 {
            break;
        }
        needed = better_half(&needed);
    }
    sizes.push((Detail::Pointer, pointer(skill)));
    sizes::offer(Part::Skill, sizes)
}

/// The sections that are needed most, in the order of the text.
fn better_half<'a>(sections: &[&'a WakeSection]) -> Vec<&'a WakeSection> {
    let mut places: Vec<usize> = (0..sections.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(sections[*place].score));
    places.truncate(sections.len() / 2);
    places.sort_unstable();
    places.into_iter().map(|place| sections[place]).collect()
}

fn head(skill: &WakeSkill) -> Vec<String> {
    vec![
        "## Current skill".to_owned(),
        title(skill),
        notices(&skill.notices),
    ]
}

fn blocks(skill: &WakeSkill, shown: &[&WakeSection], detail: Detail) -> Vec<String> {
    let mut blocks = head(skill);
    blocks.extend(needed(skill, shown, detail));
    blocks.push(reminders(skill));
    blocks.push(others(skill, shown, detail));
    blocks
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
    blocks.push(format!("{left_out} {}", whole(skill)));
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
fn needed(skill: &WakeSkill, shown: &[&WakeSection], detail: Detail) -> Vec<String> {
    if shown.is_empty() {
        return beginning(skill, detail);
    }
    let texts: Vec<&str> = shown.iter().map(|section| at(section, detail)).collect();
    let sections = count(number(texts.len()), "section", "sections");
    let text = texts.join("\n\n");
    let tags = tags_remark(&text);
    let says = if detail == Detail::Full {
        format!("What it says for this work ({sections}, word for word){tags}:")
    } else {
        format!("What it asks for in this work ({sections}, shortened){tags}:")
    };
    vec![says, fence(&text)]
}

/// How a skill begins, where no section of it stands out: what it says before its first heading, else the gist of its
/// first section that has any words.
fn beginning(skill: &WakeSkill, detail: Detail) -> Vec<String> {
    let first = skill
        .sections
        .iter()
        .find(|section| !section.digest.trim().is_empty());
    let Some(first) = first else { return Vec::new() };
    let is_introduction = first.title.trim().is_empty();
    let (text, how) = match detail {
        Detail::Full if is_introduction => (&first.full, "word for word"),
        _ => (&first.digest, "shortened"),
    };
    let tags = tags_remark(text);
    vec![
        format!("No section of it stands out for this work. How it begins ({how}){tags}:"),
        fence(text),
    ]
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
fn others(skill: &WakeSkill, shown: &[&WakeSection], detail: Detail) -> String {
    let is_shown = |section: &WakeSection| shown.iter().any(|one| std::ptr::eq(*one, section));
    let others = skill.sections.iter().filter(|section| !is_shown(section));
    let lines: Vec<String> = others
        .map(|section| inline(&section.pointer))
        .filter(|line| !line.is_empty())
        .collect();
    let is_all = detail == Detail::Full && shown.len() == skill.sections.len();
    if is_all && !shown.is_empty() {
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
