//! Joins: every sub-agent's outcome is counted, and an open question keeps the step open.

use std::fs;

use serde_json::{Value, json};

use super::reports::building;
use crate::support::page::Page;
use crate::support::reply::Step;
use crate::support::review::{build, last_word, reviewed};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::REVIEWED;

/// One sub-agent, which asks the user a question before it reports.
const ASKER: &str = "
version: 1
steps:
  work:
    title: Have it built
    do: Start the builder.
    dispatch: { role: developer, workflow: agents/asker.yaml }
    next: { ok: deliver, fail: salvage }
  deliver: { title: Deliver it, do: Deliver what was built., next: end }
  salvage:
    title: Salvage it
    do: >-
      {% if state.work is defined %}{% for c in state.work.children if c.outcome != 'finished' %}{{ c.outcome }}:
      {{ c.reason }}{% endfor %}{% endif %}
    next: end
";

const ASKER_CHILD: &str = "
version: 1
steps:
  choose:
    title: Choose a colour
    do: Ask for the colour.
    ask: { question: Which colour?, choices: [red, green] }
    next: report
  report: { title: Report, do: Report., result: { report: string }, next: end }
";

/// Starts a sub-agent and stops it for this reason.
fn stop(sandbox: &Sandbox, start: &str, kind: &str, why: &str) -> Step {
    let child = sandbox.printed(start).ok().step();
    let words = ["done", &child.visit, "--escalate", kind, "--why", why];
    last_word(&sandbox.run(&words).ok());
    child
}

/// The result of the visit that ended last.
fn last_join(sandbox: &Sandbox, run: &str) -> Value {
    let detail = sandbox.run(&["show", run, "--json"]).ok().json();
    let timeline = detail["data"]["timeline"].as_array().unwrap();
    let ended = timeline.iter().rfind(|entry| entry["kind"] == "ended").unwrap();
    ended["details"].clone()
}

fn outcomes(joined: &Value) -> Vec<&str> {
    let children = joined["children"].as_array().unwrap();
    children
        .iter()
        .map(|child| child["outcome"].as_str().unwrap())
        .collect()
}

/// A project with the asking skill, its step, and the sub-agent's step, which is waiting for an answer.
fn asking() -> (Sandbox, Step, Step) {
    let sandbox = Sandbox::new();
    let folder = sandbox.skill("asker", ASKER);
    sandbox.write(&folder.join("agents/asker.yaml"), ASKER_CHILD);
    let step = sandbox.start(&["asker"]);
    let child = sandbox.printed(&step.starts[0]).ok().step();
    assert_eq!(child.question.as_deref(), Some("Which colour?"));
    (sandbox, step, child)
}

#[test]
fn the_refusal_prints_the_commands_that_answer_a_question_and_restart_the_sub_agent() {
    let (sandbox, step) = building(2);
    build(&sandbox, &step.starts[0]);
    let stopped = stop(&sandbox, &step.starts[1], "needs_decision", "SQLite or Postgres?");
    let refused = sandbox.printed(step.command()).refused("children-asking");
    let question = &refused.details[0];
    let (file, retry) = question
        .split_once("write the answer to ")
        .and_then(|(_, rest)| rest.split_once(" and run: "))
        .unwrap_or_else(|| panic!("{refused:?}"));
    fs::write(file, "SQLite").unwrap();
    let again = sandbox.printed(retry).ok().step();
    assert_eq!(again.starts, [step.starts[1].clone()]);
    // After the answer, the work is still not done.
    sandbox.printed(step.command()).refused("children-missing");
    let restarted = sandbox.printed(&again.starts[0]).ok().step();
    assert_ne!(restarted.run, stopped.run);
    assert!(restarted.notices[0].contains("SQLite"), "{restarted:?}");
    last_word(&sandbox.report(&restarted, &json!({ "report": "built" })).ok());
    assert_eq!(sandbox.printed(step.command()).ok().step().step, "review");
    assert_eq!(
        outcomes(&last_join(&sandbox, &step.run)),
        ["finished", "finished"]
    );
    sandbox.verify();
}

#[test]
fn a_sub_agent_waiting_for_the_user_keeps_the_step_open_until_its_question_is_answered() {
    let (sandbox, step, _) = asking();
    let refused = sandbox.printed(step.command()).refused("children-asking");
    let show = refused.details[0].rsplit(": ").next().unwrap();
    let asks = sandbox.printed(show).ok().step();
    let green = asks
        .choices
        .iter()
        .find(|choice| choice.answer == "green")
        .unwrap();
    let report = sandbox.printed(&green.command).ok().step();
    last_word(&sandbox.report(&report, &json!({ "report": "green" })).ok());
    assert_eq!(sandbox.printed(step.command()).ok().step().step, "deliver");
    sandbox.verify();
}

#[test]
fn a_question_to_the_user_that_stays_open_is_recorded_as_not_done() {
    let (sandbox, step, child) = asking();
    let next = sandbox.end_unanswered(&step).step();
    assert_eq!(next.step, "salvage");
    assert!(
        next.action
            .contains("waiting: its question to the user is not answered"),
        "{next:?}"
    );
    let joined = last_join(&sandbox, &step.run);
    assert_eq!(
        (outcomes(&joined), &joined["finished"]),
        (vec!["waiting"], &json!(0))
    );
    // Repeating the command prints the same output.
    let end = format!("bugle done '{}' --unanswered", step.visit);
    assert_eq!(sandbox.printed(&end).ok().step(), next);
    // A late answer changes nothing.
    let red = sandbox.printed(&child.choices[0].command).ok().step();
    let late = last_word(&sandbox.report(&red, &json!({ "report": "red" })).ok());
    assert!(late.verdict.contains("The report is late"), "{late:?}");
    assert_eq!(outcomes(&last_join(&sandbox, &step.run)), ["waiting"]);
    sandbox.verify();
}

#[test]
fn unfinished_work_is_never_listed_as_done() {
    let (sandbox, step) = building(3);
    build(&sandbox, &step.starts[0]);
    let blocked = stop(&sandbox, &step.starts[1], "blocked", "no access");
    stop(&sandbox, &step.starts[2], "uncertainty", "which of the two?");
    let wake = sandbox.run(&["wake", "--budget", "400"]).ok().out;
    assert!(
        wake.contains("cannot end yet: 2 of the step's sub-agents have open questions"),
        "{wake}"
    );
    assert!(wake.contains(&format!("bugle step {}", step.run)), "{wake}");
    sandbox.end_unanswered(&step);

    let shown = sandbox.run(&["show", &step.run]).ok().out;
    assert!(
        shown.contains("ended with ok, not done: sub-agent 2 (escalated), sub-agent 3 (escalated)"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("run {}: stopped (blocked): \"no access\"", blocked.run)),
        "{shown}"
    );
    let own = sandbox.run(&["show", &blocked.run]).ok().out;
    assert!(
        own.contains("This sub-agent's work is not done: it stopped (blocked): \"no access\"."),
        "{own}"
    );
    let page = Page::open(&sandbox);
    let reply = page.get(&format!("/runs/{}", step.run));
    let lines: Vec<&str> = reply
        .main()
        .lines()
        .filter(|line| line.contains(", sub-agent "))
        .collect();
    let of = |slot: u32| {
        let mark = format!("sub-agent {slot}:");
        *lines.iter().find(|line| line.contains(&mark)).unwrap()
    };
    assert!(of(1).contains("completed"), "{}", of(1));
    assert!(
        of(2).contains("blocked") && of(2).contains("no access"),
        "{}",
        of(2)
    );
    assert!(
        of(3).contains("uncertainty") && of(3).contains("which of the two?"),
        "{}",
        of(3)
    );
    for slot in [2, 3] {
        assert!(!of(slot).contains("completed"), "{}", of(slot));
    }
}

/// [`REVIEWED`], with an edge for a failed join.
fn mapped() -> String {
    let way = REVIEWED.replacen("next: review\n", "next: { ok: review, fail: salvage }\n", 1);
    assert_ne!(way, REVIEWED);
    format!("{way}  salvage:\n    title: Salvage it\n    do: Keep what was built.\n    next: end\n")
}

#[test]
fn skill_check_and_skill_test_cover_failed_joins() {
    let sandbox = reviewed();
    let file = sandbox.project().join(".bugle/skills/reviewed/workflow.yaml");
    fs::write(&file, mapped()).unwrap();
    let check = || sandbox.run(&["skill", "check", "reviewed"]).ok().out;
    assert!(!check().contains("unheeded-failure"), "{}", check());
    let tested = sandbox.run(&["skill", "test", "reviewed", "--json"]).ok().json();
    let missed = tested["data"]["missed"].to_string();
    assert!(!missed.contains("fail"), "{tested}");
    let blind = REVIEWED.replace("{{ state.build.finished }} parts", "it");
    assert_ne!(blind, REVIEWED);
    fs::write(&file, blind).unwrap();
    assert!(check().contains("unheeded-failure"), "{}", check());
}
