//! Bugle's hooks next to other hooks: the client calls both, and removing Bugle's hooks restores the file.

use std::fs;
use std::path::PathBuf;

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, turns};

use crate::work::add_skill;

const WAIT: &str = "version: 1
steps:
  watch:
    title: Watch the pot
    do: Watch until it boils.
    result:
      boiled: { type: boolean }
    next: end
";

/// Typical settings that both clients read, not in Bugle's formatting.
const OTHERS: &str = r#"{
    "hooks": {
          "SessionStart": [{"hooks": [{"type": "command", "command": "echo begun >> others.log"}]}],
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo tool >> others.log", "timeout": 7}]}
        ],
          "Stop": [{"hooks": [{"type": "command", "command": "echo stop >> others.log"}]}]
    }
}"#;

fn settings(sandbox: &Sandbox) -> PathBuf {
    let is_codex = sandbox.client() == Client::Codex;
    let file = if is_codex {
        ".codex/hooks.json"
    } else {
        ".claude/settings.json"
    };
    sandbox.project().join(file)
}

/// Starts a run, then tries to stop until Bugle allows it. Returns the number of model requests, and the lines that the
/// other hooks logged.
fn session(sandbox: &Sandbox) -> (usize, Vec<String>) {
    let log = sandbox.project().join("others.log");
    let model = turns("", [Reply::shell("bugle start wait"), Reply::text("It is on.")]);
    let finished = sandbox.launch("Make tea.").run(model).ok();
    let written = fs::read_to_string(&log).unwrap();
    fs::remove_file(log).unwrap();
    (
        finished.requests().len(),
        written.lines().map(str::to_owned).collect(),
    )
}

fn beside_others(client: Client) {
    let Some(sandbox) = crate::sandbox(client) else {
        return;
    };
    add_skill(&sandbox, "wait", WAIT);
    sandbox.write(&settings(&sandbox), OTHERS);
    sandbox.bugle(&["setup", client.as_str()]);
    sandbox.bugle(&["setup", client.as_str(), "--check"]);
    // The agent's stop is refused three times, so there are four stops.
    let (requests, written) = session(&sandbox);
    assert_eq!(requests, 5);
    assert_eq!(written, ["begun", "tool", "stop", "stop", "stop", "stop"]);
    let before = sandbox.bugle(&["setup", client.as_str(), "--remove"]);
    assert_eq!(
        fs::read_to_string(settings(&sandbox)).unwrap(),
        OTHERS,
        "{before}"
    );
    let (requests, written) = session(&sandbox);
    assert_eq!(requests, 2);
    assert_eq!(written, ["begun", "tool", "stop"]);
}

#[test]
fn claude_also_calls_other_hooks() {
    beside_others(Client::Claude);
}

#[test]
fn codex_also_calls_other_hooks() {
    beside_others(Client::Codex);
}
