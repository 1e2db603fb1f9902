//! Many processes at once: none is rejected, nothing is lost.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::sandbox::{Sandbox, all_at_once};
use crate::support::workflows::THREE;

/// A command with low priority, so that this many processes do not make the hooks of other tests time out.
fn at_low_priority(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command("nice", &sandbox.project());
    command.args(["-n", "19", "bugle"]).args(arguments);
    command
}

#[test]
fn many_sessions_can_start_at_once() {
    const SESSIONS: usize = 128;
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.start(&["three"]);
    let mut hooks = Vec::new();
    for number in 0..SESSIONS {
        let session = format!("session-{number}");
        let client = Client::claude(&sandbox).session(&session);
        let body = client.body("SessionStart", &json!({ "source": "startup" }));
        let mut hook = at_low_priority(&sandbox, &["hook", "SessionStart", "--client", "claude"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
        hooks.push(hook);
    }
    for hook in hooks {
        assert!(hook.wait_with_output().unwrap().status.success());
    }
    let log = fs::read_to_string(sandbox.bugle_home().join("hook.log")).unwrap_or_default();
    assert!(!log.contains("locked"), "{log}");
    sandbox.verify();
}

#[test]
fn sixty_four_writers_at_once_lose_nothing() {
    const WRITERS: usize = 64;
    let sandbox = Sandbox::new();
    let commands = (0..WRITERS).map(|number| {
        let text = format!("@backend number {number} of them");
        sandbox.bugle(&["say", &text, "--as", "lead"])
    });
    for answer in all_at_once(commands.collect()) {
        answer.exits(0);
    }
    let list = sandbox.run(&["messages", "--last", "100", "--json"]).ok().json();
    assert_eq!(list["data"]["messages"].as_array().unwrap().len(), WRITERS);
    sandbox.verify();
}

/// The next number of a fixed pseudo-random sequence.
fn next(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn a_hook_succeeds_on_any_input() {
    const CALLS: usize = 150;
    const EVENTS: [&str; 6] = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SubagentStart",
    ];
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.start(&["three"]);
    let mut seed = 7;
    for call in 0..CALLS {
        let event = EVENTS[call % EVENTS.len()];
        let facts = json!({
            "source": "startup", "prompt": "go on", "tool_name": "Bash", "stop_hook_active": false,
            "tool_input": { "command": "cp a b && echo 'x' > y", "file_path": "/x" }, "tool_response": [1, null],
        });
        let mut bytes = Client::claude(&sandbox).body(event, &facts).into_bytes();
        for _ in 0..=next(&mut seed) % 6 {
            let place = usize::try_from(next(&mut seed)).unwrap() % bytes.len();
            match next(&mut seed) % 4 {
                0 => bytes.truncate(place.max(1)),
                1 => bytes[place] = u8::try_from(next(&mut seed) % 256).unwrap(),
                2 => bytes.insert(
                    place,
                    b"{}[]\",:0\xff"[usize::try_from(next(&mut seed)).unwrap() % 9],
                ),
                _ => {
                    bytes.remove(place);
                    bytes.push(b'}');
                }
            }
        }
        let mut command = sandbox.bugle(&["hook", event, "--client", "claude"]);
        let mut hook = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A hook that has read enough may close its input.
        let _ = hook.stdin.take().unwrap().write_all(&bytes);
        let output = hook.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&bytes);
        assert!(output.status.success(), "{said}");
        assert!(output.stderr.is_empty(), "{said}");
        let is_json = serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok();
        assert!(output.stdout.is_empty() || is_json, "{said}");
    }
    sandbox.verify();
}
