//! A resumed session keeps its id and its run, and its rules still apply.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request, turns};
use serde_json::json;

use super::Seen;
use crate::agent::{Sight, between, finish, sight};
use crate::work::{set_up, status};

const LOOK: &str = "version: 1
steps:
  look:
    title: Look only
    do: Look around.
    tools: { deny: [Edit, Write] }
    ask: { question: May I go on?, choices: ['yes', 'no'] }
    next: tell
  tell:
    title: Tell
    do: Tell what you saw.
    result:
      seen: { type: string }
    next: end
";

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("look", LOOK)])?;
    let model = turns(
        "",
        [Reply::shell("bugle start look"), Reply::text("May I go on?")],
    );
    let first = sandbox.launch("Look around.").run(model).ok();
    let session = first.session();
    let spoiled = sandbox.project().join("spoiled.txt");
    let write = format!("echo spoiled > {}", spoiled.display());
    let mut tried = false;
    let model = move |request: &Request| match sight(request) {
        Sight::Step(seen) if seen.step == "tell" => finish(&seen, &json!({ "seen": "a cat" })),
        Sight::Complete => Reply::text("I saw a cat."),
        _ if !tried => {
            tried = true;
            Reply::shell(write.clone())
        }
        _ => {
            let shown = request.shown();
            let visit = between(&shown, "bugle decide '", "'").unwrap_or("r-none");
            Reply::shell(format!("bugle decide '{visit}' yes"))
        }
    };
    let second = sandbox.launch("Yes, go on.").resume(&session).run(model).ok();
    assert_eq!(second.session(), session, "{second}");
    assert_eq!(second.answer(), "I saw a cat.", "{second}");
    assert_eq!(status(&sandbox, "look"), "completed");
    Some(Seen::of(!spoiled.exists()))
}
