//! Measures task commands as whole processes, with a thousand and with a million tasks in the store, and the import of
//! a plan.
//!
//! All measurements are interleaved with those of a minimal process that reads one row of the same file. Prints the
//! durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod support;

use std::fmt::Write as _;
use std::path::Path;

use bugle_core::id::{Actor, TaskId, Timestamp};
use bugle_core::task::{Rank, RecordedTaskEvent, TaskEvent, WaitSource};
use bugle_store::{Durability, Store};
use bugle_testkit::bench::{Place, report, report_growth, take_turns};

const ROUNDS: usize = 200;
const FEW: usize = 1_000;
const MANY: usize = 1_000_000;
/// The number of tasks in a group.
const GROUP: usize = 500;
/// The number of tasks in the imported plan.
const PLAN: usize = 200;

fn main() {
    if !support::was_floor() {
        measure();
    }
}

/// A project with one tree of this many tasks in groups. In each group, the first half is done, and every tenth task
/// waits for the task before it.
fn with_tasks(folder: &Path, count: usize) -> Place {
    let place = Place::new(env!("CARGO_BIN_EXE_bugle"), folder, &count.to_string());
    let mut store = Store::open(&place.database(), Durability::Normal).expect("the store opens");
    let project = store
        .project(&place.known_as(), "p-bench", Timestamp(1))
        .expect("a project");
    let id = |number: usize| TaskId::parse(&format!("t-{number:08}")).expect("an id");
    let recorded = |event: TaskEvent| RecordedTaskEvent {
        at: Timestamp(1),
        by: Actor::Program,
        event,
    };
    let added = |number: usize, parent: Option<TaskId>, rank: usize| {
        let event = TaskEvent::Added {
            title: format!("Add part {number} of the parser"),
            parent,
            rank: Rank::nth(rank),
            skill: None,
            agent: None,
            plan: None,
        };
        (id(number), recorded(event))
    };
    let write = |store: &mut bugle_store::Store, changes: &[(TaskId, RecordedTaskEvent)]| {
        assert!(
            store.change_tasks(&project, changes).expect("it is written"),
            "an id is taken"
        );
    };
    write(&mut store, &[added(0, None, 0)]);
    for group in 0..count / GROUP {
        let parent = 1 + group * GROUP;
        let mut changes = vec![added(parent, Some(id(0)), group)];
        for task in 1..GROUP {
            changes.push(added(parent + task, Some(id(parent)), task));
            if task % 10 == 9 {
                let on = id(parent + task - 1);
                let says = WaitSource::Hand;
                changes.push((id(parent + task), recorded(TaskEvent::Waits { on, says })));
            }
        }
        let half = (1..GROUP / 2).map(|task| (id(parent + task), recorded(TaskEvent::Finished)));
        changes.extend(half);
        write(&mut store, &changes);
    }
    store.set_focus(&project, None, &id(0)).expect("a focus");
    place
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = with_tasks(folder.path(), FEW);
    let many = with_tasks(folder.path(), MANY);
    let size = std::fs::metadata(many.database()).map_or(0, |file| file.len());
    println!("{MANY} tasks are {} MB in the store", size / 1_000_000);
    let names = [
        "floor, few",
        "floor, many",
        "next, few",
        "next, many",
        "ready, few",
        "ready, many",
        "claim, few",
        "claim, many",
        "done, few",
        "done, many",
        "import",
    ];
    let command = |name: &str, round: usize| {
        let place = if name.ends_with("many") { &many } else { &few };
        match name.split(',').next().unwrap_or_default() {
            "floor" => support::floor(&place.database(), "task"),
            "import" => {
                let file = format!("plan-{round}.md");
                std::fs::write(place.project.join(&file), plan(round)).expect("a plan");
                // Import in another session, so that the other commands keep their current tree.
                place.bugle(Some("importer"), &["plan", "import", &file])
            }
            "done" => {
                // An open task in the second group without dependencies.
                let free = (GROUP / 2..GROUP)
                    .filter(|task| task % 10 != 9)
                    .nth(round)
                    .expect("enough tasks");
                place.bugle(None, &["task", "done", &format!("t-{:08}", 1 + GROUP + free)])
            }
            "claim" => place.bugle(None, &["task", "claim", "t-00000000"]),
            command => place.bugle(None, &["task", command, "t-00000000"]),
        }
    };
    let subjects = take_turns(&names, ROUNDS, command, |_| {});
    report(&subjects, "floor, few");
    println!();
    let names = ["floor", "next", "ready", "claim", "done"];
    report_growth(&subjects, &names, &format!("from {FEW} to {MANY} tasks"));
}

fn plan(round: usize) -> String {
    let mut plan = format!("# Plan {round}\n\n**Goal:** measure\n");
    for task in 1..=PLAN {
        let _ = write!(
            plan,
            "\n### Task {task}: Add part {task} of the parser\n\n**Files:**\n- Modify: `src/part_{task}.rs:10-20`\n\n\
             - [ ] **Step 1: Write the failing test**\n- [ ] **Step 2: Make it pass**\n"
        );
    }
    plan
}
