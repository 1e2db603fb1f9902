//! A session that is cleared or continues in another process keeps its work.

use std::time::Duration;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, asked_for, finish, sight};
use crate::work::{set_up, status};

const PATIENCE: Duration = Duration::from_mins(1);

const KNIT: &str = "version: 1
steps:
  cast_on:
    title: Cast on
    do: Cast on some stitches.
    result:
      stitches: { type: integer, min: 1 }
    next: end
";

/// A model that starts the skill, waits for the prompt `Finish it.`, and then finishes the step that it sees.
fn knitter(request: &Request) -> Reply {
    let may_finish = request.shown().contains("Finish it.");
    match sight(request) {
        Sight::Nothing => Reply::shell(asked_for(request).unwrap()),
        Sight::Step(seen) if may_finish => finish(&seen, &json!({ "stitches": 40 })),
        Sight::Step(_) => Reply::text("I wait."),
        Sight::Complete => Reply::text("Cast on."),
    }
}

/// Only Claude Code: Codex needs a person at its screen to clear a session.
#[test]
fn claude_knows_its_work_after_it_was_cleared() {
    let Some(sandbox) = set_up(Client::Claude, &[("knit", KNIT)]) else {
        return;
    };
    let launch = sandbox.launch("Run `bugle start knit` and wait.");
    let mut running = launch.resident().start(knitter);
    // The agent may stop after three refusals.
    let waits =
        |at: usize| move |exchange: &bugle_testkit::model_server::Exchange| exchange.request.number == at;
    let waiting = running.log().wait_for(waits(5), PATIENCE);
    assert!(waiting.is_some(), "{:?}", running.log());
    running.say("/clear");
    running.say("Finish it.");
    let finished = running.finish().ok();
    assert_eq!(finished.answer(), "Cast on.", "{finished}");
    let requests = finished.requests();
    let (before, after) = (requests[4], requests[5]);
    assert_ne!(before.session(), after.session(), "{finished}");
    let shown = after.shown();
    assert!(!shown.contains("bugle start knit"), "{shown}");
    assert_eq!(shown.matches("# Wake-up for").count(), 1, "{shown}");
    assert!(shown.contains(" at step cast_on,"), "{shown}");
    assert_eq!(status(&sandbox, "knit"), "completed", "{finished}");
}

/// In another process the session still has its history, so the wake-up contains only the position.
fn resumed(client: Client) {
    let Some(sandbox) = set_up(client, &[("knit", KNIT)]) else {
        return;
    };
    let first = sandbox
        .launch("Run `bugle start knit` and wait.")
        .run(knitter)
        .ok();
    assert_eq!(first.answer(), "I wait.");
    let second = sandbox
        .launch("Finish it.")
        .resume(&first.session())
        .run(knitter)
        .ok();
    assert_eq!(second.answer(), "Cast on.", "{second}");
    let news = second.requests()[0].news();
    assert!(news.contains("Finish it."), "{news}");
    assert!(news.contains(" at step cast_on,"), "{news}");
    assert!(!news.contains("Cast on some stitches."), "{news}");
    assert_eq!(status(&sandbox, "knit"), "completed", "{second}");
}

#[test]
fn claude_knows_its_work_in_another_process() {
    resumed(Client::Claude);
}

#[test]
fn codex_knows_its_work_in_another_process() {
    resumed(Client::Codex);
}
