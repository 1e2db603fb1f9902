//! A role restricts only its own sub-agent. An orchestrator that is compacted while a sub-agent works loses nothing.

use std::fs;

use bugle_testkit::clients::{CROWDED, Client, ROOMY, Sandbox};
use bugle_testkit::model_server::{Call, Reply, Request};
use serde_json::json;

use crate::agent::{Seen, Sight, between, finish, sight};
use crate::work::{denial, runs, set_up, status, trace, write};
use crate::workflows::SURVEY;

/// The orchestrator's notice when no sub-agent is working.
const RETURNED: &str = "1 of 1 sub-agents have reported, and none is working.";

pub(crate) fn send(client: Client, seen: &Seen, in_background: bool) -> Reply {
    let [start] = seen.starts.as_slice() else {
        panic!("{seen:?}")
    };
    let prompt = format!("<task>Survey the cellar</task>\n<start>{start}</start>");
    start_subagent(client, &prompt, in_background)
}

/// A reply that starts a sub-agent with a prompt.
pub(crate) fn start_subagent(client: Client, prompt: &str, in_background: bool) -> Reply {
    if client == Client::Codex {
        let input = json!({ "message": prompt, "agent_type": "default" });
        return of_agents("spawn_agent", input);
    }
    Reply::tool(
        "Agent",
        json!({
            "description": "Survey the cellar",
            "prompt": prompt,
            "subagent_type": "general-purpose",
            "run_in_background": in_background,
        }),
    )
}

/// A tool for sub-agents in Codex.
pub(crate) fn of_agents(name: &str, input: serde_json::Value) -> Reply {
    let mut reply = Reply::tool(name, input);
    if let Some(Call::Tool { namespace, .. }) = reply.calls.first_mut() {
        *namespace = Some("multi_agent_v1".to_owned());
    }
    reply
}

/// A sub-agent that tries to write with a tool and with a command, and then reports.
fn child(client: Client, request: &Request) -> Reply {
    let shown = request.shown();
    match sight(request) {
        Sight::Nothing => Reply::shell(between(&shown, "<start>", "</start>").unwrap()),
        Sight::Step(_) if !shown.contains(denial(client)) => write(client, "notes.txt", "spoiled"),
        Sight::Step(_) if !shown.contains("this command writes notes.txt") => {
            Reply::shell("echo spoiled > notes.txt")
        }
        Sight::Step(seen) => finish(&seen, &json!({ "report": "Jam." })),
        Sight::Complete => Reply::text("I have reported."),
    }
}

fn denied(client: Client) {
    let Some(sandbox) = set_up(client, &[("survey", SURVEY)]) else {
        return;
    };
    let notes = sandbox.project().join("notes.txt");
    let model = move |request: &Request| {
        if request.subagent().is_some() {
            return child(client, request);
        }
        let shown = request.shown();
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" && shown.contains(RETURNED) => {
                assert!(!notes.exists(), "the sub-agent wrote what it may not");
                Reply::shell(seen.command)
            }
            Sight::Step(seen) if seen.step == "survey" => match between(&shown, "\"agent_id\":\"", "\"") {
                Some(agent) => of_agents("wait_agent", json!({ "targets": [agent], "timeout_ms": 60_000 })),
                None => send(client, &seen, false),
            },
            Sight::Step(_) if !notes.exists() => write(client, "notes.txt", "jam"),
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("All is noted."),
        }
    };
    let finished = sandbox.launch("Survey the cellar.").run(model).ok();
    assert_eq!(finished.answer(), "All is noted.", "{finished}");
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(notes.trim(), "jam", "{finished}");
    assert_eq!(status(&sandbox, "survey"), "completed", "{finished}");
}

#[test]
fn sub_agents_of_claude_are_restricted_by_their_role() {
    denied(Client::Claude);
}

#[test]
fn sub_agents_of_codex_are_restricted_by_their_role() {
    denied(Client::Codex);
}

/// A command with a timeout. Both ends of a pipe wait for each other, which synchronises a sub-agent and its
/// orchestrator.
fn bounded(command: &str) -> Reply {
    Reply::shell(format!("timeout 60 sh -c '{command}'"))
}

/// A sub-agent that starts, waits at two pipes, reports, and waits at a third.
fn patient(request: &Request) -> Reply {
    let shown = request.shown();
    match sight(request) {
        Sight::Nothing => Reply::shell(between(&shown, "<start>", "</start>").unwrap()),
        Sight::Step(_) if !shown.contains("both are open") => {
            bounded("cat first && cat second && echo both are open")
        }
        Sight::Step(seen) => {
            let file = seen.file.unwrap();
            let report = json!({ "report": "Jam." });
            Reply::shell(format!(
                "printf '%s' '{report}' > '{file}' && {} && timeout 60 cat third",
                seen.command
            ))
        }
        Sight::Complete => Reply::text("I have reported."),
    }
}

/// The trace of the orchestrator's run. Its conversation may be compacted while the sub-agent works.
fn surveyed(sandbox: &Sandbox, compacted: bool) -> Vec<String> {
    let client = sandbox.client();
    let crowded = if compacted { CROWDED } else { ROOMY };
    let mut rounds = vec![crowded, ROOMY, ROOMY / 2];
    let mut sent = false;
    let model = move |request: &Request| {
        if request.subagent().is_some() {
            return patient(request);
        }
        if request.asks_for_summary() {
            return Reply::text("<summary>Somebody was sent.</summary>");
        }
        let shown = request.shown();
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" => {
                if !std::mem::replace(&mut sent, true) {
                    return send(client, &seen, true);
                }
                match rounds.pop() {
                    // The orchestrator continues when the sub-agent reaches the first pipe.
                    Some(tokens) if tokens == ROOMY / 2 => bounded("sh open.sh first").at(tokens),
                    Some(tokens) => Reply::shell("echo at work").at(tokens),
                    None if shown.contains("it has reported") => Reply::shell(seen.command),
                    None => {
                        let woken = shown.matches("# Wake-up for").count();
                        assert_eq!(woken, usize::from(compacted), "{shown}");
                        assert_eq!(shown.contains("<step_header"), !compacted, "{shown}");
                        assert_eq!(
                            shown.contains("1: working on step `survey`"),
                            compacted,
                            "{shown}"
                        );
                        bounded("sh open.sh second && sh open.sh third && echo it has reported")
                    }
                }
            }
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("The cellar is surveyed."),
        }
    };
    let finished = sandbox
        .launch("Survey the cellar.")
        .compacting_early()
        .run(model)
        .ok();
    let summaries = finished
        .requests()
        .iter()
        .filter(|request| request.asks_for_summary())
        .count();
    assert_eq!(summaries, usize::from(compacted), "{finished}");
    let (_, run, status) = runs(sandbox).remove(0);
    assert_eq!(status, "completed", "{finished}");
    trace(sandbox, &run)
}

fn compacted_meanwhile(client: Client) {
    let Some(sandbox) = set_up(client, &[("survey", SURVEY)]) else {
        return;
    };
    // The orchestrator may not write to files, and a hook mistakes a pipe for a file. Hooks do not look into scripts,
    // so a script writes to the pipe.
    fs::write(sandbox.project().join("open.sh"), "echo go > \"$1\"\n").unwrap();
    let pipes = ["first", "second", "third"];
    sandbox.tool("mkfifo", &pipes);
    let remembered = surveyed(&sandbox, false);
    let forgotten = surveyed(&sandbox, true);
    assert!(remembered.len() > 6, "{remembered:#?}");
    assert_eq!(without_runs(forgotten), without_runs(remembered));
}

/// Removes the ids of sub-agents' runs, which differ every time.
fn without_runs(trace: Vec<String>) -> Vec<String> {
    let plain = |line: String| {
        let words = line
            .split('"')
            .map(|word| if word.starts_with("r-") { "CHILD" } else { word });
        words.collect::<Vec<_>>().join("\"")
    };
    trace.into_iter().map(plain).collect()
}

#[test]
fn claude_is_compacted_while_a_sub_agent_works() {
    compacted_meanwhile(Client::Claude);
}

#[test]
fn codex_is_compacted_while_a_sub_agent_works() {
    compacted_meanwhile(Client::Codex);
}

/// A compacted sub-agent continues its own run. The compaction does not affect the orchestrator.
fn compacted_itself(client: Client) {
    let Some(sandbox) = set_up(client, &[("survey", SURVEY)]) else {
        return;
    };
    let mut rounds = vec![CROWDED, ROOMY, ROOMY / 2];
    let mut worker = move |request: &Request| match sight(request) {
        Sight::Nothing => Reply::shell(between(&request.shown(), "<start>", "</start>").unwrap()),
        Sight::Step(seen) => match rounds.pop() {
            Some(tokens) => Reply::shell("echo at work").at(tokens),
            None => finish(&seen, &json!({ "report": "Jam." })),
        },
        Sight::Complete => Reply::text("I have reported."),
    };
    let model = move |request: &Request| {
        if request.asks_for_summary() {
            return Reply::text("<summary>Something was done.</summary>");
        }
        if request.subagent().is_some() {
            return worker(request);
        }
        let shown = request.shown();
        assert!(!shown.contains("# Wake-up for"), "{shown}");
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" && !shown.contains(RETURNED) => {
                match between(&shown, "\"agent_id\":\"", "\"") {
                    Some(agent) => {
                        of_agents("wait_agent", json!({ "targets": [agent], "timeout_ms": 60_000 }))
                    }
                    None => send(client, &seen, false),
                }
            }
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("The cellar is surveyed."),
        }
    };
    let finished = sandbox
        .launch("Survey the cellar.")
        .compacting_early()
        .run(model)
        .ok();
    assert_eq!(finished.answer(), "The cellar is surveyed.", "{finished}");
    assert_eq!(status(&sandbox, "survey"), "completed", "{finished}");
    let requests = finished.requests();
    let own = requests.iter().filter(|request| request.subagent().is_some());
    let mut after = own.skip_while(|request| !request.asks_for_summary()).skip(1);
    // Codex calls no hook here, so at first the sub-agent has only the prompt.
    if client == Client::Claude {
        let shown = after.next().unwrap().shown();
        assert_eq!(
            shown.matches("You are a sub-agent working on step").count(),
            1,
            "{shown}"
        );
        assert!(shown.contains("Say what is in the cellar."), "{shown}");
        assert!(!shown.contains("# Wake-up for"), "{shown}");
    }
}

#[test]
fn a_compacted_sub_agent_of_claude_continues_its_run() {
    compacted_itself(Client::Claude);
}

#[test]
fn a_compacted_sub_agent_of_codex_continues_its_run() {
    compacted_itself(Client::Codex);
}
