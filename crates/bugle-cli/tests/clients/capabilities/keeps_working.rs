//! An agent that stops in an open step is sent back three times. Then it may stop, and the run waits for the user.
//!
//! A client that exits at the end of the turn runs as a server here.

use bugle_testkit::clients::{Client, Finished, Sandbox};
use bugle_testkit::model_server::{Reply, Request};

use super::Seen;
use crate::agent::{Sight, sight};
use crate::server::in_server;
use crate::work::{set_up, status};
use crate::workflows::LAUNDRY;

const ANSWER: &str = "I think that is all.";

fn lazy(request: &Request) -> Reply {
    match sight(request) {
        Sight::Nothing => Reply::shell("bugle start laundry"),
        _ => Reply::text(ANSWER),
    }
}

/// Runs the agent until it may stop.
fn run(sandbox: &Sandbox) -> Finished {
    if sandbox.client() == Client::Opencode {
        return sandbox.script(&in_server("Do the laundry.", 1)).run(lazy).ok();
    }
    let finished = sandbox.launch("Do the laundry.").run(lazy).ok();
    // Qwen Code's answer contains the messages before each refusal.
    let messages = if sandbox.client() == Client::Qwen { 4 } else { 1 };
    assert_eq!(finished.answer(), ANSWER.repeat(messages), "{finished}");
    finished
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let mut sandbox = set_up(client, &[("laundry", LAUNDRY)])?;
    if client == Client::Opencode {
        sandbox = sandbox.with_all_clients()?;
    }
    let finished = run(&sandbox);
    let requests = finished.requests();
    let refused = |text: &str| {
        requests
            .iter()
            .filter(|request| request.news().contains(text))
            .count()
    };
    let (first, later) = (
        refused("Your turn is not over: the step \"Sort the laundry\" of laundry"),
        refused("The step \"Sort the laundry\" is still open."),
    );
    if (first, later) == (0, 0) {
        assert_eq!(status(&sandbox, "laundry"), "active", "{finished}");
        return Some(Seen::No);
    }
    assert_eq!((first, later), (1, 2), "{finished}");
    assert_eq!(status(&sandbox, "laundry"), "waiting", "{finished}");
    Some(Seen::Yes)
}
