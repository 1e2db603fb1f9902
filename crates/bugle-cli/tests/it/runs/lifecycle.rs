//! The output of the commands with which a person lists, pauses, resumes, rewinds, forks and cancels runs. The rules are
//! tested in `bugle-app`.

use super::{three, word};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

#[test]
fn pause_note_and_cancel_print_a_sentence_and_a_refusal_prints_a_command_that_runs() {
    let (sandbox, first) = three();
    let run = &first.run;
    let paused = sandbox.run(&["pause", run, "--why", "the plan changed"]).ok();
    assert_eq!(paused.out, format!("Paused run {run}.\n"));
    let refused = sandbox.run(&["step", run]).refused("wrong-status");
    assert_eq!(refused.status.as_deref(), Some("paused"));
    assert_eq!(sandbox.printed(refused.command()).ok().step(), first);
    let noted = sandbox.run(&["note", "the test bench is down"]).ok();
    assert_eq!(noted.out, format!("Added the note to run {run}.\n"));
    let result = word("one").to_string();
    let done = [
        "done",
        &first.visit,
        "--result",
        &result,
        "--note",
        "this took long",
    ];
    sandbox.run(&done).ok().step();
    let cancelled = sandbox.run(&["cancel", run, "--why", "no longer needed"]).ok();
    assert_eq!(
        cancelled.out,
        format!("Cancelled run {run}. Its history is kept.\n")
    );
    let refused = sandbox.run(&["step", run]).refused("wrong-status");
    assert_eq!(refused.status.as_deref(), Some("cancelled"));
    let shown = sandbox.printed(refused.command()).ok().out;
    for change in [
        "paused: the plan changed",
        "noted: the test bench is down",
        "noted: this took long",
        "cancelled: no longer needed",
    ] {
        assert!(shown.contains(change), "{change:?} is not in:\n{shown}");
    }
    sandbox.verify();
}

#[test]
fn rewind_and_fork_take_a_visit_and_json_shows_both() {
    let (sandbox, first) = three();
    let second = sandbox.report(&first, &word("one")).ok().step();
    let again = sandbox.run(&["rewind", &first.visit]).ok().step();
    assert_eq!(again.step, "first");
    let shown = sandbox.run(&["show", &first.run, "--json"]).ok().json();
    let timeline = shown["data"]["timeline"].as_array().unwrap();
    let entered: Vec<(u64, bool)> = timeline
        .iter()
        .filter(|entry| entry["kind"] == "entered")
        .map(|entry| {
            (
                entry["visit"].as_u64().unwrap(),
                entry["left_behind"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(entered, [(1, true), (2, true), (3, false)]);
    let fork = sandbox.run(&["fork", &second.visit]).ok().step();
    assert_eq!(fork.action, second.action);
    let shown = sandbox.run(&["show", &fork.run, "--json"]).ok().json();
    assert_eq!(
        shown["data"]["origin"],
        format!("forked from {} at visit 2", first.run)
    );
    sandbox.verify();
}

#[test]
fn show_prints_a_runs_whole_history() {
    let (sandbox, first) = three();
    sandbox.report(&first, &word("a telling word")).ok();
    let shown = sandbox.run(&["show", &first.run]).ok().out;
    for part in [
        format!("Run {} of three is active at step second", first.run),
        sandbox.project().display().to_string(),
        "started three".to_owned(),
        "visit 1 of first ended with ok".to_owned(),
        "a telling word".to_owned(),
        format!("bugle step {}", first.run),
    ] {
        assert!(shown.contains(&part), "{part:?} is not in:\n{shown}");
    }
    let document = sandbox.run(&["show", &first.run, "--json"]).ok().json();
    assert_eq!(document["version"], 1);
    assert_eq!(document["kind"], "run");
    let ended = &document["data"]["timeline"][2];
    assert_eq!(ended["kind"], "ended");
    assert_eq!(ended["details"], word("a telling word"));
    assert_eq!(ended["by"], "a program");
    let next = document["data"]["command"].as_str().unwrap();
    assert_eq!(sandbox.printed(next).ok().step().step, "second");
}

#[test]
fn runs_are_listed_for_people_and_for_programs() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let none = sandbox.run(&["runs"]).ok().out;
    assert!(none.starts_with("No runs found."), "{none}");
    let done = sandbox.start(&["three"]).run;
    sandbox.run(&["cancel", &done]).ok();
    let open = sandbox.start(&["three"]).run;
    let text = sandbox.run(&["runs"]).ok().out;
    assert_eq!(text.lines().count(), 3, "a heading and two runs: {text}");
    let line = text.lines().find(|line| line.starts_with(&open)).unwrap();
    assert!(
        line.contains("active") && line.contains("three") && line.contains("first"),
        "{line}"
    );
    let limited = sandbox.run(&["runs", "--limit", "1"]).ok().out;
    assert!(
        limited.ends_with("and 1 more: add `--limit 2` to see them\n"),
        "{limited}"
    );
    let document = sandbox.run(&["runs", "--open", "--json"]).ok().json();
    assert_eq!(document["kind"], "runs");
    let runs = document["data"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(document["data"]["more"], 0);
    assert_eq!(runs[0]["position"]["run"], open);
    assert_eq!(runs[0]["directory"], sandbox.project().to_str().unwrap());
    for words in [
        &["runs", "--all", "--json"][..],
        &["-C", "../project", "runs", "--json"],
    ] {
        let listed = sandbox.run_in(&sandbox.elsewhere(), words).ok().json();
        assert_eq!(listed["data"]["runs"].as_array().unwrap().len(), 2, "{words:?}");
    }
}

#[test]
fn unknown_ids_and_folders_are_printed_as_errors() {
    let (sandbox, _) = three();
    let failed = sandbox
        .run(&["step", "r-zzzzzz"])
        .fails(4, "there is no run r-zzzzzz");
    assert!(failed.err.contains("bugle run list --all"), "{}", failed.err);
    sandbox.run(&["step", "7"]).fails(2, "`7` is not a run id");
    sandbox.run(&["done", "7"]).fails(2, "is not a visit token");
    sandbox.run(&["start", "tree"]).fails(4, "Did you mean `three`?");
    sandbox
        .run(&["-C", "/no/such/folder", "runs"])
        .fails(4, "there is no folder /no/such/folder");
    for (id, exit) in [("r-zzzzzz", 4), ("7", 2)] {
        let failed = sandbox.run(&["step", id, "--json"]).exits(exit).json();
        assert_eq!(failed["kind"], "error");
        assert_eq!(failed["data"]["exit"], exit);
    }
}
