//! A spawned agent with limited access works with Bugle to the end of its run, and can do nothing that its access
//! excludes.

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, finish, sight};
use crate::work::{add_skill, status, write};

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

/// A model that starts the skill, tries to write a file, reads its step over MCP and finishes the run.
fn model(client: Client) -> impl FnMut(&Request) -> Reply + Send + 'static {
    move |request| match (request.number, sight(request)) {
        (1, _) => Reply::shell("bugle start laundry"),
        (2, _) => write(client, "heaps.txt", "two"),
        (3, _) => Reply::tool("mcp__bugle__get_step", json!({})),
        (_, Sight::Step(seen)) => finish(&seen, &json!({ "heaps": 2 })),
        _ => Reply::text("All is folded."),
    }
}

fn works_with_access(client: Client, access: &str, may_write: bool) {
    let Some(sandbox) = crate::sandbox(client).and_then(Sandbox::with_all_clients) else {
        return;
    };
    add_skill(&sandbox, "laundry", LAUNDRY);
    sandbox.bugle(&["setup", client.as_str()]);
    let script = format!(
        "bugle agent spawn {} 'Do the laundry.' --name washer --sandbox {access}",
        client.as_str()
    );
    let finished = sandbox.script(&script).run(model(client)).ok();
    assert_eq!(status(&sandbox, "laundry"), "completed", "{finished}");
    let step = finished.requests()[3].last_tool_result().unwrap();
    assert!(step.contains("Sort it by colour."), "{step}\n{finished}");
    let has_written = sandbox.project().join("heaps.txt").exists();
    assert_eq!(has_written, may_write, "{finished}");
}

#[test]
fn claude_with_read_access_finishes_its_run_and_writes_no_file_of_the_project() {
    works_with_access(Client::Claude, "read", false);
}

#[test]
fn claude_with_write_access_finishes_its_run() {
    works_with_access(Client::Claude, "write", true);
}
