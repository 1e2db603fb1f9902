//! A wake-up is a fraction of the size of skill, plan and tasks, and contains every fact that the next action needs.

use std::fmt::Write as _;

use bugle_testkit::fences::check;

use crate::support::sandbox::{SESSION, Sandbox};
use crate::support::tasks::id_of;

/// The number of tasks in the plan, and the number of the current task.
const TASKS: usize = 32;
const CURRENT: usize = 17;
/// The maximum size of a wake-up, in percent of the whole.
const MOST_PERCENT: usize = 30;

/// Distinct sentences about a subject.
fn prose(subject: &str, sentences: usize) -> String {
    let verbs = [
        "reads",
        "checks",
        "writes down",
        "compares",
        "hands over",
        "keeps",
    ];
    let objects = [
        "the inputs",
        "each limit",
        "what was agreed",
        "the open points",
        "its neighbours",
    ];
    let reasons = [
        "nobody guesses",
        "a reader can follow",
        "the next one can begin",
        "mistakes show early",
    ];
    (0..sentences)
        .map(|at| {
            format!(
                "In point {} of {subject}, the person doing it {} {} so that {}.",
                at + 1,
                verbs[at % verbs.len()],
                objects[at % objects.len()],
                reasons[at % reasons.len()]
            )
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A skill of about 29 KB: one section for the current work, many for other work.
fn skill() -> String {
    let mut text = "---\nname: test-driven-development\ndescription: Use when a plan is carried out task by task.\n---\n\n# Test-driven \
        development\n\nOne task at a time, each from a failing test to a commit.\n"
        .to_owned();
    let subjects = [
        "Choosing a model",
        "Branches",
        "Reports",
        "Diagrams",
        "Estimates",
        "Releases",
        "Documentation",
        "Incidents",
        "Dependencies",
        "Benchmarks",
        "Translations",
        "Licences",
        "Accessibility",
        "Logging",
        "Meetings",
        "Archives",
    ];
    for (at, subject) in subjects.into_iter().enumerate() {
        if at == 5 {
            text.push_str(
                "\n## Database migrations\n\nEvery migration goes forward only, and is tried on a copy first.\n\n1. Write the \
                 migration.\n2. Run it on a copy of the data.\n3. Keep the backup until the release is out.\n\nNever edit a \
                 migration that was released.\n",
            );
        }
        let _ = write!(text, "\n## {subject}\n\n{}\n", prose(subject, 18));
    }
    text
}

/// A typical plan task: files, interfaces, and steps with code.
fn task(number: usize) -> String {
    let before = number.saturating_sub(1);
    let title = if number == CURRENT {
        "Add the migration for session tokens".to_owned()
    } else {
        format!("Build part {number} of the shop")
    };
    format!(
        "### Task {number}: {title}\n\n**Files:**\n- Create: `src/part_{number}.rs`\n- Test: `tests/part_{number}.rs`\n\n\
         **Interfaces:**\n- Consumes: `part_{before}::open(path: &Path) -> Result<Part{before}>` from Task {before}\n\
         - Produces: `part_{number}::open(path: &Path) -> Result<Part{number}>`\n\n{}\n\n\
         - [ ] **Step 1: Write the failing test**\n\n```rust\n#[test]\nfn part_{number}_opens() {{\n    \
         let part = part_{number}::open(Path::new(\"data/{number}\")).unwrap();\n    assert_eq!(part.number, {number});\n}}\n\
         ```\n\n- [ ] **Step 2: Make it pass**\n\nA file that is missing is an error with its path in it, number {number}.\n\n\
         - [ ] **Step 3: Commit**\n\n```sh\ngit commit -m \"Part {number} opens\"\n```\n\n",
        prose(&format!("part {number}"), 10)
    )
}

fn plan() -> String {
    let mut text = "# Shop Implementation Plan\n\n> **For Claude:** REQUIRED SUB-SKILL: Use test-driven-development to implement this \
        plan task-by-task.\n\n**Goal:** The shop keeps every order through a crash.\n\n**Architecture:** One part after the \
        other, each behind a function of its own.\n\n## Global Constraints\n\n- Rust 1.85, no new dependency.\n- Every error \
        names its file.\n\n"
        .to_owned();
    for number in 1..=TASKS {
        text.push_str(&task(number));
    }
    text
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A project in the middle of its plan, with earlier tasks done, the current task started and a message posted. Also
/// returns the current task.
fn under_way(skill: &str, plan: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let project = sandbox.project();
    sandbox.write(
        &project.join(".bugle/skills/test-driven-development/SKILL.md"),
        skill,
    );
    sandbox.write(&project.join("docs/plans/shop.md"), plan);
    let run = |words: &[&str]| sandbox.run_in_session(SESSION, "june", words).ok();
    run(&["plan", "import", "docs/plans/shop.md"]);
    for number in 1..CURRENT {
        let id = id_of(
            &sandbox,
            &format!("Task {number}: Build part {number} of the shop"),
        );
        if number == CURRENT - 1 {
            run(&[
                "task",
                "note",
                &id,
                "The lock file has to be opened before the data file.",
            ]);
        }
        run(&["task", "done", &id]);
    }
    let current = id_of(
        &sandbox,
        &format!("Task {CURRENT}: Add the migration for session tokens"),
    );
    run(&["task", "start", &current]);
    sandbox
        .run(&[
            "say",
            "@june the staging database is free until noon",
            "--as",
            "ops",
        ])
        .ok();
    (sandbox, current)
}

#[test]
fn a_wake_up_is_a_fraction_of_the_whole_and_has_what_the_next_action_needs() {
    let (skill, plan) = (skill(), plan());
    assert!((28_000..=30_000).contains(&skill.len()), "{}", skill.len());
    assert!((30_000..=100_000).contains(&plan.len()), "{}", plan.len());
    let (sandbox, current) = under_way(&skill, &plan);
    let run = |words: &[&str]| sandbox.run_in_session(SESSION, "june", words).ok();
    let tasks = run(&["task", "list", "--all", "--limit", "1000"]).out;
    let whole = units(&skill) + units(&plan) + units(&tasks);
    let text = run(&["wake", "--reason", "compact", "--client", "claude"]).out;
    check(&text).unwrap();
    let percent = units(&text) * 100 / whole;
    println!(
        "wake-up: {} units, {percent} % of {whole} (skill {}, plan {}, tasks {})",
        units(&text),
        units(&skill),
        units(&plan),
        units(&tasks)
    );
    assert!(units(&text) * 100 <= whole * MOST_PERCENT, "{percent} %\n{text}");

    let done = format!("    bugle task done {current}\n");
    for (what, fact) in [
        ("who it is", "You are @june in project `project`"),
        ("why it wakes up", "The session was compacted"),
        ("the task", "Task 17: Add the migration for session tokens"),
        ("its id", current.as_str()),
        ("its state", "is in progress"),
        ("the previous task", "Task 16: Build part 16 of the shop"),
        ("the next task", "Task 18: Build part 18 of the shop"),
        ("the plan's file", "docs/plans/shop.md"),
        ("the plan's goal", "The shop keeps every order through a crash."),
        ("a constraint", "Rust 1.85, no new dependency."),
        ("another constraint", "Every error names its file."),
        ("the file to create", "- Create: `src/part_17.rs`"),
        ("the test file", "- Test: `tests/part_17.rs`"),
        ("its input", "part_16::open(path: &Path) -> Result<Part16>"),
        ("its output", "part_17::open(path: &Path) -> Result<Part17>"),
        ("its first step", "Step 1: Write the failing test"),
        ("its code", "assert_eq!(part.number, 17);"),
        (
            "its second step",
            "A file that is missing is an error with its path in it, number 17.",
        ),
        ("its last step", "git commit -m \"Part 17 opens\""),
        ("the skill", "test-driven-development"),
        ("the section it needs", "## Database migrations"),
        ("the rule in it", "Never edit a migration that was released."),
        (
            "the command for the rest of the skill",
            &format!("bugle task skill {current} --text"),
        ),
        ("the command for the rest of the plan", "bugle plan show p-"),
        (
            "a note on an earlier task",
            "The lock file has to be opened before the data file.",
        ),
        ("a message", "the staging database is free until noon"),
        ("its sender", "**From @ops**"),
        ("the exact command", &done),
    ] {
        assert!(text.contains(fact), "{what}: {fact:?} is not in:\n{text}");
    }
    let boxes = |mark: &str| {
        text.lines()
            .filter(|line| line.trim_start().starts_with(mark))
            .count()
    };
    assert_eq!(boxes("- [x] Task "), CURRENT - 1, "closed tasks:\n{text}");
    assert_eq!(boxes("- [ ] Task "), TASKS + 1 - CURRENT, "open tasks:\n{text}");
    // The wake-up contains nothing about other tasks.
    for other in ["part_18::open", "tests/part_9.rs", "Accessibility, the person"] {
        assert!(!text.contains(other), "{other} is in:\n{text}");
    }
}
