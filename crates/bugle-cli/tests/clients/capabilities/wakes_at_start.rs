//! A new session sees the run that a user started in a terminal, and the command that takes it over.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, turns};

use super::Seen;
use crate::work::set_up;
use crate::workflows::ERRAND;

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("errand", ERRAND)])?;
    sandbox.bugle(&["start", "errand"]);
    // A client that shows no context with the first prompt may show it after a tool call. A client may not wait for
    // the hook at the start, so the first call can be over before.
    let calls = (1..=5).map(|number| Reply::shell(format!("echo hello {number}")));
    let model = turns("", calls.chain([Reply::text("Hello.")]));
    let finished = sandbox.launch("Say hello.").run(model).ok();
    let requests = finished.requests();
    Some(Seen::of(requests.iter().any(|request| {
        // Qwen Code puts the wake-up into its system prompt.
        let shown = match client {
            Client::Qwen => request.shown(),
            _ => request.news(),
        };
        shown.contains("of errand is open here") && shown.contains("bugle run resume ")
    })))
}
