//! Properties of parsing any text as a plan.

use bugle_core::plan::Node;
use bugle_render::plan::markdown;
use bugle_skill::{parse_plan, plan_section};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use super::check_places;
use crate::outline::contents;

#[test]
fn ten_thousand_tasks_are_read_in_order() {
    const COUNT: usize = 10_000;
    let mut source = String::from("# Much to do\n\n");
    for number in 1..=COUNT {
        if number % 100 == 1 {
            source.push_str(&format!("## Phase {}: Hundred\n\n", number / 100 + 1));
        }
        source.push_str(&format!(
            "### Task {number}: Number {number}\n\n**Files:**\n- Create: `src/{number}.rs`\n\n**Depends on:** Tasks {}-{number}\n\n- [ ] **Step 1: Write it**\n\n```rust\n### Task 1: not this\n```\n\n- [ ] **Step 2: Commit**\n\n---\n\n",
            number.saturating_sub(1).max(1),
        ));
    }
    let plan = parse_plan(&source);
    assert_eq!((plan.tasks.len(), plan.groups.len()), (COUNT, 100));
    for (index, task) in plan.tasks.iter().enumerate() {
        assert_eq!(task.title, format!("Number {}", index + 1));
        assert_eq!((task.steps.len(), task.files.len()), (2, 1));
        assert_eq!(task.parent, Some(Node::Group(index / 100)));
        let before = index.checked_sub(1).map(Node::Task);
        assert_eq!(
            task.dependencies.iter().map(|found| found.target).next(),
            before.map(Some)
        );
    }
    check_places(&source, &plan);
    let again = parse_plan(&markdown(&plan));
    assert_eq!(contents(&again, None), contents(&plan, None));
}

/// If parsing a repeated line took quadratic time, this test would not end.
#[test]
fn many_repetitions_of_a_line_are_parsed() {
    const LENGTH: usize = 20_000;
    for piece in PIECES {
        let lines = format!(
            "# P\n\n### Task 1: T\n\n{}",
            format!("{piece}\n").repeat(LENGTH / (piece.len() + 1))
        );
        check_places(&lines, &parse_plan(&lines));
        let line = format!(
            "### Task 1: {}\n\n{}\n",
            piece.trim().repeat(LENGTH / piece.len().max(1)),
            piece.repeat(LENGTH / piece.len().max(1))
        );
        check_places(&line, &parse_plan(&line));
    }
}

/// Building blocks of plans, and common ways to break them.
const PIECES: [&str; 96] = [
    "# Plan",
    "## Tasks",
    "### Task 1: One",
    "### Task 2: Two",
    "## Task 3: Three",
    "#### Task 1a: Part",
    "### Task 2.1: Part",
    "# Task 4 - Four",
    "### Task 5",
    "### Task 1",
    "### Task 2 remark",
    "### Task A: x",
    "Task 6: Six",
    "**Task 7: Seven**",
    "- [ ] Task 8: Eight",
    "###Task 9: Nine",
    "### ✅ Task 3: Done",
    "### [x] Task 4: Box",
    "### Task 1-3: Span",
    "## Phase 1: First",
    "## Phase 2",
    "### Batch 1 — B",
    "# Milestone 1: M",
    "## Completed Work",
    "## Backend",
    "## Frontend",
    "## Self-Review",
    "### Execution Handoff",
    "## Verification",
    "## Global Constraints",
    "## Goal",
    "#### Notes",
    "#### Files",
    "#### Steps",
    "##### Deep",
    "###### Task 1.1.1: Deepest",
    "#",
    "##",
    "### ###",
    "```",
    "```bash",
    "```markdown",
    "````",
    "~~~",
    "~~~text",
    "  ```",
    "    ```",
    "- ```",
    "``` a ` b",
    "<!--",
    "-->",
    "<!-- x -->",
    "---",
    "***",
    "===",
    "> **For Claude:** Use june:executing-plans",
    "> quote",
    "",
    " ",
    "text",
    "    indented",
    "\tindented",
    "- item",
    "  - nested",
    "1. one",
    "2) two",
    "- [ ] box",
    "  - [x] box",
    "- [ ] **Step 1: Do**",
    "**Step 2: Do**",
    "- [x] **Step 3:** Do",
    "### Step 4: Do",
    "Step 5: Do",
    "**Step 6",
    "**Steps:**",
    "**Files:**",
    "- Create: `a.rs`, `b.rs:1-2`",
    "- Rename: `a` → `b`",
    "- Modify: c.rs",
    "- Create:",
    "  - `d.rs` (x)",
    "- `",
    "**Interfaces:**",
    "- Consumes: x",
    "- **Produces:** y",
    "**Depends on:** Task 1, Task 2",
    "Depends on: Tasks 1-3",
    "This task depends on Task 2. Task 3 depends on Phase 1.",
    "**Acceptance criteria:**",
    "**Goal:** g",
    "**Architecture:** a",
    "**Tech Stack:** t",
    "**Global Constraints:**",
    "**",
    "use the `x-y` skill",
    "### Task 1：全",
];

/// Plan lines in any order, with a few random lines and random separators.
fn soup() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => select(&PIECES[..]).prop_map(str::to_owned),
        2 => (select(&PIECES[..]), select(&PIECES[..])).prop_map(|(one, other)| format!("{one} {other}")),
        1 => (select(&PIECES[..]), "[ *_~#`:.()\\[\\]<>!x✅-]{1,6}").prop_map(|(one, end)| format!("{one}{end}")),
        1 => ("[ #>*`-]{0,4}", select(&PIECES[..])).prop_map(|(start, one)| format!("{start}{one}")),
        1 => any::<String>(),
    ];
    let end = select(&["\n", "\n", "\n\n", "\r\n"][..]);
    proptest::collection::vec((line, end), 0..40)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

/// How one author writes plans.
#[derive(Debug, Clone)]
struct Style {
    level: usize,
    first: usize,
    mark: &'static str,
    separator: &'static str,
    step: fn(usize, &str) -> String,
    fence: &'static str,
    end: &'static str,
}

fn style() -> impl Strategy<Value = Style> {
    let steps: [fn(usize, &str) -> String; 5] = [
        |number, title| format!("- [ ] **Step {number}: {title}**"),
        |number, title| format!("- [x] **Step {number}:** {title}"),
        |number, title| format!("**Step {number}: {title}**"),
        |number, title| format!("Step {number} - {title}"),
        |number, title| format!("###### Step {number}: {title}"),
    ];
    (
        1..=5_usize,
        0..=1_usize,
        select(&["", "✅ ", "[ ] ", "🚧 "][..]),
        select(&[": ", "：", " — ", " – ", " - ", ". "][..]),
        select(steps.to_vec()),
        select(&["```", "~~~", "`````"][..]),
        select(&["", "## Self-Review\n\n- [ ] Reviewed\n", "# Appendix\n\nText\n"][..]),
    )
        .prop_map(|(level, first, mark, separator, step, fence, end)| Style {
            level,
            first,
            mark,
            separator,
            step,
            fence,
            end,
        })
}

proptest! {
    #![proptest_config(Config { cases: 256, failure_persistence: None, ..Config::default() })]

    #[test]
    fn tasks_and_steps_of_every_style_are_read(
        style in style(),
        tasks in proptest::collection::vec(("[A-Z][a-z]{1,8} [a-z`.,()]{1,9}[a-z]", proptest::collection::vec("[A-Z][a-z]{1,6}", 0..4)), 1..12),
    ) {
        let mut source = String::from("# A plan\n\nText.\n\n");
        for (index, (title, steps)) in tasks.iter().enumerate() {
            let number = index + style.first;
            let hashes = "#".repeat(style.level);
            source.push_str(&format!("{hashes} {}Task {number}{}{title}\n\n", style.mark, style.separator));
            source.push_str(&format!("{0}\n{hashes} Task 1: in code\n{0}\n\n", style.fence));
            for (step, title) in steps.iter().enumerate() {
                source.push_str(&format!("{}\n\n", (style.step)(step + 1, title)));
            }
            source.push_str("---\n\n");
        }
        // A heading that is deeper than the tasks would be part of the last task.
        let ends = style.end.starts_with("# ") || style.level > 1;
        source.push_str(if ends { style.end } else { "" });
        let plan = parse_plan(&source);
        prop_assert_eq!(plan.tasks.len(), tasks.len());
        for (index, (task, (title, steps))) in plan.tasks.iter().zip(&tasks).enumerate() {
            prop_assert_eq!(task.number.as_str(), (index + style.first).to_string());
            prop_assert_eq!(&task.title, title);
            prop_assert_eq!(task.mark.is_some(), !style.mark.is_empty());
            let read: Vec<&String> = task.steps.iter().map(|step| &step.title).collect();
            prop_assert_eq!(read, steps.iter().collect::<Vec<_>>());
            let text = plan_section(&source, &plan, Node::Task(index)).unwrap();
            prop_assert!(text.contains(style.fence) && !text.contains("Appendix") && !text.contains("Review"));
        }
        prop_assert!(plan.notes.is_empty(), "{:?}", plan.notes);
    }
}

proptest! {
    #![proptest_config(Config { cases: 1024, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_lines_give_a_plan_with_valid_locations(source in soup()) {
        check_places(&source, &parse_plan(&source));
    }

    #[test]
    fn any_bytes_give_a_plan_with_valid_locations(bytes in proptest::collection::vec(any::<u8>(), 0..400), text in any::<String>()) {
        for source in [String::from_utf8_lossy(&bytes).into_owned(), text] {
            check_places(&source, &parse_plan(&source));
        }
    }

    #[test]
    fn the_canonical_form_is_stable(source in soup()) {
        check_canonical_form(&source);
    }
}

#[test]
fn the_canonical_form_keeps_the_order_of_dependencies() {
    check_canonical_form(
        "Task 3 depends on Phase 1.\n## Task 3: Three depends on Task 2.\n\nThis task depends on Task 1.\n",
    );
}

fn check_canonical_form(source: &str) {
    let plan = parse_plan(source);
    let text = markdown(&plan);
    let again = parse_plan(&text);
    assert_eq!(contents(&again, None), contents(&plan, None), "\n{text}");
    assert_eq!(markdown(&again), text);
    assert_eq!(parse_plan(&markdown(&again)), again);
}
