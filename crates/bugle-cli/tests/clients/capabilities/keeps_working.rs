//! An agent that stops in an open step is sent back three times. Then it may stop, and the run waits for the user.

use bugle_testkit::clients::{Client, Finished, Sandbox};
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

/// `opencode run` exits at the end of a turn. A server keeps the session open; the notice to the user ends the script.
const SERVED: &str = r#"
address=http://127.0.0.1:4096
mkfifo ../lines
exec 3<> ../lines
opencode serve --port 4096 >&3 2>&3 &
grep --max-count=1 --quiet "listening on" <&3
curl --silent --no-buffer "$address/event" | grep --max-count=1 --quiet tui.toast.show &
notice=$!
opencode run --attach "$address" --format json --title Test "Do the laundry."
wait "$notice"
"#;

/// The finished client, which can continue after a turn.
fn finished(sandbox: &Sandbox) -> Finished {
    let launch = match sandbox.client() {
        Client::Opencode => sandbox.script(SERVED),
        _ => sandbox.launch("Do the laundry."),
    };
    launch.run(lazy).ok()
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let mut sandbox = set_up(client, &[("laundry", LAUNDRY)])?;
    if client == Client::Opencode {
        sandbox = sandbox.with_all_clients()?;
    }
    let finished = finished(&sandbox);
    assert_eq!(finished.answer(), "I think that is all.", "{finished}");
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
