//! A forbidden action is denied with a reason, however the agent tries it. The next step allows the action again.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request, turns};
use serde_json::json;

use crate::agent::{Sight, finish, sight};
use crate::work::{denial, set_up, status, write};
use crate::workflows::FIX;

fn forbidden(client: Client) {
    let Some(sandbox) = set_up(client, &[("fix", FIX)]) else {
        return;
    };
    let notes = sandbox.project().join("notes.txt");
    let model = move |request: &Request| {
        let shown = request.shown();
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start fix"),
            Sight::Step(seen) if seen.step == "look" => {
                assert!(!notes.exists(), "{shown}");
                if !shown.contains(denial(client)) {
                    write(client, "notes.txt", "spoiled")
                } else if !shown.contains("this command writes notes.txt") {
                    Reply::shell("echo spoiled > notes.txt")
                } else {
                    finish(&seen, &json!({ "found": "nothing" }))
                }
            }
            Sight::Step(_) if !notes.exists() => write(client, "notes.txt", "fixed"),
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("They are fixed."),
        }
    };
    let finished = sandbox.launch("Fix the notes.").run(model).ok();
    assert_eq!(finished.answer(), "They are fixed.", "{finished}");
    let requests = finished.requests();
    assert_eq!(requests.len(), 7, "{finished}");
    for (at, reason) in [
        (2, denial(client)),
        (
            3,
            "does not allow changes to files: this command writes notes.txt",
        ),
    ] {
        let result = requests[at].last_tool_result().unwrap();
        assert!(result.contains("the step \"Look only\" of fix"), "{result}");
        assert!(result.contains(reason), "{result}");
        assert!(
            result.contains("When the step is done, run: bugle done 'r-"),
            "{result}"
        );
    }
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(notes.trim(), "fixed");
    assert_eq!(status(&sandbox, "fix"), "completed");
}

#[test]
fn claude_is_denied_what_the_step_forbids() {
    forbidden(Client::Claude);
}

#[test]
fn codex_is_denied_what_the_step_forbids() {
    forbidden(Client::Codex);
}

/// Some models call Codex's tools from programs that they write. The same denials apply there.
#[test]
fn codex_is_denied_the_same_in_programs() {
    let Some(sandbox) = set_up(Client::Codex, &[("fix", FIX)]) else {
        return;
    };
    let notes = sandbox.project().join("notes.txt");
    let shell = |command: &str| {
        let command = json!({ "cmd": command });
        Reply::script(format!(
            "const r = await tools.exec_command({command}); text(r.output);"
        ))
    };
    let patch = "*** Begin Patch\n*** Add File: notes.txt\n+spoiled\n*** End Patch";
    let replies = [
        shell("bugle start fix"),
        Reply::script(format!("text(await tools.apply_patch({}));", json!(patch))),
        shell("echo spoiled > notes.txt"),
    ];
    let model = turns("", replies);
    let finished = sandbox
        .launch("Fix the notes.")
        .arguments(&["-m", "gpt-6-sol"])
        .run(model)
        .ok();
    assert!(!notes.exists(), "{finished}");
    let requests = finished.requests();
    assert!(
        requests[2].news().contains("does not allow the apply_patch tool"),
        "{finished}"
    );
    assert!(
        requests[3].news().contains("this command writes notes.txt"),
        "{finished}"
    );
}
