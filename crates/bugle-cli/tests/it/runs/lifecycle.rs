//! A person lists, pauses, resumes, rewinds, forks and cancels runs.

use super::{three, word};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::{ASKING, THREE};

/// The kinds of a run's events, in order.
fn kinds(sandbox: &Sandbox, run: &str) -> Vec<String> {
    let detail = sandbox.run(&["show", run, "--json"]).ok().json();
    let timeline = detail["data"]["timeline"].as_array().unwrap();
    timeline
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_can_be_paused_and_resumed() {
    let (sandbox, first) = three();
    let paused = sandbox
        .run(&["pause", &first.run, "--why", "the plan changed"])
        .ok();
    assert_eq!(paused.out, format!("Paused run {}.\n", first.run));
    sandbox.run(&["pause", &first.run]).ok();
    assert_eq!(sandbox.position(&first.run).0, "paused");
    let refused = sandbox.run(&["step", &first.run]).refused("wrong-status");
    assert_eq!(refused.command(), format!("bugle run resume {}", first.run));
    let resumed = sandbox.printed(refused.command()).ok();
    assert_eq!(resumed.step(), first);
    assert_eq!(
        sandbox.run(&["resume", &first.run]),
        resumed,
        "resuming twice is the same as once"
    );
    assert_eq!(
        kinds(&sandbox, &first.run),
        ["started", "entered", "paused", "resumed"]
    );
    let shown = sandbox.run(&["show", &first.run]).ok();
    assert!(shown.out.contains("paused: the plan changed"), "{}", shown.out);
}

#[test]
fn a_run_that_waits_for_a_person_waits_again_after_a_pause() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let choose = sandbox.start(&["asking"]);
    sandbox.run(&["pause", &choose.run]).ok();
    sandbox
        .printed(&choose.choices[0].command)
        .refused("wrong-status");
    assert_eq!(sandbox.run(&["resume", &choose.run]).ok().step(), choose);
    assert_eq!(sandbox.position(&choose.run).0, "waiting");
    sandbox.printed(&choose.choices[0].command).ok().step();
}

#[test]
fn a_cancelled_run_keeps_its_history_and_accepts_no_reports() {
    let (sandbox, first) = three();
    let cancelled = sandbox
        .run(&["cancel", &first.run, "--why", "no longer needed"])
        .ok();
    assert_eq!(
        cancelled.out,
        format!("Cancelled run {}. Its history is kept.\n", first.run)
    );
    sandbox.run(&["cancel", &first.run]).ok();
    for command in ["resume", "pause", "step", "upgrade"] {
        let refused = sandbox.run(&[command, &first.run]).refused("wrong-status");
        assert_eq!(refused.status.as_deref(), Some("cancelled"), "{command}");
        let shown = sandbox.printed(refused.command()).ok();
        assert!(
            shown.out.contains("cancelled: no longer needed"),
            "{command}: {}",
            shown.out
        );
    }
    sandbox.run(&["rewind", &first.visit]).refused("wrong-status");
    sandbox.verify();
}

#[test]
fn a_rewind_repeats_a_visit_and_keeps_the_history() {
    let (sandbox, first) = three();
    let second = sandbox.report(&first, &word("wrong")).ok().step();
    let third = sandbox.report(&second, &word("two")).ok().step();
    let again = sandbox.run(&["rewind", &first.visit]).ok().step();
    assert_eq!(again.step, "first");
    assert_eq!(
        again.visit,
        format!("{}#4", first.run),
        "a visit number is never used twice"
    );
    assert_eq!(
        sandbox.run(&["rewind", &again.visit]).ok().step(),
        again,
        "the run is already at that step"
    );
    sandbox.printed(third.command()).refused("stale-visit");
    sandbox.run(&["rewind", &second.visit]).refused("not-in-history");
    sandbox
        .run(&["rewind", &format!("{}#9", first.run)])
        .refused("unknown-visit");
    let second = sandbox.report(&again, &word("right")).ok().step();
    assert_eq!(second.action, "The first thing was right.");
    let detail = sandbox.run(&["show", &first.run, "--json"]).ok().json();
    let behind = |visit: u64| {
        let timeline = detail["data"]["timeline"].as_array().unwrap();
        let ended = timeline
            .iter()
            .find(|entry| entry["visit"] == visit && entry["kind"] == "entered");
        ended.unwrap()["left_behind"].as_bool().unwrap()
    };
    assert_eq!([1, 2, 3, 4].map(behind), [true, true, true, false]);
    let shown = sandbox.run(&["show", &first.run]).ok();
    assert!(shown.out.contains("(left behind by a rewind)"), "{}", shown.out);
    sandbox.verify();
}

#[test]
fn a_complete_run_can_be_rewound_to_an_earlier_visit() {
    let (sandbox, first) = three();
    let second = sandbox.report(&first, &word("one")).ok().step();
    let third = sandbox.report(&second, &word("two")).ok().step();
    sandbox.printed(third.command()).ok().end();
    let again = sandbox.run(&["rewind", &second.visit]).ok().step();
    assert_eq!(again.action, "The first thing was one.");
    assert_eq!(sandbox.position(&first.run).0, "active");
    let third = sandbox.report(&again, &word("better")).ok().step();
    sandbox.printed(third.command()).ok().end();
    sandbox.verify();
}

#[test]
fn a_fork_is_a_separate_run_that_starts_at_a_visit() {
    let (sandbox, first) = three();
    let second = sandbox.report(&first, &word("one")).ok().step();
    sandbox.report(&second, &word("two")).ok();
    // A fork belongs to the original run's project, whichever folder it is started in.
    let fork = sandbox
        .run_in(&sandbox.elsewhere(), &["fork", &second.visit])
        .ok()
        .step();
    assert_ne!(fork.run, first.run);
    assert_eq!(fork.step, "second");
    assert_eq!(fork.action, second.action);
    assert_ne!(fork.result_file, second.result_file);
    sandbox.report(&fork, &word("other")).ok().step();
    assert_eq!(sandbox.position(&first.run).2.as_deref(), Some("third"));
    let detail = sandbox.run(&["show", &fork.run, "--json"]).ok().json();
    assert_eq!(
        detail["data"]["origin"],
        format!("forked from {} at visit 2", first.run)
    );
    let runs = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(runs["data"]["runs"].as_array().unwrap().len(), 2, "{runs}");
    sandbox
        .run(&["fork", &format!("{}#9", first.run)])
        .refused("unknown-visit");
    sandbox.run(&["cancel", &first.run]).ok();
    sandbox.run(&["fork", &first.visit]).ok().step();
    sandbox.verify();
}

#[test]
fn a_note_stays_with_the_visit_it_was_made_in() {
    let (sandbox, first) = three();
    let said = sandbox.run(&["note", "the test bench is down"]).ok();
    assert_eq!(said.out, format!("Added the note to run {}.\n", first.run));
    sandbox
        .run(&[
            "done",
            &first.visit,
            "--result",
            "{\"word\": \"one\"}",
            "--note",
            "this took long",
        ])
        .ok();
    sandbox.run(&["note", "", "--run", &first.run]).refused("empty");
    let detail = sandbox.run(&["show", "--json"]).ok().json();
    let timeline = detail["data"]["timeline"].as_array().unwrap();
    let notes: Vec<(&str, u64)> = timeline
        .iter()
        .filter(|entry| entry["kind"] == "noted")
        .map(|entry| {
            (
                entry["summary"].as_str().unwrap(),
                entry["visit"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        notes,
        [("noted: the test bench is down", 1), ("noted: this took long", 1)]
    );
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
    let document = sandbox.run(&["runs", "--open", "--json"]).ok().json();
    assert_eq!(document["kind"], "runs");
    let runs = document["data"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["position"]["run"], open);
    assert_eq!(runs[0]["directory"], sandbox.project().to_str().unwrap());
    let elsewhere = sandbox.elsewhere();
    assert!(
        sandbox
            .run_in(&elsewhere, &["runs"])
            .ok()
            .out
            .starts_with("No runs found.")
    );
    let all = sandbox
        .run_in(&elsewhere, &["runs", "--all", "--json"])
        .ok()
        .json();
    assert_eq!(all["data"]["runs"].as_array().unwrap().len(), 2);
    let there = sandbox
        .run_in(&elsewhere, &["-C", "../project", "runs", "--json"])
        .ok()
        .json();
    assert_eq!(there["data"]["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn a_run_is_found_by_a_prefix_of_its_id() {
    let (sandbox, first) = three();
    for length in 3..=first.run.len() {
        assert_eq!(sandbox.run(&["step", &first.run[..length]]).ok().step(), first);
    }
    let short = format!("{}#1", &first.run[..4]);
    let second = sandbox
        .run(&["done", &short, "--result", "{\"word\": \"one\"}"])
        .ok()
        .step();
    assert_eq!(second.visit, format!("{}#2", first.run));
}

#[test]
fn a_prefix_that_matches_several_runs_lists_them() {
    let sandbox = Sandbox::with_skill("three", THREE);
    // Ids begin with one of 28 characters, so at least two of 29 runs share their first character.
    let runs: Vec<String> = (0..29).map(|_| sandbox.start(&["three"]).run).collect();
    let shared = |run: &&String| runs.iter().filter(|other| other[..3] == run[..3]).count() > 1;
    let run = runs.iter().find(shared).unwrap();
    let prefix = &run[..3];
    let failed = sandbox
        .run(&["step", prefix])
        .fails(2, &format!("{prefix} matches several runs"));
    for run in runs.iter().filter(|run| run.starts_with(prefix)) {
        assert!(failed.err.contains(run.as_str()), "{}", failed.err);
    }
    let failed = sandbox.run(&["step", prefix, "--json"]).exits(2).json();
    assert_eq!(failed["kind"], "error");
    assert_eq!(failed["data"]["exit"], 2);
}

#[test]
fn unknown_ids_are_not_found() {
    let (sandbox, first) = three();
    for command in ["step", "show", "pause", "resume", "cancel", "upgrade"] {
        let failed = sandbox
            .run(&[command, "r-zzzzzz"])
            .fails(4, "there is no run r-zzzzzz");
        assert!(failed.err.contains("bugle run list --all"), "{}", failed.err);
        sandbox.run(&[command, "7"]).fails(2, "`7` is not a run id");
    }
    for command in ["rewind", "fork", "done"] {
        sandbox
            .run(&[command, "r-zzzzzz#1"])
            .fails(4, "there is no run r-zzzzzz");
    }
    sandbox
        .run(&["decide", "r-zzzzzz", "yes"])
        .fails(4, "there is no run r-zzzzzz");
    sandbox
        .run(&["note", "x", "--run", "r-zzzzzz"])
        .fails(4, "there is no run r-zzzzzz");
    sandbox.run(&["start", "tree"]).fails(4, "Did you mean `three`?");
    sandbox
        .run(&["-C", "/no/such/folder", "runs"])
        .fails(4, "there is no folder /no/such/folder");
    sandbox
        .run_in(&sandbox.elsewhere(), &["step"])
        .fails(4, "no run is open in this project");
    let failed = sandbox.run(&["step", "r-zzzzzz", "--json"]).exits(4).json();
    assert_eq!(failed["data"]["exit"], 4);
    assert_eq!(sandbox.run(&["step"]).ok().step(), first);
}
