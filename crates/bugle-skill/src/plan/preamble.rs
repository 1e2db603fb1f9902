//! The text before the tasks: goal, architecture, tech stack, skills to use, and constraints for all tasks.

use bugle_core::plan::{Constraints, Preamble};

use super::blocks::{Block, Label, blocks, is_fact};
use super::heading::{Heading, Section, announced, heading_text};
use super::lines::{Kind, Line, extent};
use super::text::{checkbox, clean_title, has_words, list_item, past_list_markers, squeeze, unescaped};
use super::tree::Head;

/// Reads the lines before the first task or group.
pub(super) fn preamble(lines: &[Line<'_>], kinds: &[Kind], heads: &[Head], end: usize) -> Preamble {
    let mut preamble = Preamble::default();
    // A label among the constraints is a constraint.
    let constraints = heads
        .iter()
        .find(|head| head.announced == Heading::Section(Section::Constraints));
    let facts_end = constraints.map_or(end, |head| head.line.min(end));
    for block in blocks(lines, kinds, 0, facts_end) {
        let place = match block.label {
            Label::Goal => &mut preamble.goal,
            Label::Architecture => &mut preamble.architecture,
            Label::TechStack => &mut preamble.tech_stack,
            _ => continue,
        };
        if place.is_none() {
            *place = words(&block);
        }
    }
    for head in heads.iter().filter(|head| head.line < end) {
        let place = match head.announced {
            Heading::Section(Section::Goal) => &mut preamble.goal,
            Heading::Section(Section::Architecture) => &mut preamble.architecture,
            Heading::Section(Section::TechStack) => &mut preamble.tech_stack,
            _ => continue,
        };
        if place.is_none() {
            *place = first_paragraph(lines, kinds, head.line + 1, end);
        }
    }
    // Authors name the skill to use at the top, not in the goal.
    let mut sections = heads.iter().filter(|head| head.level > 1).map(|head| head.line);
    let top = sections.next().unwrap_or(end).min(end);
    for (line, kind) in lines.iter().zip(kinds).take(top) {
        if matches!(kind, Kind::Text | Kind::Quote) && !is_fact(line.text.trim()) {
            skills(line.text, *kind == Kind::Quote, &mut preamble.skills);
        }
    }
    preamble
}

/// The line from which labels are ignored: after the constraints heading, a label is a constraint.
fn labels_end(heads: &[Head], end: usize) -> usize {
    let constraints = heads
        .iter()
        .find(|head| head.announced == Heading::Section(Section::Constraints));
    constraints.map_or(end, |head| head.line.min(end))
}

/// A title underlined with `=`, if there is no title heading.
pub(super) fn underlined_title(lines: &[Line<'_>], kinds: &[Kind], end: usize) -> Option<String> {
    let underlined = |index: &usize| {
        let below = lines[*index + 1].text.trim();
        kinds[*index] == Kind::Text && !below.is_empty() && below.bytes().all(|byte| byte == b'=')
    };
    let index = (0..end.saturating_sub(1)).find(underlined)?;
    let title = heading_text(lines[index].text);
    (has_words(&title) && !announced(&title).begins_tasks()).then_some(title)
}

/// The text of a label, with the list below it.
fn words(block: &Block) -> Option<String> {
    let items = block.items.iter().map(|item| item.text.as_str());
    let parts: Vec<&str> = std::iter::once(block.rest.as_str())
        .chain(items)
        .filter(|part| !part.is_empty())
        .collect();
    some_words(&parts.join("; "))
}

fn some_words(text: &str) -> Option<String> {
    let text = clean_title(text);
    has_words(&text).then_some(text)
}

fn first_paragraph(lines: &[Line<'_>], kinds: &[Kind], from: usize, end: usize) -> Option<String> {
    let begin = (from..end).find(|index| kinds[*index] != Kind::Blank)?;
    let inner = (begin..end).take_while(|index| kinds[*index] == Kind::Text);
    let text: Vec<&str> = inner
        .map(|index| past_list_markers(lines[index].text.trim()))
        .collect();
    some_words(&text.join(" "))
}

/// The skills that a line tells the reader to use. A name with a plugin always counts, such as
/// `superpowers:executing-plans`. A name without a plugin counts before the word `skill` or, after the label `SKILL:`,
/// after the word `use`.
fn skills(line: &str, quoted: bool, found: &mut Vec<String>) {
    let small = line.to_lowercase();
    if !(small.contains("skill") || (quoted && small.contains("for "))) {
        return;
    }
    let is_labelled = small.contains("skill:");
    let mut before: Option<&str> = None;
    let mut used = false;
    for word in line.split([' ', '\t', ',', '(', ')']) {
        let name = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
        if name.is_empty() {
            continue;
        }
        let qualified = name
            .split_once(':')
            .is_some_and(|(plugin, skill)| is_name(plugin) && is_name(skill));
        let code = word.starts_with('`') || name.contains('-');
        let candidate = (code && !qualified && is_name(name) && !name.ends_with("skill")).then_some(name);
        let named = name.eq_ignore_ascii_case("skill").then_some(before).flatten();
        let asked_for = candidate.filter(|_| is_labelled && used);
        let skill = if qualified {
            Some(name)
        } else {
            named.or(asked_for)
        };
        if let Some(skill) = skill.filter(|skill| !found.iter().any(|known| known == skill)) {
            found.push(skill.to_owned());
        }
        before = candidate;
        used = name.eq_ignore_ascii_case("use") || (used && name.eq_ignore_ascii_case("the"));
    }
}

fn is_name(text: &str) -> bool {
    let inner = text
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    inner && text.starts_with(|letter: char| letter.is_ascii_lowercase())
}

/// The constraints for all tasks: from sections at any position, and from labels before the first task.
pub(super) fn constraints(
    lines: &[Line<'_>],
    kinds: &[Kind],
    heads: &[Head],
    owned: &[(usize, usize)],
    preamble_end: usize,
) -> Vec<Constraints> {
    let mut found = Vec::new();
    for block in blocks(lines, kinds, 0, labels_end(heads, preamble_end)) {
        if block.label != Label::Constraints || matches!(kinds[block.line], Kind::Heading(_)) {
            continue;
        }
        let rest = std::iter::once(block.rest.as_str());
        let items = rest
            .chain(block.items.iter().map(|item| item.text.as_str()))
            .filter_map(entry);
        let last = block.items.last().map_or(block.line, |item| item.line);
        found.push(Constraints {
            extent: extent(lines, kinds, block.line, last + 1),
            items: items.collect(),
        });
    }
    for (index, head) in heads.iter().enumerate() {
        let inside = owned.partition_point(|(first, _)| *first <= head.line);
        let in_a_task = owned[..inside].last().is_some_and(|(_, end)| head.line < *end);
        if head.announced != Heading::Section(Section::Constraints) || in_a_task {
            continue;
        }
        let next = heads[index + 1..]
            .iter()
            .find(|next| next.level <= head.level)
            .map(|next| next.line);
        let branch = owned.get(inside).map(|(first, _)| *first);
        let end = [next, branch].into_iter().flatten().min().unwrap_or(lines.len());
        found.push(Constraints {
            extent: extent(lines, kinds, head.line, end),
            items: section_items(lines, kinds, head.line + 1, end),
        });
    }
    found.retain(|section| !section.items.is_empty());
    found
}

fn entry(text: &str) -> Option<String> {
    let mut text = clean_title(text);
    loop {
        let mut rest = past_list_markers(&text);
        while let Some((_, after)) = checkbox(rest) {
            rest = past_list_markers(after);
        }
        if rest.len() == text.len() {
            break;
        }
        text = clean_title(rest);
    }
    let text = unescaped(&text).to_owned();
    has_words(&text).then_some(text)
}

/// Each list item and paragraph, on one line.
fn section_items(lines: &[Line<'_>], kinds: &[Kind], from: usize, end: usize) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut open = false;
    for index in from..end {
        let body = lines[index].text.trim();
        if kinds[index] != Kind::Text {
            open = false;
            continue;
        }
        match (list_item(body), items.last_mut()) {
            (None, Some(last)) if open => {
                last.push(' ');
                last.push_str(body);
            }
            _ => items.push(body.to_owned()),
        }
        open = true;
    }
    items.iter().filter_map(|item| entry(&squeeze(item))).collect()
}
