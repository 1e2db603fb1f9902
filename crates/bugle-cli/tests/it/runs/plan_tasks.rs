//! Runs over a plan's tasks: how runs change tasks, and how tasks change runs.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::reply::Step;
use crate::support::sandbox::{Sandbox, all_at_once};
use crate::support::workflows::{ONE_BY_ONE, WAVES};

const PLAN: &str = "# Small plan\n\n## Phase 1: Base\n\n### Task 1: Add the parser\n\nFiles: `a.rs`\n\n\
    ### Task 2: Add the printer\n\nFiles: `b.rs`\nDepends on: Task 1\n\n## Phase 2: Rest\n\nDepends on: none\n\n### Task 3: Add the tests\n\n\
    Files: `c.rs`\n";

fn sandbox(workflow: &str) -> Sandbox {
    let sandbox = Sandbox::with_skill("planned", workflow);
    sandbox.write(&sandbox.project().join("plan.md"), PLAN);
    sandbox
}

/// The state of every task, by number or title.
fn states(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let tree = sandbox.run(&["task", "list", "--all", "--json"]).ok().json();
    let tasks = tree["data"]["tasks"].as_array().unwrap().clone();
    let text = |task: &serde_json::Value, key: &str| task[key].as_str().unwrap_or_default().to_owned();
    let named = tasks.iter().map(|task| {
        let name = if task["number"].is_null() {
            "title"
        } else {
            "number"
        };
        (text(task, name), text(task, "state"))
    });
    named.collect()
}

#[track_caller]
fn stand(sandbox: &Sandbox, wanted: &[(&str, &str)]) {
    let states = states(sandbox);
    for (task, state) in wanted {
        assert_eq!(
            states.get(*task).map(String::as_str),
            Some(*state),
            "{task} in {states:?}"
        );
    }
}

fn read(sandbox: &Sandbox) -> Step {
    let first = sandbox.start(&["planned"]);
    sandbox.report(&first, &json!({ "file": "plan.md" })).ok().step()
}

#[test]
fn a_step_that_takes_marks_its_task_active_and_one_that_closes_marks_it_done() {
    let sandbox = sandbox(ONE_BY_ONE);
    let mut step = read(&sandbox);
    assert!(
        step.action.contains("Now task 1: Add the parser"),
        "{}",
        step.action
    );
    stand(
        &sandbox,
        &[
            ("1", "active"),
            ("2", "blocked"),
            ("3", "pending"),
            ("Phase 1", "active"),
        ],
    );
    for number in ["2", "3"] {
        let building = sandbox.printed(step.command()).ok().step();
        step = sandbox.printed(building.command()).ok().step();
        assert!(
            step.action.contains(&format!("Now task {number}")),
            "{}",
            step.action
        );
    }
    stand(
        &sandbox,
        &[
            ("1", "done"),
            ("2", "done"),
            ("Phase 1", "done"),
            ("3", "active"),
            ("Phase 2", "active"),
        ],
    );
    let building = sandbox.printed(step.command()).ok().step();
    let last = sandbox.printed(building.command()).ok().step();
    assert!(last.action.contains("Nothing is left"), "{}", last.action);
    sandbox.printed(last.command()).ok().end();
    stand(
        &sandbox,
        &[("3", "done"), ("Phase 2", "done"), ("Small plan", "done")],
    );
    sandbox.verify();
}

#[test]
fn a_task_that_a_step_leaves_is_skipped_with_the_reason() {
    let sandbox = sandbox(ONE_BY_ONE);
    let pick = read(&sandbox);
    let building = sandbox.printed(pick.command()).ok().step();
    let failing = sandbox
        .run(&["done", &building.visit, "--fail", "cannot be built"])
        .ok()
        .step();
    let next = sandbox
        .report(&failing, &json!({ "why": "the format is not known" }))
        .ok()
        .step();
    assert!(next.action.contains("Now task 2"), "{}", next.action);
    let tree = sandbox.run(&["task", "list"]).ok().out;
    assert!(
        tree.contains("[-]") && tree.contains("the format is not known"),
        "{tree}"
    );
}

#[test]
fn a_task_closed_or_claimed_meanwhile_is_not_claimed() {
    let sandbox = sandbox(ONE_BY_ONE);
    let pick = read(&sandbox);
    let building = sandbox.printed(pick.command()).ok().step();
    // Another agent claims task 3 while the run is at task 1.
    let claimed = sandbox
        .run(&["task", "claim", "--as", "other", "--json"])
        .ok()
        .json();
    assert_eq!(claimed["data"]["task"]["number"], "3");
    let next = sandbox.printed(building.command()).ok().step();
    let building = sandbox.printed(next.command()).ok().step();
    let last = sandbox.printed(building.command()).ok().step();
    assert!(last.action.contains("Nothing is left"), "{}", last.action);
    stand(
        &sandbox,
        &[("3", "active"), ("Phase 2", "active"), ("Small plan", "active")],
    );
}

#[test]
fn a_cancelled_or_rewound_run_releases_its_tasks() {
    let sandbox = sandbox(ONE_BY_ONE);
    let pick = read(&sandbox);
    let building = sandbox.printed(pick.command()).ok().step();
    let second = sandbox.printed(building.command()).ok().step();
    stand(&sandbox, &[("1", "done"), ("2", "active")]);
    let again = sandbox.run(&["rewind", &pick.visit]).ok().step();
    assert!(again.action.contains("Now task 1"), "{}", again.action);
    stand(&sandbox, &[("1", "active"), ("2", "blocked")]);
    sandbox.run(&["cancel", &second.run]).ok();
    stand(&sandbox, &[("1", "pending"), ("2", "blocked"), ("3", "pending")]);
    sandbox.verify();
}

#[test]
fn a_plan_that_cannot_be_imported_is_refused_with_the_reason_and_the_step_stays() {
    let sandbox = sandbox(ONE_BY_ONE);
    let first = sandbox.start(&["planned"]);
    for (file, text, why) in [
        ("none.md", None, "no such file"),
        (
            "prose.md",
            Some("# Thoughts\n\nNo tasks.\n"),
            "There are no tasks in prose.md",
        ),
        (
            "circle.md",
            Some("### Task 1: A\n\nDepends on: Task 2\n\n### Task 2: B\n\nDepends on: Task 1\n"),
            "circle",
        ),
    ] {
        if let Some(text) = text {
            sandbox.write(&sandbox.project().join(file), text);
        }
        let refused = sandbox
            .report(&first, &json!({ "file": file }))
            .refused("evidence-unmet");
        assert!(
            refused.details.iter().any(|detail| detail.contains(why)),
            "{refused:?}"
        );
    }
    assert_eq!(
        sandbox.run(&["plan", "list", "--json"]).ok().json()["data"]["plans"],
        json!([])
    );
    sandbox.report(&first, &json!({ "file": "plan.md" })).ok().step();
}

#[test]
fn a_wave_has_one_sub_agent_per_ready_task() {
    let sandbox = sandbox(WAVES);
    let first = sandbox.start(&["planned"]);
    let wave = sandbox.printed(first.command()).ok().step();
    assert_eq!(wave.starts.len(), 2, "tasks 1 and 3");
    stand(&sandbox, &[("1", "active"), ("2", "blocked"), ("3", "active")]);
    let begun: Vec<Step> = wave
        .starts
        .iter()
        .map(|line| sandbox.printed(line).ok().step())
        .collect();
    assert!(
        begun[0].action.contains("### Task 1: Add the parser"),
        "{}",
        begun[0].action
    );
    assert!(!begun[0].action.contains("Task 2"), "{}", begun[0].action);
    sandbox.report(&begun[0], &json!({ "report": "built" })).ok();
    let escalated = &begun[1].escalations[0];
    std::fs::write(begun[1].escalation_file.as_ref().unwrap(), "which framework?").unwrap();
    sandbox.printed(&escalated.command).ok();
    let second = sandbox.end_unanswered(&wave).step();
    stand(&sandbox, &[("1", "done"), ("2", "active"), ("3", "blocked")]);
    let tree = sandbox.run(&["task", "list"]).ok().out;
    assert!(tree.contains("which framework?"), "{tree}");
    let last = sandbox.printed(&second.starts[0]).ok().step();
    sandbox.report(&last, &json!({ "report": "built" })).ok();
    sandbox.printed(second.command()).ok().end();
    stand(
        &sandbox,
        &[
            ("2", "done"),
            ("Phase 1", "done"),
            ("3", "blocked"),
            ("Small plan", "active"),
        ],
    );
    sandbox.verify();
}

#[test]
fn a_sub_agent_that_ends_with_fail_leaves_its_task_failed() {
    let workflow = WAVES.replace("role: developer,", "role: developer, workflow: agents/work.yaml,");
    let sandbox = sandbox(&workflow.replace("\"{{ child.task.text | fence }}\"", "Have it built."));
    let child = "version: 1\nparams:\n  task: { type: task, required: true }\nsteps:\n  work:\n    title: Work\n    \
        do: \"Build {{ params.task.title }}.\"\n    result: { works: boolean }\n    \
        route: [{ when: \"!result.works\", outcome: fail }]\n    next: { ok: end, fail: end }\n";
    let folder = sandbox.project().join(".bugle/skills/planned");
    sandbox.write(&folder.join("agents/work.yaml"), child);
    let first = sandbox.start(&["planned"]);
    let wave = sandbox.printed(first.command()).ok().step();
    for (line, works) in wave.starts.iter().zip([false, true]) {
        let work = sandbox.printed(line).ok().step();
        sandbox.report(&work, &json!({ "works": works })).ok();
    }
    sandbox.printed(wave.command()).ok();
    stand(&sandbox, &[("1", "failed"), ("2", "blocked"), ("3", "done")]);
}

#[test]
fn many_runs_at_once_never_take_the_same_task() {
    let sandbox = Sandbox::with_skill("planned", ONE_BY_ONE);
    let tasks: Vec<String> = (1..=8)
        .map(|task| format!("### Task {task}: Add part {task}\n"))
        .collect();
    let plan = format!("All tasks can run in parallel.\n\n{}", tasks.join("\n"));
    sandbox.write(&sandbox.project().join("plan.md"), plan);
    let firsts: Vec<Step> = (0..8).map(|_| sandbox.start(&["planned"])).collect();
    let commands = firsts.iter().map(|first| {
        std::fs::write(first.result_file(), json!({ "file": "plan.md" }).to_string()).unwrap();
        let mut command = sandbox.command("sh", &sandbox.elsewhere());
        command.arg("-c").arg(first.command());
        command
    });
    let mut taken: Vec<String> = all_at_once(commands.collect())
        .into_iter()
        .map(|answer| answer.ok().step().action)
        .collect();
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 8, "{taken:?}");
    sandbox.verify();
}
