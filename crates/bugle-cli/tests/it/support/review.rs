//! Runs that reach a review.

use std::fs;

use serde_json::{Value, json};

use super::reply::{LastWord, Shown, Step};
use super::sandbox::{Answer, Sandbox};
use super::workflows::{REVIEWED, REVIEWER};

/// A project with a skill whose reviewer is scripted.
pub(crate) fn reviewed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let folder = sandbox.skill("reviewed", REVIEWED);
    sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
    sandbox
}

pub(crate) fn finding(severity: &str, category: &str) -> Value {
    json!({
        "severity": severity, "category": category, "location": "src/lib.rs:7", "element": format!("the {category} of parse"),
        "problem": "it accepts anything", "action": "refuse what is not a number",
    })
}

pub(crate) fn review(findings: &[Value]) -> Value {
    json!({ "checks": ["errors", "naming"], "findings": findings })
}

/// Plans this many parts, and continues to the build step.
pub(crate) fn plan(sandbox: &Sandbox, step: &Step, parts: usize) -> Step {
    let parts: Vec<String> = (1..=parts).map(|part| format!("part {part}")).collect();
    sandbox.report(step, &json!({ "parts": parts })).ok().step()
}

/// Starts a sub-agent with this command and completes its only step.
pub(crate) fn build(sandbox: &Sandbox, command: &str) -> LastWord {
    let step = sandbox.printed(command).ok().step();
    last_word(&sandbox.report(&step, &json!({ "report": "built" })).ok())
}

#[track_caller]
pub(crate) fn last_word(answer: &Answer) -> LastWord {
    match answer.shown() {
        Shown::LastWord(word) => word,
        other => panic!("not a final message: {other:?}"),
    }
}

/// Plans and builds everything, up to the review.
pub(crate) fn up_to_review(sandbox: &Sandbox, planned: &Step) -> Step {
    let building = plan(sandbox, planned, 2);
    for command in &building.starts {
        build(sandbox, command);
    }
    let gate = sandbox.printed(building.command()).ok().step();
    assert_eq!(gate.step, "review");
    gate
}

/// Reports these findings as a gate's reviewer; returns the message to the orchestrator.
pub(crate) fn judge(sandbox: &Sandbox, gate: &Step, findings: &[Value]) -> LastWord {
    let [command] = gate.starts.as_slice() else {
        panic!("{gate:?}")
    };
    let first = sandbox.printed(command).ok().step();
    let second = sandbox.printed(first.command()).ok().step();
    last_word(&sandbox.report(&second, &review(findings)).ok())
}

/// Chooses an answer at a gate's limit, with a reason.
pub(crate) fn choose(sandbox: &Sandbox, step: &Step, answer: &str) -> Answer {
    let choice = step
        .choices
        .iter()
        .find(|choice| choice.answer == answer)
        .unwrap();
    fs::write(step.reason_file.as_ref().unwrap(), "we ship on Friday").unwrap();
    sandbox.printed(&choice.command)
}

/// Fails the gate until a person has to decide.
pub(crate) fn at_the_limit(sandbox: &Sandbox) -> Step {
    up_to_the_limit(sandbox, sandbox.start(&["reviewed"]))
}

pub(crate) fn up_to_the_limit(sandbox: &Sandbox, begun: Step) -> Step {
    let mut step = begun;
    for iteration in 1..=5 {
        let gate = up_to_review(sandbox, &step);
        assert_eq!(gate.banner, Some((iteration, "gate".to_owned())));
        let word = judge(sandbox, &gate, &[finding("must", "errors")]);
        step = sandbox.printed(&word.command).ok().step();
    }
    step
}
