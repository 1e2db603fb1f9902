//! How a wake-up uses its budget: the most important parts first, as much as fits.

use std::fmt::Write as _;

use bugle_testkit::fences::check;
use serde_json::Value;

use crate::support::sandbox::{SESSION, Sandbox};
use crate::support::tasks::{Authentication, add_one, id_of, task};

/// A wake-up after a compaction, within Claude Code's hook limit: its text and its `--explain` view.
fn woken(sandbox: &Sandbox) -> (String, Value) {
    let words = ["wake", "--reason", "compact", "--client", "claude"];
    let text = sandbox.run_in_session(SESSION, "june", &words).ok().out;
    check(&text).unwrap();
    let explained: Vec<&str> = words.into_iter().chain(["--explain", "--json"]).collect();
    let view = sandbox.run_in_session(SESSION, "june", &explained).ok().json();
    let data = view["data"].clone();
    assert!(data["size"].as_u64().unwrap() <= 9_000, "{data}");
    (text, data)
}

/// The size of a part.
fn size(view: &Value, part: &str) -> u64 {
    let parts = view["parts"].as_array().unwrap();
    let found = parts.iter().find(|picked| picked["part"] == part);
    found.unwrap_or_else(|| panic!("no {part} in {view}"))["size"]
        .as_u64()
        .unwrap()
}

/// A decision with this many reasons.
fn decision(reasons: usize) -> String {
    let mut text = "We move all jobs from Redis lists to a Postgres table.\n".to_owned();
    for reason in 1..=reasons {
        let _ = write!(
            text,
            "\nReason {reason}: the queue number {reason} lost work in the spring, and nobody saw it for a week."
        );
    }
    text
}

#[test]
fn a_step_with_a_long_value_keeps_its_instructions_its_tools_and_the_shape_of_its_result() {
    for reasons in [78, 900] {
        let sandbox = Sandbox::new();
        let decision = format!("decision={}", decision(reasons));
        let words = ["start", "decision-critic", &decision];
        sandbox.run_in_session(SESSION, "june", &words).ok();
        let (text, view) = woken(&sandbox);
        for fact in [
            // The step's instructions, from the first line to the last.
            "Break the decision into statements that can be checked one by one",
            "Split sentences joined by",
            "Return `choice`",
            // Forbidden actions, tools, result and command.
            "Judging or checking a statement while listing",
            "NotebookEdit",
            "\"choice\": text",
            "\"kind\": \"claim\" | \"assumption\"",
            "bugle done ",
            // As much of the decision as fits, and how to see the rest.
            "Reason 12: the queue number 12 lost work",
            "bugle step r-",
            "characters of quoted text",
        ] {
            assert!(text.contains(fact), "{fact} is not in:\n{text}");
        }
        assert!(!text.contains(&format!("Reason {reasons}:")), "{text}");
        assert!(view["size"].as_u64().unwrap() > 6_000, "{view}\n{text}");
    }
}

/// A plan with many tasks and constraints; its fourth task has a long text.
fn plan() -> String {
    let mut text = "# Warehouse Implementation Plan\n\n**Goal:** Every parcel is found again.\n\n## Global \
        Constraints\n\n"
        .to_owned();
    for at in 1..=40 {
        let _ = writeln!(
            text,
            "- Rule {at}: whatever touches shelf {at} writes it down before it moves anything from there."
        );
    }
    for number in 1..=200 {
        let _ = write!(
            text,
            "\n### Task {number}: Build shelf {number} of the warehouse\n\n"
        );
        if number == 4 {
            text.push_str("**Files:**\n- Create: `src/shelf.rs`\n\n");
            for step in 1..=12 {
                let _ = write!(
                    text,
                    "- [ ] **Step {step}: Measure row {step}**\n\n{}\n\n```rust\nlet row = measure({step});\nassert!(row > \
                     {step});\n```\n\n",
                    format!("Row {step} is measured from the left, and twice. ")
                        .repeat(8)
                        .trim_end()
                );
            }
        } else {
            let _ = writeln!(text, "Build it like the others, number {number}.");
        }
    }
    text
}

#[test]
fn a_long_plan_is_cut_to_fit_the_budget_and_no_further() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("docs/warehouse.md"), plan());
    let run = |words: &[&str]| sandbox.run_in_session(SESSION, "june", words).ok();
    run(&["plan", "import", "docs/warehouse.md"]);
    for number in 1..=3 {
        let label = format!("Task {number}: Build shelf {number} of the warehouse");
        run(&["task", "done", &id_of(&sandbox, &label)]);
    }
    let current = id_of(&sandbox, "Task 4: Build shelf 4 of the warehouse");
    run(&["task", "start", &current]);
    for at in 1..=8 {
        let note = format!("Note {at}: {}", "the ladder is too short for it. ".repeat(6));
        run(&["task", "note", &current, &note]);
    }
    let (text, view) = woken(&sandbox);
    for fact in [
        "Rule 1: whatever touches shelf 1 writes it down",
        "- Create: `src/shelf.rs`",
        "Step 1: Measure row 1",
        "Step 12: Measure row 12",
        "Note 8: the ladder is too short",
        "bugle plan show p-",
    ] {
        assert!(text.contains(fact), "{fact} is not in:\n{text}");
    }
    assert!(size(&view, "plan") > size(&view, "activity"), "{view}");
    assert!(view["size"].as_u64().unwrap() > 8_000, "{view}\n{text}");
}

/// A skill with three sections, none of which shares a word with the task.
const TINY: &str = "---\nname: tiny\ndescription: Use when something is rolled out.\n---\n\n# Tiny\n\nOur own way of doing \
    it.\n\n## Rolling\n\n1. Take one machine out.\n2. Look at it for an hour.\n3. Then take the others, two at a time.\n\n\
    ## Days\n\nNever roll on a Friday.\n";

#[test]
fn a_skill_that_fits_is_included_in_full() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join(".bugle/skills/tiny/SKILL.md"), TINY);
    add_one(&sandbox, &["Set the new cluster going", "--skill", "tiny"]);
    let (text, _) = woken(&sandbox);
    for fact in [
        "Our own way of doing it.",
        "2. Look at it for an hour.",
        "Never roll on a Friday.",
        "Full text:",
    ] {
        assert!(text.contains(fact), "{fact} is not in:\n{text}");
    }
    assert!(
        !text.contains("left out") && !text.contains("not shown"),
        "{text}"
    );
}

#[test]
fn notes_on_an_earlier_task_reach_the_next_tasks_wake_up() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let first = id_of(&sandbox, "Task 1: User model");
    task(&sandbox, &["reopen", &first]);
    let done = task(
        &sandbox,
        &["done", &first, "--note", "User.ID is a uuid, not a number."],
    );
    assert!(done.out.contains("is done."), "{}", done.out);
    let phase = id_of(&sandbox, "Write plan");
    task(&sandbox, &["note", &phase, "The plan leaves out the admin page."]);
    let notes = [
        "The form posts to /session.",
        "The review wants names for the fields.",
    ];
    task(&sandbox, &["note", &tree.task_two, notes[0]]);
    task(&sandbox, &["note", &tree.spec_review, notes[1]]);
    let (text, _) = woken(&sandbox);
    for fact in [
        "\"Spec review\" can start",
        "User.ID is a uuid, not a number.",
        "The plan leaves out the admin page.",
        notes[0],
        notes[1],
    ] {
        assert_eq!(
            text.matches(fact).count(),
            1,
            "{fact} must occur exactly once in:\n{text}"
        );
    }
    // Nearest first: the task's own note, its parent's, then those of previously closed tasks.
    let place = |fact: &str| text.find(fact).unwrap();
    assert!(place(notes[1]) < place(notes[0]), "{text}");
    assert!(place(notes[0]) < place("User.ID"), "{text}");
    assert!(place("User.ID") < place("The plan leaves out"), "{text}");
    let (_, activity) = text.split_once("## Recent activity").unwrap();
    assert!(activity.contains("\"Task 1: User model\": done"), "{activity}");
}
