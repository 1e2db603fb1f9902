//! A sub-agent works in its own run, with its role's rules, and its report ends the orchestrator's step.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use super::Seen;
use crate::agent::{Seen as Shown, Sight, between, finish, sees_prompt, sight};
use crate::work::{set_up, status};
use crate::workflows::SURVEY;

const PROMPT: &str = "Find out what we have downstairs.";

/// The notice that the orchestrator sees when its sub-agent has reported.
const RETURNED: &str = "1 of 1 sub-agents have reported, and none is working.";

/// A sub-agent that tries to write a file, and then reports.
fn child(request: &Request, file: &str) -> Reply {
    let shown = request.shown();
    match sight(request) {
        Sight::Nothing => Reply::shell(between(&shown, "<start>", "</start>").unwrap()),
        Sight::Step(_) if !shown.contains("this command writes ") && !shown.contains("spoiled it") => {
            Reply::shell(format!("echo spoiled > {file} && echo spoiled it"))
        }
        Sight::Step(seen) => finish(&seen, &json!({ "report": "Jam." })),
        Sight::Complete => Reply::report(request, "I have reported."),
    }
}

/// Starts the sub-agent, or waits for it in a client whose tool does not wait.
fn delegate(request: &Request, seen: &Shown) -> Reply {
    let shown = request.shown();
    if let Some(agent) = between(&shown, "\"agent_id\":\"", "\"") {
        let input = json!({ "targets": [agent], "timeout_ms": 60_000 });
        return crate::subagents::of_agents("wait_agent", input);
    }
    let [start] = seen.starts.as_slice() else {
        panic!("{seen:?}")
    };
    Reply::agent(format!("<task>Survey the cellar</task>\n<start>{start}</start>"))
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("survey", SURVEY)])?;
    let notes = sandbox.project().join("notes.txt");
    let file = notes.display().to_string();
    let model = move |request: &Request| {
        if !sees_prompt(request, PROMPT) {
            return child(request, &file);
        }
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" => {
                if request.shown().contains(RETURNED) {
                    Reply::shell(seen.command)
                } else {
                    delegate(request, &seen)
                }
            }
            Sight::Step(seen) => Reply::shell(format!("echo jam >> {file} && {}", seen.command)),
            Sight::Complete => Reply::text("All is noted."),
        }
    };
    let finished = sandbox.launch(PROMPT).run(model).ok();
    assert_eq!(finished.answer(), "All is noted.", "{finished}");
    assert_eq!(status(&sandbox, "survey"), "completed", "{finished}");
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    Some(Seen::of(notes.trim() == "jam"))
}
