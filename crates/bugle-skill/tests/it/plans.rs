//! How the plans that people write are parsed.

mod properties;

use std::fs;
use std::path::Path;

use bugle_core::plan::{Node, NoteKind, Plan};
use bugle_render::plan::markdown;
use bugle_skill::{parse_plan, plan_section};

use crate::outline::{contents, outline};

/// The example plans by name.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans");
    let mut examples: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    examples.sort();
    examples
}

#[test]
fn every_form_of_plan_is_read() {
    let examples = examples();
    assert!(examples.len() >= 25);
    for (name, source) in examples {
        insta::assert_snapshot!(name, outline(&source, &parse_plan(&source)));
    }
}

#[test]
fn the_skill_of_a_plan_is_read_in_every_form() {
    for (says, skills) in [
        (
            "REQUIRED SUB-SKILL: Use superpowers:executing-plans to implement it.",
            &["superpowers:executing-plans"][..],
        ),
        ("Use the executing-plans skill for it.", &["executing-plans"]),
        (
            "REQUIRED SUB-SKILL: Use executing-plans to implement it task-by-task.",
            &["executing-plans"],
        ),
        (
            "**SKILL:** use the `digging` to implement it step-by-step.",
            &["digging"],
        ),
        ("Use step-by-step commits.", &[]),
        ("REQUIRED SUB-SKILL: Use whatever fits, task-by-task.", &[]),
    ] {
        let plan = parse_plan(&format!(
            "# Shop\n\n> **For Claude:** {says}\n\n### Task 1: Dig\n\nDeep.\n"
        ));
        assert_eq!(plan.preamble.skills, skills, "{says}");
    }
}

#[test]
fn line_endings_and_a_byte_order_mark_change_nothing() {
    for (name, source) in examples() {
        let expected = parse_plan(&source);
        for variant in [
            source.replace('\n', "\r\n"),
            source.replace('\n', "\r"),
            format!("\u{feff}{source}"),
        ] {
            let plan = parse_plan(&variant);
            assert_eq!(contents(&plan, None), contents(&expected, None), "{name}");
            assert_eq!(plan.notes, expected.notes, "{name}");
            for (task, other) in plan.tasks.iter().zip(&expected.tasks) {
                assert_eq!(task.content, other.content, "{name}");
            }
            check_places(&variant, &plan);
        }
    }
}

#[test]
fn ticks_and_blank_lines_do_not_change_the_content_of_a_task() {
    for (name, source) in examples() {
        let ticked = source.replace("\n- [ ]", "\n- [x]").replace("\n\n", " \n\n\n");
        let before = parse_plan(&source);
        let after = parse_plan(&ticked);
        let texts = |plan: &Plan| {
            plan.tasks
                .iter()
                .map(|task| task.content.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&before), texts(&after), "{name}");
    }
}

#[test]
fn the_text_of_a_task_is_exactly_what_the_file_says() {
    let source = "# Plan\r\n\r\n### Task 1: One\r\n\r\n- [ ] **Step 1: Do**\r\n\r\n---\r\n\r\n### Task 1.1: Part\r\nText  \r\n\r\n## Self-Review\r\n\r\nFine.\r\n";
    let plan = parse_plan(source);
    let text = |number: &str| {
        let index = *plan.tasks_numbered(number).first().unwrap();
        plan_section(source, &plan, Node::Task(index)).unwrap()
    };
    assert_eq!(text("1"), "### Task 1: One\r\n\r\n- [ ] **Step 1: Do**");
    assert_eq!(text("1.1"), "### Task 1.1: Part\r\nText  ");
    assert!(plan.tasks_numbered("2").is_empty());
    assert_eq!(plan_section(source, &plan, Node::Task(7)), None);
}

/// The parent of each task, by number and title.
fn parents(plan: &Plan) -> Vec<(&str, Option<&str>)> {
    let parent = |node: Node| match node {
        Node::Group(index) => plan.groups[index].title.as_str(),
        Node::Task(index) => plan.tasks[index].title.as_str(),
    };
    let tasks = plan.tasks.iter();
    tasks
        .map(|task| (task.number.as_str(), task.parent.map(parent)))
        .collect()
}

#[test]
fn numbered_headings_of_the_same_level_are_siblings() {
    let source = "# P\n\n## 1. Backend\n\n### 1.1 Model\n\n### 1.2 View\n\n## 2. Frontend\n";
    let plan = parse_plan(source);
    let backend = Some("Backend");
    assert_eq!(parents(&plan), [("1.1", backend), ("1.2", backend), ("2", None)]);
    let source = format!("{source}\n### 2.1 Page\n\n## 3. Docs\n");
    let plan = parse_plan(&source);
    assert_eq!(
        parents(&plan),
        [
            ("1.1", backend),
            ("1.2", backend),
            ("2.1", Some("Frontend")),
            ("3", None)
        ]
    );
    check_places(&source, &plan);
}

#[test]
fn a_checkbox_between_listed_tasks_is_reported_and_left_out() {
    let source = "# P\n\n- [ ] **Task 1:** One\n  - [ ] a step\n- [ ] Buy cake\n- [ ] **Task 2:** Two\n";
    let plan = parse_plan(source);
    assert_eq!(parents(&plan), [("1", None), ("2", None)]);
    assert_eq!(plan.tasks[0].steps.len(), 1);
    let first = plan_section(source, &plan, Node::Task(0)).unwrap();
    assert!(!first.contains("cake"), "{first}");
    let left_out = plan.notes.iter().find(|note| note.line == 5).unwrap();
    assert_eq!(left_out.kind, NoteKind::StepsOutside { count: 1 });
    // Checkboxes below a task without a checkbox are its steps.
    let plan = parse_plan("# P\n\n**Task 1: One**\n\n- [ ] a step\n\n**Task 2: Two**\n");
    assert_eq!(
        (plan.tasks[0].steps.len(), plan.notes.len()),
        (1, 0),
        "{:?}",
        plan.notes
    );
}

#[test]
fn the_canonical_form_parses_to_the_same_plan() {
    for (name, source) in examples() {
        let plan = parse_plan(&source);
        let text = markdown(&plan);
        let again = parse_plan(&text);
        assert_eq!(contents(&again, None), contents(&plan, None), "{name}:\n{text}");
        assert_eq!(markdown(&again), text, "{name}");
    }
    let (_, source) = examples()
        .into_iter()
        .find(|(name, _)| name == "waves-that-wait")
        .unwrap();
    insta::assert_snapshot!("canonical", markdown(&parse_plan(&source)));
}

/// Checks that all locations are inside the text, in order and without overlap, and that each begins with its heading.
fn check_places(source: &str, plan: &Plan) {
    let mut end = 0;
    for node in plan.nodes() {
        let range = plan.extent(node).unwrap().range.clone();
        assert!(range.start >= end, "{node:?} overlaps the node before it");
        let text = source.get(range.clone()).unwrap();
        let begins = |sign: char| "#-*+".contains(sign) || sign.is_ascii_digit();
        assert!(text.trim_start().starts_with(begins), "{text}");
        assert_eq!(text.trim_end_matches(['\n', '\r']), text);
        let line = plan.extent(node).unwrap().line;
        assert!(line >= 1);
        if let Some(Node::Group(_) | Node::Task(_)) = plan.parent(node) {
            let parent = plan.parent(node).unwrap();
            assert!(plan.extent(parent).unwrap().range.start < range.start);
        }
        end = range.end;
    }
    let lines = source.lines().count().max(source.matches('\r').count() + 1);
    assert!(
        plan.notes
            .iter()
            .all(|note| (1..=lines.max(1)).contains(&note.line))
    );
    assert!(plan.notes.is_sorted_by_key(|note| note.line));
    assert_eq!(
        plan.tasks.is_empty(),
        plan.notes.iter().any(|note| note.kind == NoteKind::NoTasks)
    );
}
