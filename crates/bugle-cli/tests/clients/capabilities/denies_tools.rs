//! In a step that forbids changes, the client's own tool and shell commands cannot write a file. The next step can.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use super::Seen;
use crate::agent::{Sight, finish, sight};
use crate::work::{set_up, status};
use crate::workflows::FIX;

/// What the agent has tried in the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tries {
    Nothing,
    Tool,
    Shell,
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("fix", FIX)])?;
    let notes = sandbox.project().join("notes.txt");
    let spoiled = sandbox.project().join("spoiled.txt");
    let (file, spoiled_file) = (notes.display().to_string(), spoiled.display().to_string());
    let mut tries = Tries::Nothing;
    let model = move |request: &Request| match sight(request) {
        Sight::Nothing => Reply::shell("bugle start fix"),
        Sight::Step(seen) if seen.step == "look" => match tries {
            Tries::Nothing => {
                tries = Tries::Tool;
                Reply::write(&spoiled_file, "spoiled")
            }
            Tries::Tool => {
                tries = Tries::Shell;
                Reply::shell(format!("echo spoiled > {spoiled_file}"))
            }
            Tries::Shell => finish(&seen, &json!({ "found": "nothing" })),
        },
        Sight::Step(_) if !notes.exists() => Reply::write(&file, "fixed"),
        Sight::Step(seen) => Reply::shell(seen.command),
        Sight::Complete => Reply::text("They are fixed."),
    };
    let finished = sandbox.launch("Fix the notes.").run(model).ok();
    assert_eq!(finished.answer(), "They are fixed.", "{finished}");
    assert_eq!(status(&sandbox, "fix"), "completed");
    let written = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(written.trim(), "fixed", "{finished}");
    if spoiled.exists() {
        return Some(Seen::No);
    }
    let requests = finished.requests();
    let shown = requests.last()?.shown();
    for reason in ["the step \"Look only\" of fix", "this command writes "] {
        assert!(shown.contains(reason), "{reason}: {finished}");
    }
    Some(Seen::Yes)
}
