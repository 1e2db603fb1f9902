//! Settings that turn all hooks off: the client calls none of Bugle's, and `done` and `doctor` say so.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, finish, sight};
use crate::work::set_up;

const LAUNDRY: &str = "version: 1
steps:
  sort:
    title: Sort the laundry
    do: Sort it by colour.
    result:
      heaps: { type: integer, min: 1 }
    next: fold
  fold:
    title: Fold it
    do: Fold it.
    next: end
";

fn model(request: &Request) -> Reply {
    match sight(request) {
        Sight::Nothing => Reply::shell("bugle start laundry"),
        Sight::Step(seen) if seen.step == "sort" => finish(&seen, &json!({ "heaps": 2 })),
        _ => Reply::text("That is all."),
    }
}

#[test]
fn claude_with_all_hooks_disabled_is_noticed_by_done_and_doctor() {
    let Some(sandbox) = set_up(Client::Claude, &[("laundry", LAUNDRY)]) else {
        return;
    };
    let off = sandbox.project().join(".claude/settings.local.json");
    sandbox.write(&off, "{ \"disableAllHooks\": true }");
    let finished = sandbox.launch("Do the laundry.").run(model).ok();
    let requests = finished.requests();
    // No hook refuses the stop in the middle of the run.
    assert_eq!(requests.len(), 3, "{finished}");
    let done = requests[2].last_tool_result().unwrap();
    assert!(done.contains("has not called a hook"), "{done}");
    assert!(done.contains("bugle doctor claude"), "{done}");
    let doctor = sandbox
        .command("bugle")
        .args(["doctor", "claude"])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&doctor.stdout);
    assert!(printed.contains("Remove `disableAllHooks`"), "{printed}");
}
