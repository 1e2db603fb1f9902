//! Messages.

mod delivery;
mod questions;
mod search;
mod undelivered;

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::sandbox::Sandbox;

/// An agent whose client has just begun a turn.
fn agent<'a>(sandbox: &'a Sandbox, session: &'a str) -> Client<'a> {
    let client = Client::claude(sandbox).session(session);
    client.hook("SessionStart", &json!({ "source": "startup" }));
    client
}

fn used() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["say", "hello", "--as", "lead"]).ok();
    sandbox
}
