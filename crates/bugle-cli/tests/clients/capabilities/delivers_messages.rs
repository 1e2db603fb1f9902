//! A message that arrives while the agent works is shown after the next tool call, once.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request, turns};

use super::Seen;
use crate::work::set_up;

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[])?;
    // Without a store, a hook does nothing.
    sandbox.bugle(&["say", "--as", "carol", "@human Good morning."]);
    let mut say = sandbox.command(sandbox.program().to_str()?);
    say.args(["say", "--as", "carol", "@all The kettle is on."]);
    let mut was_sent = false;
    let mut replies = turns("", [Reply::shell("echo on"), Reply::text("I heard.")]);
    let model = move |request: &Request| {
        // The first request may have another number, because a client may look for the server before.
        if !std::mem::replace(&mut was_sent, true) {
            assert!(say.output().unwrap().status.success());
        }
        replies(request)
    };
    let finished = sandbox.launch("Wait for news.").run(model).ok();
    let requests = finished.requests();
    let seen = requests
        .iter()
        .filter(|request| request.news().contains("The kettle is on.\n"));
    assert!(seen.count() <= 1, "{finished}");
    let shown = requests.iter().any(|request| {
        let news = request.news();
        news.contains("@carol") && news.contains("The kettle is on.")
    });
    Some(Seen::of(shown))
}
