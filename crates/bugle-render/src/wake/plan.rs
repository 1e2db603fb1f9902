//! The current plan: its goal, its constraints, and its text about the current task.

use bugle_core::count::{count_phrase, counted};
use bugle_core::digest::Detail;
use bugle_core::reply::{PlanNotice, PlanText, TaskNotice, WakeFacts, WakePlan};
use bugle_core::wake::{Offer, Part};

use super::quote::{clipped, code, fence, inline, items, notices, number, tags_remark};
use super::shorten::{Code, LENGTHS, beginning};
use super::sizes;
use crate::notice_text;

pub(super) fn offer(facts: &WakeFacts) -> Offer {
    let Some(plan) = &facts.plan else {
        return sizes::nothing(Part::Plan);
    };
    // The `tasks` part already shows these notices.
    let position = facts.position.as_ref().filter(|_| super::tasks::has_tasks(facts));
    let is_shown = |notice: &PlanNotice| {
        position.is_some_and(|at| at.notices.contains(&TaskNotice::Plan(notice.clone())))
    };
    let left = plan.notices.iter().filter(|notice| !is_shown(notice));
    let left = notices(left.map(notice_text::plan));
    let head = || vec!["## Active plan".to_owned(), title(plan), left.clone()];
    let full = [head(), contents(plan, usize::MAX)].concat();
    let mut offered = vec![(Detail::Full, full)];
    let length = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
    let longest = [
        plan.text.as_ref().map_or(0, |text| text.text.len()),
        length(&plan.constraints),
        length(&plan.interfaces),
        plan.goal.as_ref().map_or(0, String::len),
    ];
    let longest = longest.into_iter().max().unwrap_or_default();
    let lengths = LENGTHS.into_iter().filter(|most| *most < longest);
    offered.extend(lengths.map(|most| (Detail::Digest, [head(), contents(plan, most)].concat())));
    let mut pointer = head();
    pointer.push(format!(
        "There is no room for the plan's text. To read it, run {}",
        commands(plan, true, true)
    ));
    offered.push((Detail::Pointer, pointer));
    sizes::offer(Part::Plan, offered)
}

/// The plan's contents, with at most `most` characters of each part, and a note on what is missing.
fn contents(plan: &WakePlan, most: usize) -> Vec<String> {
    let mut blocks = Vec::new();
    // The missing text about all tasks, and about the current task.
    let (mut of_all, mut of_this) = (Vec::new(), Vec::new());
    if let Some(goal) = &plan.goal {
        blocks.push(format!("**Goal:** {}", clipped(goal, most)));
        if inline(goal).chars().nth(most).is_some() {
            of_all.push("the rest of the goal".to_owned());
        }
    }
    let (constraints, hidden) = list("Constraints for all tasks in the plan:", &plan.constraints, most);
    blocks.push(constraints);
    if hidden > 0 {
        of_all.push(counted(hidden, "more constraint"));
    }
    let (interfaces, hidden) = list("Interfaces of the current task:", &plan.interfaces, most);
    blocks.push(interfaces);
    if hidden > 0 {
        of_this.push(count_phrase(
            hidden,
            "more line about interfaces",
            "more lines about interfaces",
        ));
    }
    if let Some(text) = &plan.text {
        let (kept, left_out) = outline(&text.text, most);
        let how = if left_out > 0 { ", shortened" } else { "" };
        blocks.push(format!(
            "The plan's text about the current task{how} ({}){}:",
            place(text),
            tags_remark(&kept)
        ));
        blocks.push(fence(&kept));
        if left_out > 0 {
            of_this.push(count_phrase(left_out, "line of this text", "lines of this text"));
        }
    }
    let all = commands(plan, !of_this.is_empty(), !of_all.is_empty());
    let missing = [of_all, of_this].concat();
    blocks.push(if missing.is_empty() {
        format!("To read the rest of the plan, run {all}")
    } else {
        format!("Left out: {}. Full text: {all}", missing.join(", "))
    });
    blocks
}

/// The commands that show the missing text about the current task and about all tasks.
fn commands(plan: &WakePlan, of_this: bool, of_all: bool) -> String {
    let task = plan.task_command.as_ref().filter(|_| of_this);
    let all = Some(&plan.command).filter(|_| of_all || task.is_none());
    let commands: Vec<String> = task.into_iter().chain(all).map(|command| code(command)).collect();
    commands.join(" and ")
}

fn title(plan: &WakePlan) -> String {
    let name = &plan.name;
    format!(
        "**File:** {} ({}, {})",
        code(&name.file),
        inline(&name.title),
        inline(name.id.as_str())
    )
}

fn place(text: &PlanText) -> String {
    format!("{}, line {}", code(&text.file), text.line)
}

/// A heading with as many lines as fit into `most` characters, but at least one, and the number of missing lines.
fn list(heading: &str, lines: &[String], most: usize) -> (String, u64) {
    if lines.is_empty() {
        return (String::new(), 0);
    }
    let mut left = most;
    let mut shown = Vec::new();
    for line in lines {
        let line = clipped(line, most);
        let length = line.chars().count();
        if length > left && !shown.is_empty() {
            break;
        }
        left = left.saturating_sub(length);
        shown.push(line);
    }
    let hidden = number(lines.len() - shown.len());
    (format!("{heading}\n{}", items(shown)), hidden)
}

/// The text cut to `most` characters, and the number of lines left out. Headings, items and labelled lines get room
/// first, with a remark for each code block. The other lines get the remaining room, in order.
fn outline(text: &str, most: usize) -> (String, u64) {
    // Bytes are an upper bound for characters.
    if text.len() <= most {
        return (text.to_owned(), 0);
    }
    let stretches = stretches(text);
    let mut room = most;
    let mut takes = |cost: usize| {
        let fits = cost <= room;
        room -= if fits { cost } else { 0 };
        fits
    };
    let mut outlined = stretches.iter();
    let end = outlined.position(|stretch| !takes(stretch.outlined()));
    let mut kept: Vec<String> = Vec::new();
    let mut left_out = 0;
    for (at, stretch) in stretches.iter().enumerate() {
        let is_outlined = end.is_none_or(|end| at < end);
        let more = stretch.whole() - stretch.outlined().min(stretch.whole());
        if stretch.is_blank() && kept.last().is_none_or(String::is_empty) {
            continue;
        }
        if is_outlined && (more == 0 || (end.is_none() && takes(more))) {
            kept.extend(stretch.lines.iter().map(|line| (*line).to_owned()));
        } else {
            kept.extend(stretch.remark().filter(|_| is_outlined));
            left_out += stretch.line_count();
        }
    }
    let kept = kept.join("\n").trim_end().to_owned();
    if kept.is_empty()
        && let Some((begins, _)) = beginning(text, most)
    {
        let left_out = number(text[begins.len()..].lines().count());
        return (begins.to_owned(), left_out);
    }
    (kept, left_out)
}

/// A line of a task's text, or a code block in it.
struct Stretch<'a> {
    lines: Vec<&'a str>,
    sort: Sort<'a>,
}

enum Sort<'a> {
    /// A heading, an item or a labelled line: part of the outline.
    Outline,
    /// Any other line.
    Prose,
    /// A code block, and the indentation of its fences.
    Code { indent: &'a str, is_closed: bool },
}

/// Approximate length of the remark for a code block, in characters.
const REMARK: usize = 30;

impl Stretch<'_> {
    /// Length in characters.
    fn whole(&self) -> usize {
        self.lines.iter().map(|line| line.chars().count() + 1).sum()
    }

    /// The number of characters that belong to the outline.
    fn outlined(&self) -> usize {
        match self.sort {
            Sort::Outline => self.whole(),
            Sort::Prose => 0,
            Sort::Code { .. } => REMARK.min(self.whole()),
        }
    }

    /// The number of lines, without blank lines and fences.
    fn line_count(&self) -> u64 {
        let fences = match self.sort {
            Sort::Outline | Sort::Prose => 0,
            Sort::Code { is_closed, .. } => 1 + usize::from(is_closed),
        };
        number(if self.is_blank() {
            0
        } else {
            self.lines.len() - fences
        })
    }

    fn is_blank(&self) -> bool {
        matches!(self.sort, Sort::Prose) && self.lines.iter().all(|line| line.is_empty())
    }

    /// The remark that replaces an omitted code block.
    fn remark(&self) -> Option<String> {
        match self.sort {
            Sort::Outline | Sort::Prose => None,
            Sort::Code { indent, .. } => {
                let lines = count_phrase(self.line_count(), "line of code", "lines of code");
                Some(format!("{indent}[{lines} left out]"))
            }
        }
    }
}

fn stretches(text: &str) -> Vec<Stretch<'_>> {
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    let mut code: Option<Code<'_>> = None;
    for line in text.lines().map(str::trim_end) {
        if let (Some(open), Some(stretch)) = (&code, stretches.last_mut()) {
            stretch.lines.push(line);
            if open.is_closed_by(line) {
                let indent = open.indent;
                stretch.sort = Sort::Code {
                    indent,
                    is_closed: true,
                };
                code = None;
            }
            continue;
        }
        code = Code::opened_by(line);
        stretches.push(Stretch {
            lines: vec![line],
            sort: match &code {
                Some(Code { indent, .. }) => Sort::Code {
                    indent,
                    is_closed: false,
                },
                None if is_kept(line) => Sort::Outline,
                None => Sort::Prose,
            },
        });
    }
    stretches
}

/// Whether a line belongs to the outline: a heading, an item, or a label such as `**Files:**`.
fn is_kept(line: &str) -> bool {
    let body = line.trim_start();
    let heading = body.starts_with('#');
    let bullet = ["- ", "* ", "+ "].iter().any(|mark| body.starts_with(mark));
    let digits = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let counted = digits.len() < body.len() && (digits.starts_with(". ") || digits.starts_with(") "));
    heading || bullet || counted || is_labelled(body)
}

fn is_labelled(body: &str) -> bool {
    let Some((label, behind)) = body.strip_prefix("**").and_then(|rest| rest.split_once("**")) else {
        return false;
    };
    label.contains([':', '\u{ff1a}']) || behind.starts_with([':', '\u{ff1a}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_keeps_files_and_steps() {
        let text = "### Task 2: Login\n\nSome prose.\n\n**Files:**\n- Create: `a.rs`\n\n- [ ] **Step 1: test**\n\n  ````rust\n  \
                    fn a() {}\n  ```\n  ````\n\nMore\nprose.\n1. one\n```sh\nopen";
        let (kept, left_out) = outline(text, 117);
        assert_eq!(
            kept,
            "### Task 2: Login\n**Files:**\n- Create: `a.rs`\n- [ ] **Step 1: test**\n  [2 lines of code left out]\n1. one\n\
             ```sh\nopen"
        );
        assert_eq!(left_out, 2 + 3);
        assert_eq!(outline(text, 1_000), (text.to_owned(), 0));
    }

    #[test]
    fn the_remaining_room_goes_to_other_lines_in_order() {
        let prose = "Words that explain.\n".repeat(10);
        let text = format!("Before.\n\n- one\n\n{prose}\n- two\n\n```\ncode\n```");
        let (kept, left_out) = outline(&text, 90);
        assert_eq!(
            kept,
            "Before.\n\n- one\n\nWords that explain.\nWords that explain.\n\n- two\n\n```\ncode\n```"
        );
        assert_eq!(left_out, 8);
    }

    #[test]
    fn text_without_an_outline_shows_its_beginning() {
        let text = "word ".repeat(100);
        assert_eq!(outline(&text, 20), ("word word word word".to_owned(), 1));
    }

    #[test]
    fn labels_differ_from_emphasis() {
        assert!(is_kept("**Files:**"));
        assert!(is_kept("**Step 1: write it**"));
        assert!(is_kept("**Run**: `cargo test`"));
        assert!(!is_kept("**Never** do this"));
        assert!(!is_kept("2024 was a year"));
    }
}
