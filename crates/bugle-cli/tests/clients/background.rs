//! Sub-agents in the background, which is the client's default: the orchestrator ends its turn before they have started
//! their work, is not refused, and continues when they have reported.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, between, finish, sight};
use crate::subagents::send;
use crate::work::{data, runs, set_up};

const SURVEY: &str = "version: 1
steps:
  survey:
    title: Survey the cellar
    do: Say what is in the cellar.
    dispatch: { role: explore }
    next: note
  note:
    title: Note it down
    do: Note it.
    next: end
";

/// Another hook of the user. It lets the sub-agent start its work when the orchestrator tries to stop.
const OTHERS: &str =
    r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "sh stopped.sh" }] }] } }"#;

/// Writes to the pipe, once.
const STOPPED: &str = "mkdir once && timeout 60 sh -c 'echo go > pipe'; true";

/// The notice when no sub-agent is working.
const RETURNED: &str = "1 of 1 sub-agents have reported, and none is working.";

/// A sub-agent that starts its work when its orchestrator tries to stop.
fn child(request: &Request) -> Reply {
    let shown = request.shown();
    match sight(request) {
        Sight::Nothing => {
            let start = between(&shown, "<start>", "</start>").unwrap();
            Reply::shell(format!("timeout 60 cat pipe && {start}"))
        }
        Sight::Step(seen) => finish(&seen, &json!({ "report": "Jam." })),
        Sight::Complete => Reply::text("I have reported."),
    }
}

/// A literal orchestrator: it starts the sub-agent twice, and then ends its turn.
fn orchestrator() -> impl FnMut(&Request) -> Reply + Send + 'static {
    let mut sent = 0;
    move |request| {
        if request.subagent().is_some() {
            return child(request);
        }
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" && !request.shown().contains(RETURNED) => {
                sent += 1;
                match sent {
                    1 | 2 => send(Client::Claude, &seen, true),
                    _ => Reply::text("The sub-agent is on its way."),
                }
            }
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("All is noted."),
        }
    }
}

#[test]
fn claude_ends_its_turn_before_its_sub_agent_has_started_and_is_woken_by_the_report() {
    let Some(sandbox) = set_up(Client::Claude, &[("survey", SURVEY)]) else {
        return;
    };
    sandbox.write(&sandbox.project().join(".claude/settings.local.json"), OTHERS);
    sandbox.write(&sandbox.project().join("stopped.sh"), STOPPED);
    sandbox.tool("mkfifo", &["pipe"]);
    let finished = sandbox.launch("Survey the cellar.").run(orchestrator()).ok();
    assert_eq!(finished.answer(), "All is noted.", "{finished}");
    let own: Vec<&Request> = finished
        .requests()
        .into_iter()
        .filter(|request| request.subagent().is_none())
        .collect();
    let with = |text: &str| own.iter().filter(|request| request.news().contains(text)).count();
    assert_eq!(with("Your turn is not over"), 0, "{finished}");
    assert_eq!(with("already works on"), 1, "the second start: {finished}");
    assert_eq!(with(RETURNED), 1, "{finished}");
    let all = runs(&sandbox);
    assert_eq!(all[0].2, "completed", "{all:?}");
    let told = data(&sandbox, &["messages", "--for", "human"]);
    assert_eq!(told["messages"].as_array().unwrap().len(), 0, "{told}");
}
