//! The plan that is worked on: what holds for all its tasks, and what it says about the current one.

use bugle_core::digest::Detail;
use bugle_core::wake::{Offer, Part};
use bugle_wire::{PlanText, WakeFacts, WakePlan};

use super::quote::{code, count, fence, inline, items, notices, tags_remark};
use super::sizes;

pub(super) fn offer(facts: &WakeFacts) -> Offer {
    let Some(plan) = &facts.plan else {
        return sizes::nothing(Part::Plan);
    };
    // What is said with the tasks already need not be said again.
    let position = facts.position.as_ref().filter(|_| super::tasks::are_told(facts));
    let said = |notice: &&String| position.is_some_and(|at| at.notices.contains(notice));
    let unsaid: Vec<String> = plan
        .notices
        .iter()
        .filter(|notice| !said(notice))
        .cloned()
        .collect();
    let head = || vec!["## Active plan".to_owned(), title(plan), notices(&unsaid)];
    let rest = format!("The rest of the plan: {}", code(&plan.command));

    let mut full = head();
    if let Some(goal) = &plan.goal {
        full.push(format!("**Goal:** {}", inline(goal)));
    }
    full.push(list("For all its tasks:", &plan.constraints));
    full.push(list(
        "What the current task takes from others, and gives to them:",
        &plan.interfaces,
    ));
    if let Some(text) = &plan.text {
        full.push(format!(
            "What it says about the current task ({}){}:",
            place(text),
            tags_remark(&text.text)
        ));
        full.push(fence(&text.text));
    }
    full.push(rest);

    let mut digest = head();
    digest.push(list("For all its tasks:", &plan.constraints));
    let mut missing = Vec::new();
    if plan.goal.is_some() {
        missing.push("the goal".to_owned());
    }
    if !plan.interfaces.is_empty() {
        missing.push("the interfaces of the current task".to_owned());
    }
    if let Some(text) = &plan.text {
        let (kept, left_out) = outline(&text.text);
        digest.push(format!(
            "What it says about the current task, in outline ({}){}:",
            place(text),
            tags_remark(&kept)
        ));
        digest.push(fence(&kept));
        if left_out > 0 {
            missing.push(count(left_out, "line of this text", "lines of this text"));
        }
    }
    if missing.is_empty() {
        digest.push(format!("The rest of the plan: {}", code(&plan.command)));
    } else {
        digest.push(format!(
            "Left out: {}. All of it: {}",
            missing.join(", "),
            code(&plan.command)
        ));
    }

    let mut pointer = head();
    pointer.push(format!("What it says is left out here: {}", code(&plan.command)));
    sizes::offer(
        Part::Plan,
        vec![
            (Detail::Full, full),
            (Detail::Digest, digest),
            (Detail::Pointer, pointer),
        ],
    )
}

fn title(plan: &WakePlan) -> String {
    let name = &plan.name;
    format!(
        "**File:** {} ({}, {})",
        code(&name.file),
        inline(&name.title),
        inline(&name.id)
    )
}

fn place(text: &PlanText) -> String {
    format!("{}, line {}", code(&text.file), text.line)
}

fn list(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("{heading}\n{}", items(lines.iter().map(|line| inline(line))))
}

/// The headings, items and labelled lines of a text; of code, how long it is. And how many lines are left out.
fn outline(text: &str) -> (String, u64) {
    let mut kept: Vec<String> = Vec::new();
    let mut left_out = 0;
    let mut code: Option<Code<'_>> = None;
    for line in text.lines() {
        if let Some(open) = &mut code {
            if open.is_closed_by(line) {
                kept.push(open.remark());
                left_out += open.lines;
                code = None;
            } else {
                open.lines += 1;
            }
        } else if let Some(open) = Code::opened_by(line) {
            code = Some(open);
        } else if is_kept(line) {
            kept.push(line.trim_end().to_owned());
        } else if !line.trim().is_empty() {
            left_out += 1;
        }
    }
    if let Some(open) = code {
        kept.push(open.remark());
        left_out += open.lines;
    }
    (kept.join("\n"), left_out)
}

/// A block of code that is being passed over.
struct Code<'a> {
    indent: &'a str,
    mark: char,
    length: usize,
    lines: u64,
}

impl<'a> Code<'a> {
    fn opened_by(line: &'a str) -> Option<Self> {
        let body = line.trim_start();
        let mark = body.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = run(body, mark);
        // Behind backticks that open a block there are no others: it would be code within a line.
        let opens = length >= 3 && (mark == '~' || !body[length..].contains('`'));
        opens.then(|| Self {
            indent: &line[..line.len() - body.len()],
            mark,
            length,
            lines: 0,
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let body = line.trim();
        run(body, self.mark) == body.chars().count() && body.len() >= self.length
    }

    fn remark(&self) -> String {
        let lines = count(self.lines, "line of code", "lines of code");
        format!("{}[{lines} left out]", self.indent)
    }
}

/// How many of a mark stand at the beginning.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|letter| *letter == mark).count()
}

/// Whether a line says what is to be done or where: a heading, an item, or a label such as `**Files:**`.
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
    fn of_a_task_its_files_and_steps_are_kept() {
        let text = "### Task 2: Login\n\nSome prose.\n\n**Files:**\n- Create: `a.rs`\n\n- [ ] **Step 1: test**\n\n  ````rust\n  \
                    fn a() {}\n  ```\n  ````\n\nMore\nprose.\n1. one\n```sh\nopen";
        let (kept, left_out) = outline(text);
        assert_eq!(
            kept,
            "### Task 2: Login\n**Files:**\n- Create: `a.rs`\n- [ ] **Step 1: test**\n  [2 lines of code left out]\n1. one\n\
             [1 line of code left out]"
        );
        assert_eq!(left_out, 2 + 3 + 1);
    }

    #[test]
    fn labels_are_told_from_emphasis() {
        assert!(is_kept("**Files:**"));
        assert!(is_kept("**Step 1: write it**"));
        assert!(is_kept("**Run**: `cargo test`"));
        assert!(!is_kept("**Never** do this"));
        assert!(!is_kept("2024 was a year"));
    }
}
