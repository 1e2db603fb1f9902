//! Problems with gates, resuming and fan-in that users of other tools reported. Each test names the public thread.

use std::fs;

use serde_json::json;

use crate::support::review::{build, finding, judge, plan, reviewed, up_to_review};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::REVIEWER;

/// A skill whose first step is a gate, and whose last step asks a person.
const GATE_FIRST: &str = "
version: 1
steps:
  review:
    title: Review what is there
    do: A reviewer reads it.
    dispatch: { role: quality-reviewer, workflow: agents/review.yaml, with: { count: '1' } }
    gate: { name: Soundness, rework: fix, limit: 2 }
    next: { ok: approve, fail: fix }
  fix:
    title: Fix it
    do: Fix it.
    next: review
  approve:
    title: Let the user approve
    do: Ask.
    ask: { question: Should it be posted?, choices: [yes please, no] }
    next: post
  post:
    title: Post it
    do: 'Post it, because the user said {{ state.approve.answer }}.'
    next: end
";

fn gate_first() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let folder = sandbox.skill("gate-first", GATE_FIRST);
    sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
    sandbox
}

#[test]
fn archon_2735_rework_returns_to_the_gate_only_through_every_dependent_step() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    let fixing = sandbox.printed(gate.command()).ok().step();
    let building = plan(&sandbox, &fixing, 2);
    assert_eq!(
        (building.step.as_str(), building.starts.len()),
        ("build", 2),
        "everything is built again"
    );
    assert_ne!(building.starts, gate.starts);
}

#[test]
fn archon_1429_resuming_does_not_skip_an_approval() {
    let sandbox = gate_first();
    let gate = sandbox.start(&["gate-first"]);
    judge(&sandbox, &gate, &[]);
    let asking = sandbox.printed(gate.command()).ok().step();
    assert_eq!(asking.step, "approve");
    sandbox.run(&["pause", &asking.run]).ok();
    let resumed = sandbox.run(&["resume", &asking.run]).ok().step();
    assert_eq!((resumed.step.as_str(), resumed.choices.len()), ("approve", 2));
    assert_eq!(sandbox.position(&asking.run).0, "waiting");
    sandbox.run(&["done", &asking.visit]).refused("wrong-status");
}

#[test]
fn archon_1690_approving_continues_the_same_run() {
    let sandbox = gate_first();
    let gate = sandbox.start(&["gate-first"]);
    judge(&sandbox, &gate, &[]);
    let asking = sandbox.printed(gate.command()).ok().step();
    let posting = sandbox.printed(&asking.choices[0].command).ok().step();
    assert_eq!((posting.run, posting.step), (asking.run, "post".to_owned()));
    assert_eq!(
        sandbox.run(&["runs", "--json"]).ok().json()["data"]["runs"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn archon_2714_a_gate_as_the_first_step_can_be_resumed() {
    let sandbox = gate_first();
    let gate = sandbox.start(&["gate-first"]);
    assert_eq!((gate.step.as_str(), gate.starts.len()), ("review", 1));
    sandbox.run(&["pause"]).ok();
    let resumed = sandbox.run(&["resume", &gate.run]).ok().step();
    assert_eq!((&resumed.visit, &resumed.starts), (&gate.visit, &gate.starts));
    judge(&sandbox, &resumed, &[finding("must", "errors")]);
    assert_eq!(sandbox.printed(gate.command()).ok().step().step, "fix");
}

#[test]
fn archon_1381_a_run_with_a_failed_part_is_not_complete() {
    let sandbox = reviewed();
    let building = plan(&sandbox, &sandbox.start(&["reviewed"]), 2);
    build(&sandbox, &building.starts[0]);
    sandbox.printed(building.command()).refused("children-missing");
    let child = sandbox.printed(&building.starts[1]).ok().step();
    sandbox.run(&["cancel", &child.run]).ok();
    let refused = sandbox.printed(building.command()).refused("children-missing");
    assert!(refused.details[0].contains("cancelled"), "{refused:?}");
    assert_eq!(sandbox.position(&building.run).0, "active");
    // After a restart, the sub-agent makes a new attempt, and the join succeeds.
    build(&sandbox, &building.starts[1]);
    assert_eq!(sandbox.printed(building.command()).ok().step().step, "review");
}

#[test]
fn archon_1208_a_loop_continues_in_another_session() {
    let sandbox = reviewed();
    let one = |arguments: &[&str]| sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "s-one", arguments);
    let other = |arguments: &[&str]| sandbox.run_in_session("CODEX_THREAD_ID", "t-other", arguments);
    let step = one(&["start", "reviewed"]).ok().step();
    let gate = up_to_review(&sandbox, &step);
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    let fixing = other(&["done", &gate.visit]).ok().step();
    assert_eq!(fixing.banner, Some((1, "rework".to_owned())));
    let gate = up_to_review(&sandbox, &fixing);
    assert_eq!(
        other(&["step", &gate.run]).ok().step().banner,
        Some((2, "gate".to_owned()))
    );
}

#[test]
fn archon_1131_a_child_always_knows_its_parent() {
    let sandbox = reviewed();
    let building = plan(&sandbox, &sandbox.start(&["reviewed"]), 1);
    let child = sandbox.printed(&building.starts[0]).ok().step();
    // The store knows the parent even if the client forgets it.
    let shown = sandbox.run(&["show", &child.run, "--json"]).ok().json();
    let origin = shown["data"]["origin"].as_str().unwrap();
    assert!(origin.contains(&format!("{}/1", building.visit)), "{origin}");
    let word = sandbox.report(&child, &json!({ "report": "built" })).ok().out;
    assert!(word.contains(&building.visit), "{word}");
}

#[test]
fn archon_2707_questions_gates_and_pauses_wait_in_the_same_way() {
    let sandbox = gate_first();
    let gate = sandbox.start(&["gate-first"]);
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    let fixing = sandbox.printed(gate.command()).ok().step();
    let gate = sandbox.printed(fixing.command()).ok().step();
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    let deciding = sandbox.printed(gate.command()).ok().step();
    assert_eq!(sandbox.position(&deciding.run).0, "waiting");
    fs::write(deciding.reason_file.as_ref().unwrap(), "good enough").unwrap();
    let accept = &deciding.choices[1];
    let asking = sandbox.printed(&accept.command).ok().step();
    assert_eq!(
        (asking.step.as_str(), sandbox.position(&asking.run).0.as_str()),
        ("approve", "waiting")
    );
    let posting = sandbox.printed(&asking.choices[0].command).ok().step();
    assert_eq!(posting.step, "post");
}

#[test]
fn fabro_490_fan_in_passes_on_the_branches_results() {
    let sandbox = Sandbox::with_skill(
        "fan",
        "
version: 1
params:
  topics: { type: array, items: string, required: true, help: What to look at }
steps:
  look:
    title: Look
    do: 'Look at {{ child.topic }}.'
    dispatch: { role: explore, for_each: params.topics, as: topic, limit: 4 }
    result: { answer: { type: string, min: 1 } }
    next: tell
  tell:
    title: Tell
    do: |
      {% for child in state.look.children %}{{ child.params.topic }}: {{ child.result.answer }}
      {% endfor %}
    next: end
",
    );
    let params = sandbox.root().join("params.json");
    sandbox.write(&params, json!({ "topics": ["roof", "cellar"] }).to_string());
    let step = sandbox.start(&["fan", "--params-file", params.to_str().unwrap()]);
    for (command, answer) in step.starts.iter().zip(["it leaks", "it is dry"]) {
        let child = sandbox.printed(command).ok().step();
        sandbox.report(&child, &json!({ "answer": answer })).ok();
    }
    let told = sandbox.printed(step.command()).ok().step();
    assert_eq!(told.action, "roof: it leaks\ncellar: it is dry");
}

#[test]
fn fabro_818_all_branches_can_start_at_the_same_moment() {
    let sandbox = reviewed();
    let building = plan(&sandbox, &sandbox.start(&["reviewed"]), 12);
    let commands = building.starts.iter().map(|line| {
        let mut command = sandbox.command("sh", &sandbox.elsewhere());
        command.arg("-c").arg(line);
        command
    });
    let answers = crate::support::sandbox::all_at_once(commands.collect());
    let runs: std::collections::BTreeSet<String> =
        answers.into_iter().map(|answer| answer.ok().step().run).collect();
    assert_eq!(runs.len(), 12);
    sandbox.verify();
}

#[test]
fn fabro_738_a_fork_has_the_state_at_its_visit() {
    let sandbox = reviewed();
    let building = plan(&sandbox, &sandbox.start(&["reviewed"]), 2);
    for command in &building.starts {
        build(&sandbox, command);
    }
    let fork = sandbox.run(&["fork", &building.visit]).ok().step();
    assert_eq!(
        (fork.step.as_str(), fork.starts.len()),
        ("build", 2),
        "the fork has its own sub-agents"
    );
    assert_ne!(fork.starts, building.starts);
    for command in &fork.starts {
        build(&sandbox, command);
    }
    assert_eq!(sandbox.printed(fork.command()).ok().step().step, "review");
    assert_eq!(
        sandbox.run(&["step", &building.run]).ok().step().visit,
        building.visit
    );
}
