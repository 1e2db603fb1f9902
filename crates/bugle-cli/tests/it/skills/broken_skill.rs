//! A skill that a test breaks.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::sandbox::Sandbox;

pub(crate) const GOOD: &str = "version: 1\nsteps:\n  go: { title: Go, do: prompts/go.md, next: end }\n";

/// A sandbox with a valid skill, and the skill's folder.
pub(crate) fn good() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::with_skill("broken", GOOD);
    let folder = sandbox.project().join(".bugle/skills/broken");
    sandbox.write(&folder.join("prompts/go.md"), "Go on.");
    (sandbox, folder)
}

/// Breaks a valid skill. Asserts that every command refuses the skill because of this rule.
#[track_caller]
pub(crate) fn refused(rule: &str, break_it: impl FnOnce(&Path)) -> String {
    let (sandbox, folder) = good();
    break_it(&folder);
    refused_in(&sandbox, rule)
}

#[track_caller]
pub(crate) fn refused_in(sandbox: &Sandbox, rule: &str) -> String {
    let check = sandbox.run(&["skill", "check", "broken", "--json"]).exits(3);
    assert_eq!(check.err, "");
    let document = check.json();
    let problems = document["data"]["skills"][0]["problems"].as_array().unwrap();
    let of_rule: Vec<&Value> = problems
        .iter()
        .filter(|problem| problem["code"] == rule)
        .collect();
    assert!(!of_rule.is_empty(), "no {rule} in {problems:#?}");
    for problem in problems {
        assert_ne!(problem["message"], "");
        assert_ne!(problem["fix"], "");
    }
    sandbox.run(&["skill", "check", "broken"]).exits(3);
    sandbox
        .run(&["start", "broken"])
        .fails(3, "the skill `broken` is invalid");
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let skills = list["data"]["skills"].as_array().unwrap();
    assert!(skills.iter().any(|skill| skill["name"] == "broken"));
    let runs = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(runs["data"]["runs"], serde_json::json!([]), "no run was started");
    of_rule
        .iter()
        .map(|problem| problem["message"].as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Replaces the workflow.
pub(crate) fn workflow(text: impl AsRef<[u8]>) -> impl FnOnce(&Path) {
    move |folder| fs::write(folder.join("workflow.yaml"), text).unwrap()
}

/// Replaces the step's prompt.
pub(crate) fn prompt(text: impl AsRef<[u8]>) -> impl FnOnce(&Path) {
    move |folder| fs::write(folder.join("prompts/go.md"), text).unwrap()
}

pub(crate) fn many(text: &str, times: usize) -> String {
    text.repeat(times)
}
