//! A session with several open runs: each of them restricts its agent.

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

/// A workflow with one step that allows everything.
const FREE: &str = "version: 1\nsteps:\n  roam:\n    title: Roam\n    do: Roam about.\n    next: end\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    sandbox.skill("free", FREE);
    sandbox
}

#[test]
fn a_second_run_without_denials_does_not_lift_those_of_the_first() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    let guarded = client.start(&["guarded"]);
    let free = client.start(&["free"]);
    let file = json!({ "file_path": "src/a.rs" });
    for (tool, input) in [
        ("Edit", file.clone()),
        ("Bash", json!({ "command": "sed -i s/a/b/ src/a.rs" })),
    ] {
        let why = client.denied(tool, &input);
        assert!(
            why.contains("\"Look around\" of guarded") && why.contains(guarded.command()),
            "{why}"
        );
    }
    for run in [&guarded.run, &free.run] {
        let result = sandbox.bugle_home().join("work").join(run).join("1.json");
        let why = client.denied("Write", &json!({ "file_path": result }));
        assert_eq!(why, "", "each run's result can be submitted");
    }
    let helper = client.agent("helper").denied("Edit", &file);
    assert!(helper.contains("Look around"), "{helper}");
    sandbox.report(&guarded, &json!({ "seen": "all" })).ok();
    assert_eq!(client.denied("Edit", &file), "", "no open step forbids it");
}
