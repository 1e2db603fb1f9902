//! A stop is refused while a step is open, but only a limited number of times.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

fn status(sandbox: &Sandbox, run: &str) -> String {
    sandbox.position(run).0
}

/// The messages to the person.
fn told(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.run(&["messages", "--for", "human", "--json"]).ok().json();
    let messages = list["data"]["messages"].as_array().unwrap().iter();
    messages
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn after_three_refusals_the_agent_may_stop_and_the_run_waits() {
    for name in ["claude", "codex"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let client = Client::named(&sandbox, name);
        let step = client.start(&["guarded"]);
        for kept_already in [false, true, true] {
            let text = client.stop(kept_already);
            assert!(
                text.contains("Look around") && text.contains(step.command()),
                "{text}"
            );
            // The first refusal contains the step; later ones are three lines long.
            assert_eq!(text.lines().count() == 3, kept_already, "{text}");
            assert_eq!(status(&sandbox, &step.run), "active");
        }
        let last = client.told("Stop", &json!({ "stop_hook_active": true }));
        assert_eq!(last["decision"], Value::Null, "{last}");
        assert!(
            last["systemMessage"].as_str().unwrap().contains(&step.run),
            "{last}"
        );
        assert_eq!(status(&sandbox, &step.run), "waiting");
        // The agent may still stop, and the hook prints nothing.
        assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": false })), "");
        // Without a terminal, the client shows no hook's message, so the person receives one, once.
        let told = told(&sandbox);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("@session-one: ") && told[0].contains(&step.run),
            "{told:?}"
        );
        // The step can still be reported.
        let next = sandbox.report(&step, &json!({ "seen": "all" })).ok().step();
        assert_eq!(
            (next.step.as_str(), status(&sandbox, &step.run).as_str()),
            ("change", "active")
        );
        assert_ne!(client.stop(false), "");
        sandbox.verify();
    }
}

#[test]
fn a_store_that_cannot_be_written_blocks_no_stop() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    sandbox.sql("DROP TABLE session");
    assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": false })), "");
    let log = std::fs::read_to_string(sandbox.bugle_home().join("hook.log")).unwrap();
    assert!(log.contains(" Stop: "), "{log}");
}
