//! An agent that stops in an open step is sent back three times. Then it may stop, and the run waits for the user.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};

use super::Seen;
use crate::agent::{Sight, sight};
use crate::work::{set_up, status};

const LAUNDRY: &str = "version: 1
steps:
  sort:
    title: Sort the laundry
    do: Sort it by colour.
    result:
      heaps: { type: integer, min: 1 }
    next: end
";

fn lazy(request: &Request) -> Reply {
    match sight(request) {
        Sight::Nothing => Reply::shell("bugle start laundry"),
        _ => Reply::text("I think that is all."),
    }
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("laundry", LAUNDRY)])?;
    let finished = sandbox.launch("Do the laundry.").run(lazy).ok();
    // A client may print the messages before each refusal too.
    assert!(finished.answer().ends_with("I think that is all."), "{finished}");
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
