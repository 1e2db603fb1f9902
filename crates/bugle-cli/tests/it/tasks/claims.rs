//! Many processes claim tasks; exactly one process gets each task.

use std::collections::BTreeSet;

use crate::support::sandbox::{Answer, Sandbox, all_at_once};
use crate::support::tasks::{PLAN, add, add_one, check, outline, shown};

/// Lets this many processes claim one task each; returns their answers.
fn claimed(sandbox: &Sandbox, processes: usize, arguments: &[&str]) -> Vec<Answer> {
    let commands = (0..processes).map(|number| {
        let name = format!("agent-{number}");
        let words: Vec<&str> = ["task", "claim", "--json", "--as", &name]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        sandbox.bugle(&words)
    });
    all_at_once(commands.collect())
}

/// The claimed tasks. The only allowed failure is "no task can start now".
#[track_caller]
fn handed_out(answers: &[Answer]) -> Vec<String> {
    answers
        .iter()
        .filter_map(|answer| {
            assert_eq!(answer.err, "");
            let document = answer.json();
            if answer.code == Some(0) {
                assert_eq!(document["data"]["task"]["state"], "active");
                return Some(document["data"]["task"]["id"].as_str().unwrap().to_owned());
            }
            assert_eq!(answer.code, Some(4), "{}", answer.out);
            assert_eq!(document["data"]["message"], "no task can start now", "{document}");
            None
        })
        .collect()
}

fn parts(sandbox: &Sandbox, count: usize) -> Vec<String> {
    let titles: Vec<String> = (1..=count).map(|number| format!("Part {number}")).collect();
    let root = add_one(sandbox, &["All of it"]);
    let words: Vec<&str> = ["--under", &root]
        .into_iter()
        .chain(titles.iter().map(String::as_str))
        .collect();
    add(sandbox, &words)
}

#[test]
fn sixty_four_processes_share_sixty_four_tasks() {
    let sandbox = Sandbox::new();
    let added = parts(&sandbox, 64);
    let got = handed_out(&claimed(&sandbox, 64, &[]));
    assert_eq!(got.len(), 64, "every process got a task");
    let once: BTreeSet<String> = got.into_iter().collect();
    assert_eq!(once, added.into_iter().collect(), "no task was claimed twice");
    sandbox.run(&["task", "claim"]).fails(4, "no task can start now");
    check(&sandbox);
}

#[test]
fn sixty_four_processes_share_forty_tasks() {
    let sandbox = Sandbox::new();
    let added = parts(&sandbox, 40);
    let answers = claimed(&sandbox, 64, &[]);
    let got = handed_out(&answers);
    assert_eq!(got.len(), 40);
    let once: BTreeSet<String> = got.into_iter().collect();
    assert_eq!(once, added.iter().cloned().collect());
    let agents: BTreeSet<String> = added
        .iter()
        .map(|id| shown(&sandbox, id)["task"]["agent"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(agents.len(), 40, "each task has a different agent");
    check(&sandbox);
}

#[test]
fn the_tree_stays_consistent_when_many_processes_finish_tasks() {
    let sandbox = Sandbox::new();
    let added = parts(&sandbox, 24);
    let commands = added.iter().map(|id| sandbox.bugle(&["task", "done", id]));
    for answer in all_at_once(commands.collect()) {
        answer.ok();
    }
    let ready = sandbox.run(&["task", "ready"]).ok().out;
    assert!(
        ready.contains("All of it") && ready.contains("ready to close"),
        "{ready}"
    );
    check(&sandbox);
}

#[test]
fn many_processes_that_import_a_plan_into_a_new_store_create_one_plan() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("plan.md"), PLAN);
    let commands = (0..16).map(|_| sandbox.bugle(&["plan", "import", "plan.md", "--json"]));
    let plans: BTreeSet<String> = all_at_once(commands.collect())
        .into_iter()
        .map(|answer| {
            let document = answer.ok().json();
            document["data"]["plan"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(plans.len(), 1);
    assert_eq!(outline(&sandbox).len(), 6);
    check(&sandbox);
}

#[test]
fn the_tree_stays_consistent_when_many_processes_change_it() {
    let sandbox = Sandbox::new();
    let added = parts(&sandbox, 12);
    let mut commands = Vec::new();
    for (at, id) in added.iter().enumerate() {
        let other = &added[(at + 5) % added.len()];
        commands.push(sandbox.bugle(&["task", "move", id, "--before", other]));
        commands.push(sandbox.bugle(&["task", "note", id, "seen"]));
        commands.push(sandbox.bugle(&["task", "start", id]));
        commands.push(sandbox.bugle(&["task", "move", id, "--first"]));
    }
    for answer in all_at_once(commands) {
        answer.ok();
    }
    assert_eq!(outline(&sandbox).len(), 13);
    for id in &added {
        assert_eq!(shown(&sandbox, id)["task"]["state"], "active");
    }
    check(&sandbox);
}
