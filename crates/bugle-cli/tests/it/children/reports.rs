//! Reports from sub-agents, each in its own run.

use std::fs;

use serde_json::{Value, json};

use crate::support::reply::{Shown, Step};
use crate::support::review::{build, finding, last_word, plan, review, reviewed, up_to_review};
use crate::support::sandbox::{Answer, Sandbox, all_at_once};

pub(crate) fn building(parts: usize) -> (Sandbox, Step) {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    let building = plan(&sandbox, &step, parts);
    (sandbox, building)
}

#[test]
fn only_the_two_dead_children_of_ten_are_restarted() {
    let (sandbox, step) = building(10);
    assert_eq!(step.starts.len(), 10);
    let shown = sandbox.run(&["step"]).ok().out;
    assert!(shown.contains("Start 10 sub-agents"), "{shown}");
    // Start all ten sub-agents at once; the third and the eighth never report.
    let commands = step.starts.iter().map(|line| {
        let mut command = sandbox.command("sh", &sandbox.elsewhere());
        command.arg("-c").arg(line);
        command
    });
    let begun: Vec<Step> = all_at_once(commands.collect())
        .into_iter()
        .map(|answer| answer.ok().step())
        .collect();
    for (index, child) in begun
        .iter()
        .enumerate()
        .filter(|(index, _)| ![2, 7].contains(index))
    {
        let report = json!({ "report": format!("built part {}", index + 1) });
        let word = last_word(&sandbox.report(child, &report).ok());
        assert_eq!(
            word.command,
            format!("bugle step '{}'", step.visit),
            "other sub-agents are still working"
        );
    }
    let refused = sandbox.printed(step.command()).refused("children-missing");
    assert!(
        refused
            .message
            .contains("needs reports from 10 sub-agents; 8 have reported"),
        "{refused:?}"
    );
    let named: Vec<bool> = [3, 8]
        .iter()
        .map(|slot| {
            refused
                .details
                .iter()
                .any(|detail| detail.starts_with(&format!("sub-agent {slot}: working")))
        })
        .collect();
    assert_eq!(
        (named, refused.details.len()),
        (vec![true, true], 2),
        "{refused:?}"
    );
    // When the step is printed again, it starts only these two sub-agents, and they continue their runs.
    let again = sandbox.run(&["step"]).ok().step();
    assert_eq!(again.starts, [step.starts[2].clone(), step.starts[7].clone()]);
    for (command, before) in again.starts.iter().zip([&begun[2], &begun[7]]) {
        let resumed = sandbox.printed(command).ok().step();
        assert_eq!(resumed.visit, before.visit);
        last_word(
            &sandbox
                .report(&resumed, &json!({ "report": "built at last" }))
                .ok(),
        );
    }
    let gate = sandbox.printed(step.command()).ok().step();
    assert_eq!(gate.step, "review");
    let detail = sandbox.run(&["show", &step.run, "--json"]).ok().json();
    let ended = detail["data"]["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .rfind(|entry| entry["kind"] == "ended")
        .unwrap();
    assert_eq!(ended["details"]["finished"], json!(10));
    let results: Vec<&Value> = ended["details"]["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| &child["result"]["report"])
        .collect();
    assert_eq!(
        (results.len(), results[0], results[2]),
        (10, &json!("built part 1"), &json!("built at last"))
    );
    sandbox.verify();
}

#[test]
fn the_orchestrator_sees_at_most_600_characters_of_each_child() {
    let (sandbox, step) = building(2);
    let endless = "a finding of many words, ".repeat(4000);
    let first = sandbox.printed(&step.starts[0]).ok().step();
    let done = sandbox.report(&first, &json!({ "report": endless })).ok();
    assert!(endless.len() >= 100_000);
    assert!(
        done.out.chars().count() <= 600,
        "{} characters: {}",
        done.out.chars().count(),
        done.out
    );
    let second = sandbox.printed(&step.starts[1]).ok().step();
    fs::write(second.escalation_file.as_ref().unwrap(), &endless).unwrap();
    let stopped = sandbox.printed(&second.escalations[0].command).ok();
    assert!(
        stopped.out.chars().count() <= 600,
        "{} characters: {}",
        stopped.out.chars().count(),
        stopped.out
    );
    // The step that joins the sub-agents does not repeat their reports either.
    let again = sandbox.run(&["step"]).ok().out;
    assert!(again.chars().count() < 2500, "{again}");
    let joined = sandbox.end_unanswered(&step).out;
    assert!(!joined.contains("a finding of many words, a finding"), "{joined}");
}

#[test]
fn a_child_that_asks_gets_an_answer_and_continues() {
    let (sandbox, step) = building(2);
    build(&sandbox, &step.starts[0]);
    let child = sandbox.printed(&step.starts[1]).ok().step();
    let kinds: Vec<&str> = child.escalations.iter().map(|way| way.answer.as_str()).collect();
    assert_eq!(kinds, ["blocked", "needs_decision", "uncertainty"]);
    sandbox.printed(&child.escalations[1].command).refused("empty");
    fs::write(child.escalation_file.as_ref().unwrap(), "SQLite or Postgres?").unwrap();
    let word = last_word(&sandbox.printed(&child.escalations[1].command).ok());
    assert!(
        word.verdict
            .contains("stopped (needs_decision): \"SQLite or Postgres?\""),
        "{word:?}"
    );
    assert_eq!(word.command, format!("bugle step '{}'", step.visit));
    let asked = sandbox.printed(&word.command).ok();
    assert!(asked.out.contains("bugle run retry"), "{}", asked.out);
    let slot = format!("{}/2", step.visit);
    sandbox.run(&["retry", &slot]).refused("empty");
    let again = sandbox.run(&["retry", &slot, "--answer", "SQLite"]).ok().step();
    assert_eq!(again.starts, [step.starts[1].clone()]);
    let resumed = sandbox.printed(&again.starts[0]).ok().step();
    assert_ne!(resumed.run, child.run, "the earlier attempt is unchanged");
    assert!(
        resumed.notices[0].contains("SQLite or Postgres?")
            && resumed.notices[0].contains("The answer: \"SQLite\"")
    );
    last_word(&sandbox.report(&resumed, &json!({ "report": "built" })).ok());
    assert_eq!(sandbox.printed(step.command()).ok().step().step, "review");
}

#[test]
fn repeating_a_childs_report_prints_the_same_answer_and_a_different_one_is_refused() {
    let (sandbox, step) = building(2);
    let child = sandbox.printed(&step.starts[0]).ok().step();
    let first = sandbox.report(&child, &json!({ "report": "built" })).ok();
    assert_eq!(sandbox.printed(child.command()).ok().out, first.out);
    assert_eq!(
        sandbox.printed(&step.starts[0]).ok().out,
        first.out,
        "started again, it prints its final message again"
    );
    let other = json!({ "report": "built otherwise" }).to_string();
    sandbox
        .run(&["done", &child.visit, "--result", &other])
        .refused("stale-visit");
    sandbox
        .run(&["retry", &format!("{}/1", step.visit)])
        .refused("has-reported");
}

#[test]
fn a_childs_late_report_is_recorded_as_late() {
    let sandbox = reviewed();
    let folder = sandbox.project().join(".bugle/skills/reviewed");
    let text = fs::read_to_string(folder.join("workflow.yaml")).unwrap();
    fs::write(
        folder.join("workflow.yaml"),
        text.replace("limit: 12 }", "limit: 12, quorum: 1 }"),
    )
    .unwrap();
    let step = plan(&sandbox, &sandbox.start(&["reviewed"]), 3);
    let slow = sandbox.printed(&step.starts[1]).ok().step();
    build(&sandbox, &step.starts[0]);
    let gate = sandbox.printed(step.command()).ok().step();
    assert_eq!(gate.step, "review", "one report is enough here");
    let late = last_word(
        &sandbox
            .report(&slow, &json!({ "report": "built, but slowly" }))
            .ok(),
    );
    assert!(late.verdict.contains("The report is late"), "{late:?}");
    assert_eq!(sandbox.printed(&late.command).ok().step().visit, gate.visit);
    sandbox.printed(&step.starts[2]).refused("stale-visit");
}

#[test]
fn a_child_of_an_unknown_visit_is_refused() {
    let (sandbox, step) = building(2);
    let never = |token: &str| sandbox.run(&["start", "--child", token]);
    never(&format!("{}/3", step.visit)).refused("unknown-child");
    never(&format!("{}#1/1", step.run)).refused("unknown-child");
    never(&format!("{}#9/1", step.run)).refused("unknown-visit");
    never("r-zzzzzz#1/1").fails(4, "there is no run");
    for bad in [
        "r-abcdef#1",
        "r-abcdef#1/0",
        "r-abcdef#1/x",
        "/",
        "r-abcdef#1/1/1",
    ] {
        never(bad).fails(2, "is not a sub-agent token");
    }
}

#[test]
fn cancelling_a_run_during_a_join_stops_its_children() {
    let (sandbox, step) = building(3);
    build(&sandbox, &step.starts[0]);
    let working = sandbox.printed(&step.starts[1]).ok().step();
    sandbox
        .run(&["cancel", &step.run, "--why", "changed my mind"])
        .ok();
    assert_eq!(sandbox.position(&working.run).0, "cancelled");
    let built = json!({ "report": "built" }).to_string();
    sandbox
        .run(&["done", &working.visit, "--result", &built])
        .refused("parent-gone");
    sandbox.printed(&step.starts[1]).refused("parent-gone");
    sandbox.printed(&step.starts[2]).refused("wrong-status");
    sandbox.printed(step.command()).refused("wrong-status");
    sandbox.verify();
}

#[test]
fn a_prefix_of_a_runs_id_also_names_its_children() {
    let (sandbox, step) = building(1);
    let whole = sandbox.printed(&step.starts[0]).ok().step();
    let short = format!("{}#2/1", &step.run[..6]);
    assert_eq!(
        sandbox.run(&["start", "--child", &short]).ok().step().visit,
        whole.visit
    );
    sandbox.run(&["retry", &short]).refused("still-open");
}

#[test]
fn a_child_started_by_many_processes_at_once_is_one_run() {
    let (sandbox, step) = building(1);
    let command = || {
        let mut command = sandbox.command("sh", &sandbox.elsewhere());
        command.arg("-c").arg(&step.starts[0]);
        command
    };
    let runs: Vec<String> = all_at_once((0..8).map(|_| command()).collect())
        .into_iter()
        .map(|answer: Answer| answer.ok().step().run)
        .collect();
    assert!(runs.iter().all(|run| *run == runs[0]), "{runs:?}");
}

#[test]
fn a_list_that_is_too_long_is_refused_when_it_is_reported() {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    let parts: Vec<String> = (0..13).map(|part| format!("part {part}")).collect();
    let refused = sandbox
        .report(&step, &json!({ "parts": parts }))
        .refused("too-many-children");
    assert!(
        refused
            .message
            .contains("would start 13 sub-agents; the step's limit is 12"),
        "{refused:?}"
    );
    let next = sandbox.report(&step, &json!({ "parts": [] })).ok().step();
    assert_eq!(
        next.step, "review",
        "an empty list needs no sub-agent, and the step ends by itself"
    );
    let again = sandbox.printed(step.command()).ok();
    assert_eq!(
        again.step().visit,
        next.visit,
        "repeating the report prints the same answer"
    );
}

#[test]
fn child_runs_are_not_listed_among_the_users_runs() {
    let (sandbox, step) = building(2);
    let child = sandbox.printed(&step.starts[0]).ok().step();
    let list = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(list["data"]["runs"].as_array().unwrap().len(), 1);
    assert_eq!(
        sandbox.run(&["step"]).ok().step().visit,
        step.visit,
        "`step` shows the run that was started here"
    );
    assert_eq!(sandbox.run(&["step", &child.run]).ok().step().visit, child.visit);
    for (command, argument, parent) in [
        ("fork", &child.visit, &step.visit),
        ("upgrade", &child.run, &step.run),
    ] {
        let refused = sandbox.run(&[command, argument]).refused("only-for-whole-runs");
        assert!(
            refused.command().contains(&format!("run {command}")),
            "{refused:?}"
        );
        assert!(refused.command().contains(parent), "{refused:?}");
    }
    let shown = sandbox.run(&["show", &child.run]).ok().out;
    assert!(
        shown.contains(&format!("sub-agent {}/1 as developer", step.visit)),
        "{shown}"
    );
}

#[test]
fn a_child_that_died_midway_continues_where_it_was() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    let first = sandbox.printed(&gate.starts[0]).ok().step();
    let second = sandbox.printed(first.command()).ok().step();
    let resumed = sandbox.printed(&gate.starts[0]).ok();
    assert_eq!(resumed.step().visit, second.visit);
    assert!(
        resumed.out.contains("<role_brief"),
        "the agent that resumes it needs its role: {}",
        resumed.out
    );
    last_word(
        &sandbox
            .report(&second, &review(&[finding("must", "errors")]))
            .ok(),
    );
    assert!(matches!(sandbox.printed(gate.command()).ok().shown(), Shown::Step(step) if step.step == "plan"));
}
