//! Bugle starts an agent with write access. The agent finishes a step, gets a message after its turn, and is resumed in
//! its session.

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, Request};

use super::Seen;
use crate::agent::{Sight, sight};
use crate::work::{add_skill, status};

const LAUNDRY: &str = "version: 1
steps:
  fold:
    title: Fold it
    do: Fold it.
    next: end
";

const MESSAGE: &str = "The iron is hot.";

/// Starts the agent, sends it a message, and lets a supervisor deliver it.
const SCRIPT: &str = "
bugle agent spawn CLIENT 'Do the laundry.' --name washer --sandbox write
bugle say --as carol '@washer The iron is hot.'
bugle up --once
";

fn washer(request: &Request) -> Reply {
    if request.news().contains(MESSAGE) {
        return Reply::text("I am ironing.");
    }
    match sight(request) {
        Sight::Nothing => Reply::shell("bugle start laundry"),
        Sight::Step(seen) => Reply::shell(seen.command),
        Sight::Complete => Reply::text("It is folded."),
    }
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = crate::sandbox(client).and_then(Sandbox::with_all_clients)?;
    add_skill(&sandbox, "laundry", LAUNDRY);
    sandbox.bugle(&["setup", client.as_str(), "--user"]);
    let script = SCRIPT.replace("CLIENT", client.as_str());
    let finished = sandbox.script(&script).run(washer).ok();
    let resumed = finished
        .requests()
        .iter()
        .any(|request| request.shown().contains("Do the laundry.") && request.news().contains(MESSAGE));
    let answer = sandbox.bugle(&["agent", "result", "washer"]);
    assert!(
        status(&sandbox, "laundry") == "completed" || finished.requests().len() <= 12,
        "{finished}"
    );
    let is_complete = status(&sandbox, "laundry") == "completed";
    Some(Seen::of(
        is_complete && resumed && answer.contains("I am ironing."),
    ))
}
