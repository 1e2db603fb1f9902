//! What a step forbids is denied, with the reason, however it is tried; the next step allows it again.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, finish, sight};
use crate::work::{denial, set_up, status, write};

const MEND: &str = "version: 1
steps:
  look:
    title: Look only
    do: Look at notes.txt.
    tools: { deny: [Edit, Write] }
    result:
      found: { type: string }
    next: mend
  mend:
    title: Mend them
    do: Write notes.txt.
    next: end
";

fn forbidden(client: Client) {
    let Some(sandbox) = set_up(client, &[("mend", MEND)]) else {
        return;
    };
    let notes = sandbox.project().join("notes.txt");
    let model = move |request: &Request| {
        let shown = request.shown();
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start mend"),
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
            Sight::Step(_) if !notes.exists() => write(client, "notes.txt", "mended"),
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("They are mended."),
        }
    };
    let finished = sandbox.launch("Mend the notes.").run(model).ok();
    assert_eq!(finished.answer(), "They are mended.", "{finished}");
    let requests = finished.requests();
    assert_eq!(requests.len(), 7, "{finished}");
    for (at, reason) in [
        (2, denial(client)),
        (3, "allows no changes to files, and this command writes notes.txt"),
    ] {
        let result = requests[at].last_tool_result().unwrap();
        assert!(result.contains("the step \"Look only\" of mend"), "{result}");
        assert!(result.contains(reason), "{result}");
        assert!(
            result.contains("When the step is done: bugle done 'r-"),
            "{result}"
        );
    }
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(notes.trim(), "mended");
    assert_eq!(status(&sandbox, "mend"), "completed");
}

#[test]
fn claude_is_denied_what_the_step_forbids() {
    forbidden(Client::Claude);
}

#[test]
fn codex_is_denied_what_the_step_forbids() {
    forbidden(Client::Codex);
}
