//! Plan order: tasks run in file order, phase by phase, unless the plan declares otherwise.

use std::collections::BTreeSet;

use bugle_core::task::{Forest, Task, TaskCommand, TaskEvent, TaskRefusal, TaskStatus, WaitSource};
use proptest::prelude::*;

use super::{Imported, plan};

/// The titles of the tasks that can start, without groups.
fn ready(imported: &Imported) -> Vec<String> {
    let tasks = imported.tree.in_order();
    let forest = Forest::new(&tasks);
    let work = forest.ready().into_iter().filter(|task| !task.is_group());
    work.map(|task| task.title.clone()).collect()
}

/// Finishes a task, and closes every phase that has no open tasks left.
fn finish(imported: &mut Imported, title: &str) {
    imported.done(title);
    loop {
        let over = imported.present().into_iter().find(|task| {
            let inside = imported.tree.inside(&task.id);
            task.is_group() && task.is_open() && !inside.iter().any(Task::is_open)
        });
        let Some(phase) = over else { return };
        imported.tree.command(&phase.id, &TaskCommand::Done).unwrap();
    }
}

/// The batches in which the tasks of a plan can be done, each as large as possible.
pub(super) fn batches(markdown: &str) -> Vec<String> {
    let mut imported = Imported::first(markdown);
    let mut batches = Vec::new();
    loop {
        let batch = ready(&imported);
        if batch.is_empty() {
            return batches;
        }
        for title in &batch {
            finish(&mut imported, title);
        }
        batches.push(batch.join(" "));
    }
}

fn with_bodies(bodies: &[&str]) -> String {
    let titles = ["One", "Two", "Three", "Four", "Five", "Six"];
    let tasks: Vec<(&str, &str)> = titles.into_iter().zip(bodies.iter().copied()).collect();
    plan(&tasks)
}

const PHASES: &str = "# P\n\n## Phase 1: Ground\n\n### Task 1: One\n\nX.\n\n### Task 2: Two\n\nX.\n\n## Phase 2: Walls\n\n\
    ### Task 3: Three\n\nX.\n\n### Task 4: Four\n\nX.\n";

#[test]
fn without_declarations_exactly_one_task_can_start() {
    assert_eq!(batches(&with_bodies(&["X."; 4])), ["One", "Two", "Three", "Four"]);
}

#[test]
fn a_phase_starts_only_after_the_previous_one_is_closed() {
    assert_eq!(batches(PHASES), ["One", "Two", "Three", "Four"]);
    let parallel = PHASES.replace("Ground\n", "Ground\n\nTasks in this phase can run in parallel.\n");
    assert_eq!(batches(&parallel), ["One Two", "Three", "Four"]);
}

#[test]
fn a_task_with_declared_dependencies_waits_only_for_those() {
    for line in [
        "Depends on: Task 1",
        "**Depends on:** Task 1",
        "Depends on #1",
        "Depends on: #1 (the schema)",
        "This task depends on Task 1.",
        "After Task 1.",
        "Start after Task 1 is done.",
        "**After:** Task 1",
        "**Blocked by:** #1",
        "- **Blocked by:** Task 1",
        "Blocked by #1.",
        "Requires Task 1",
        "Needs Task 1.",
    ] {
        let batches = batches(&with_bodies(&["X.", "X.", line, "X."]));
        assert_eq!(batches, ["One", "Two Three", "Four"], "{line}");
    }
}

#[test]
fn a_parallel_task_starts_with_the_previous_one() {
    for line in [
        "Parallel",
        "**Parallel:** yes",
        "Can run in parallel.",
        "This task can be done in parallel.",
        "Parallel with Task 2",
        "**Parallel with:** Task 2",
        "Can run in parallel with #2.",
        "- In parallel with Task 2",
    ] {
        let batches = batches(&with_bodies(&["X.", "X.", line, "X."]));
        assert_eq!(batches, ["One", "Two Three", "Four"], "{line}");
    }
    for title in [
        "Three (parallel)",
        "Three [P]",
        "Three (can run in parallel with Task 2)",
    ] {
        let markdown = plan(&[("One", "X."), ("Two", "X."), (title, "X."), ("Four", "X.")]);
        assert_eq!(batches(&markdown), ["One", &format!("Two {title}"), "Four"]);
    }
}

#[test]
fn a_task_without_dependencies_starts_immediately_in_its_phase() {
    for line in [
        "No dependencies.",
        "Depends on: none",
        "**Dependencies:** None",
        "Independent.",
    ] {
        let flat = batches(&with_bodies(&["X.", "X.", line, "X."]));
        assert_eq!(flat, ["One Three", "Two", "Four"], "{line}");
    }
    let phases = PHASES.replace("### Task 4: Four\n\nX.", "### Task 4: Four\n\nNo dependencies.");
    assert_eq!(batches(&phases), ["One", "Two", "Three Four"]);
}

#[test]
fn a_sentence_that_only_sounds_like_a_declaration_is_ignored() {
    for line in [
        "After Task 1, the cache is warm.",
        "Cannot run in parallel.",
        "**Parallel:** no",
        "**Dependencies:** serde, tokio",
        "**Dependencies:** No new packages.",
        "Tests run in parallel on both machines.",
        "**Depends on:** Task 9",
        "Parallel with Task 9",
    ] {
        let batches = batches(&with_bodies(&["X.", "X.", line, "X."]));
        assert_eq!(batches, ["One", "Two", "Three", "Four"], "{line}");
    }
}

#[test]
fn dependencies_declared_outside_the_tasks_count() {
    let with =
        |line: &str| with_bodies(&["X."; 4]).replace("# The plan\n", &format!("# The plan\n\n{line}\n"));
    assert_eq!(
        batches(&with("Tasks 2 and 3 can run in parallel.")),
        ["One", "Two Three", "Four"]
    );
    assert_eq!(
        batches(&with("All tasks can run in parallel.")),
        ["One Two Three Four"]
    );
    assert_eq!(
        batches(&with("- Task 3 depends on Task 1")),
        ["One", "Two Three", "Four"]
    );
    assert_eq!(batches(&with("Independent tasks may run in parallel.")).len(), 4);
}

#[test]
fn the_task_after_several_parallel_ones_waits_for_all_of_them() {
    let markdown = with_bodies(&["X.", "Depends on: Task 1", "Depends on: Task 1", "X."]);
    let mut imported = Imported::first(&markdown);
    finish(&mut imported, "One");
    finish(&mut imported, "Three");
    assert_eq!(ready(&imported), ["Two"]);
}

#[test]
fn a_declaration_overrides_file_order() {
    assert_eq!(
        batches(&with_bodies(&["X.", "Depends on: Task 3", "X.", "X."])),
        ["One", "Three", "Two", "Four"]
    );
    let phases = PHASES.replace("### Task 1: One\n\nX.", "### Task 1: One\n\nDepends on: Task 4");
    assert_eq!(
        batches(&phases).concat().matches("One").count(),
        1,
        "nothing is stuck"
    );
}

#[test]
fn a_person_overrides_plan_order() {
    let mut imported = Imported::first(&with_bodies(&["X."; 4]));
    let [one, two, three] = ["One", "Two", "Three"].map(|title| imported.titled(title));
    imported
        .tree
        .apply(&[(three.clone(), TaskEvent::OrderWaived { on: two.clone() })]);
    imported.again(&with_bodies(&["X."; 4]));
    let waits: BTreeSet<_> = imported.tree[&three].waits_for.keys().cloned().collect();
    assert_eq!(
        waits,
        BTreeSet::from([one.clone()]),
        "it still comes after the first"
    );
    finish(&mut imported, "One");
    assert_eq!(ready(&imported), ["Two", "Three"]);

    let mut imported = Imported::first(&with_bodies(&["X."; 3]));
    let says = WaitSource::Hand;
    imported
        .tree
        .apply(&[(one, TaskEvent::Waits { on: three, says })]);
    imported.again(&with_bodies(&["X."; 3]));
    for title in ["Two", "Three", "One"] {
        assert_eq!(ready(&imported), [title]);
        finish(&mut imported, title);
    }
}

#[test]
fn a_task_cannot_start_early_but_a_started_one_may_end() {
    let mut imported = Imported::first(&with_bodies(&["X.", "X."]));
    let two = imported.titled("Two");
    let refused = imported.tree.command(&two, &TaskCommand::Done);
    assert_eq!(
        refused,
        Err(TaskRefusal::NotItsTurn(vec![imported.titled("One")]))
    );
    finish(&mut imported, "One");
    let start = TaskCommand::Start {
        agent: None,
        run: None,
        take_over: false,
    };
    imported.tree.command(&two, &start).unwrap();
    imported.again(&plan(&[("One", "X."), ("New", "X."), ("Two", "X.")]));
    assert_eq!(imported.tree[&two].waits_for.len(), 1);
    imported.tree.command(&two, &TaskCommand::Done).unwrap();
}

#[test]
fn a_task_closed_early_lets_no_task_overtake() {
    let mut imported = Imported::first(&with_bodies(&["X."; 3]));
    let two = imported.titled("Two");
    imported
        .tree
        .command(&two, &TaskCommand::Skip { reason: None })
        .unwrap();
    imported.again(&with_bodies(&["X."; 3]));
    assert_eq!(ready(&imported), ["One"]);
}

#[test]
fn a_new_task_gets_its_place_in_plan_order() {
    let mut imported = Imported::first(&plan(&[("One", "X."), ("Two", "Y.")]));
    finish(&mut imported, "One");
    imported.again(&plan(&[("One", "X."), ("New", "Z."), ("Two", "Y.")]));
    assert_eq!(imported.outline(), ["One x", "New", "Two"]);
    assert_eq!(ready(&imported), ["New"]);
}

const DECLARATIONS: [&str; 7] = [
    "X.",
    "Parallel",
    "No dependencies",
    "Depends on: Task 2",
    "After Task 4.",
    "Parallel with Task 3",
    "Blocked by #5",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_imported_plan_can_be_finished(
        tasks in prop::collection::vec((0..DECLARATIONS.len(), any::<bool>()), 1..9),
        edited in prop::collection::vec((0..DECLARATIONS.len(), any::<bool>()), 1..9),
        finished in 0_usize..5,
    ) {
        let markdown = |tasks: &[(usize, bool)]| {
            let mut text = "# P\n".to_owned();
            for (place, (said, phase)) in tasks.iter().enumerate() {
                if *phase {
                    text += &format!("\n## Phase {}: P{place}\n", place + 1);
                }
                text += &format!("\n### Task {}: T{place}\n\n{}\n", place + 1, DECLARATIONS[*said]);
            }
            text
        };
        let mut imported = Imported::nothing();
        prop_assume!(imported.attempt(&markdown(&tasks), false).is_ok());
        for _ in 0..finished {
            if let Some(title) = ready(&imported).first() {
                finish(&mut imported, title);
            }
        }
        let closed = |imported: &Imported| -> BTreeSet<String> {
            let done = imported.present().into_iter().filter(|task| task.status == TaskStatus::Done);
            done.filter(|task| !task.is_group()).map(|task| task.title).collect()
        };
        let before = closed(&imported);
        if imported.attempt(&markdown(&edited), false).is_ok() {
            let kept: BTreeSet<String> =
                before.iter().filter(|title| imported.present().iter().any(|task| task.title == **title)).cloned().collect();
            prop_assert_eq!(closed(&imported), kept, "progress is kept");
        }
        // Until everything is done, some task can always start.
        loop {
            let open = imported.present().iter().filter(|task| !task.is_group() && task.is_open()).count();
            let ready = ready(&imported);
            prop_assert_eq!(ready.is_empty(), open == 0, "{:?}", imported.outline());
            let Some(title) = ready.first() else { break };
            finish(&mut imported, title);
        }
    }
}
