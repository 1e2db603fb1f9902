//! The meaning of a heading: a task, a group, a step, a known section, or something else.

use bugle_core::plan::{GroupKind, StatusMark, TaskNumber};

use super::mark::{leading_mark, trailing_mark};
use super::text::{after_word, clean_title, has_words, number, separator, squeeze, without_comments};

/// The meaning of a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heading {
    /// `Task 3: Add the parser`
    Task(Numbered),
    /// `Task 3`: a task, if no other task has that number.
    BareTask(Numbered),
    /// `Task 3 progress note`
    TaskWithoutSeparator,
    /// `Task A: ...`, `Task Two`, `Task: ...`
    TaskWithoutNumber,
    /// `Tasks 3: ...`
    SeveralTasks,
    /// `Phase 2: Storage`
    Group(GroupKind, Numbered),
    /// `Step 2: Run the tests`
    Step(Numbered),
    /// A known section.
    Section(Section),
    /// Anything else.
    Plain,
}

impl Heading {
    /// Whether tasks start at this heading.
    pub(super) fn begins_tasks(&self) -> bool {
        matches!(self, Self::Task(_) | Self::BareTask(_) | Self::Group(..))
    }
}

/// A number with its title and mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbered {
    pub number: TaskNumber,
    pub title: String,
    pub mark: Option<StatusMark>,
}

/// A section known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Constraints for all tasks.
    Constraints,
    Goal,
    Architecture,
    TechStack,
    /// A section about the whole plan, at any position: the author's review, and how to continue.
    OfThePlan,
    /// A heading that only introduces tasks or describes the plan. The tasks below are not part of this section.
    Frame,
    /// A heading that states the progress of the tasks below it.
    Progress,
}

/// The text of a heading, without surrounding marks and comments.
pub(super) fn heading_text(line: &str) -> String {
    let text = without_comments(line.trim().trim_start_matches('#'));
    squeeze(without_closing(&text))
}

/// A heading without its closing marks: `## Title ##`.
fn without_closing(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let open = text.trim_end_matches('#').len();
        let closed = open < text.len() && (open == 0 || text[..open].ends_with(char::is_whitespace));
        if !closed {
            return text;
        }
        text = text[..open].trim_end();
    }
}

/// The meaning of a heading's text.
pub(super) fn announced(text: &str) -> Heading {
    let (mark, bare) = undecorated(text);
    if let Some(rest) = after_word(bare, "Task") {
        return task(rest, mark);
    }
    if after_word(bare, "Tasks").is_some_and(|rest| number(rest.trim_start()).is_some()) {
        return Heading::SeveralTasks;
    }
    if let Some(numbered) = after_word(bare, "Step").and_then(|rest| parted(rest, mark.clone())) {
        return Heading::Step(numbered);
    }
    for kind in GroupKind::WORDED {
        let Some(rest) = after_word(bare, kind.word()) else {
            continue;
        };
        if let Some(numbered) = parted(rest, mark.clone()).or_else(|| unparted(rest, mark.clone())) {
            return Heading::Group(kind, numbered);
        }
    }
    section(bare).map_or(Heading::Plain, Heading::Section)
}

/// The decoration before the first word: status marks, images, emphasis.
fn undecorated(text: &str) -> (Option<StatusMark>, &str) {
    let mut found = None;
    let mut rest = text.trim_start();
    loop {
        if let Some((mark, after)) = leading_mark(rest) {
            found.get_or_insert(mark);
            rest = after.trim_start();
            continue;
        }
        match rest.chars().next() {
            Some(letter) if !letter.is_alphanumeric() && letter != '(' && letter != '[' => {
                rest = rest[letter.len_utf8()..].trim_start();
            }
            _ => return (found, rest),
        }
    }
}

fn task(rest: &str, mark: Option<StatusMark>) -> Heading {
    if let Some(numbered) = parted(rest, mark.clone()) {
        return Heading::Task(numbered);
    }
    if let Some(numbered) = unparted(rest, mark) {
        return Heading::BareTask(numbered);
    }
    let rest = rest.trim_start();
    if number(rest.trim_start_matches('#')).is_some() {
        return Heading::TaskWithoutSeparator;
    }
    // A heading with a title is probably meant as a task; `Task list` has none.
    let titled = rest
        .match_indices([':', '：', '—', '–', '-'])
        .any(|(at, _)| separator(&rest[at..]).is_some_and(has_words));
    let word = rest.split(|letter: char| !letter.is_alphanumeric()).next();
    let spelled = word.is_some_and(|word| SPELLED.iter().any(|number| number.eq_ignore_ascii_case(word)));
    if titled || spelled {
        Heading::TaskWithoutNumber
    } else {
        Heading::Plain
    }
}

/// Numbers written as words.
const SPELLED: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// ` 3: Title`, and text between number and separator: ` 3 (optional): Title`, ` 3 ✅: Title`.
fn parted(rest: &str, mark: Option<StatusMark>) -> Option<Numbered> {
    let (number, rest) = number(rest.trim_start().trim_start_matches('#'))?;
    let (mark, qualifier, rest) = qualified(rest, mark);
    let title = separator(rest)?;
    let (title, mark) = finished(&format!("{qualifier} {title}"), mark);
    Some(Numbered { number, title, mark })
}

/// ` 3`, ` 3 (optional)`: a number without a title.
fn unparted(rest: &str, mark: Option<StatusMark>) -> Option<Numbered> {
    let (number, rest) = number(rest.trim_start().trim_start_matches('#'))?;
    let (mark, qualifier, rest) = qualified(rest, mark);
    let (title, mark) = finished(qualifier, mark);
    rest.trim_matches(['*', '_', '~', ' '])
        .is_empty()
        .then_some(Numbered { number, title, mark })
}

/// Marks and one remark in brackets after a number.
fn qualified(rest: &str, mut mark: Option<StatusMark>) -> (Option<StatusMark>, &str, &str) {
    let mut rest = rest;
    loop {
        let next = rest.trim_start_matches([' ', '*', '_', '~']);
        if let Some((found, after)) = leading_mark(next) {
            mark.get_or_insert(found);
            rest = after;
            continue;
        }
        let close = match next.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            // Emphasis that ends after the number, as in `**Task 3**: Title`, is not part of the title.
            _ if separator(next).is_some() || next.is_empty() => return (mark, "", next),
            _ => return (mark, "", rest),
        };
        let Some(end) = next.find(close) else {
            return (mark, "", rest);
        };
        let (qualifier, after) = next.split_at(end + 1);
        let after = after.trim_start_matches([' ', '*', '_', '~']);
        return (mark, qualifier, after);
    }
}

/// A title without status marks at its ends.
fn finished(title: &str, mut mark: Option<StatusMark>) -> (String, Option<StatusMark>) {
    let mut title = clean_title(title);
    loop {
        let before = title.len();
        let mut rest = title.as_str();
        while let Some((start, found)) = trailing_mark(rest) {
            mark.get_or_insert(found);
            rest = start.trim_end();
        }
        while let Some((found, end)) = leading_mark(rest) {
            mark.get_or_insert(found);
            rest = end.trim_start();
        }
        title = clean_title(without_closing(rest));
        if title.len() == before {
            return (title, mark);
        }
    }
}

/// Whether a numbered title belongs to a section about the plan: `1. Overview`, `2. Test strategy`.
pub(super) fn is_frame(title: &str) -> bool {
    title.split_whitespace().count() <= 2 && section(title).is_some()
}

/// The known section that a heading names, if any.
fn section(text: &str) -> Option<Section> {
    let name: String = text
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
        .collect();
    let name = squeeze(&name).to_lowercase();
    let has_word = |words: &[&str]| name.split(' ').any(|word| words.contains(&word));
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    match name.as_str() {
        "global constraints" | "constraints" | "hard rules" | "global rules" | "ground rules" => {
            Some(Section::Constraints)
        }
        "goal" | "goals" => Some(Section::Goal),
        "architecture" => Some(Section::Architecture),
        "tech stack" | "technology" | "technology stack" => Some(Section::TechStack),
        _ if begins(&[
            "self review",
            "execution handoff",
            "execution hand off",
            "plan complete",
        ]) =>
        {
            Some(Section::OfThePlan)
        }
        _ if begins(&[
            "completed",
            "done",
            "finished",
            "remaining",
            "in progress",
            "deferred",
            "backlog",
        ]) =>
        {
            Some(Section::Progress)
        }
        _ if has_word(FRAME_WORDS) => Some(Section::Frame),
        _ => None,
    }
}

/// Words in headings about the plan or its context, which do not group tasks.
const FRAME_WORDS: &[&str] = &[
    "acceptance",
    "approach",
    "background",
    "changelog",
    "checklist",
    "commands",
    "context",
    "conventions",
    "criteria",
    "decisions",
    "dependencies",
    "design",
    "execution",
    "file",
    "files",
    "implementation",
    "introduction",
    "map",
    "notes",
    "order",
    "overview",
    "plan",
    "prerequisites",
    "problem",
    "reference",
    "references",
    "requirements",
    "review",
    "risks",
    "rules",
    "scope",
    "spec",
    "steps",
    "strategy",
    "structure",
    "summary",
    "task",
    "tasks",
    "verification",
    "work",
];
