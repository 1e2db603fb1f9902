//! Run ownership: no session silently takes a run from another session that may still work on it.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;

fn file() -> Value {
    json!({ "file_path": "src/a.rs" })
}

/// Whether the guarded step restricts a session: the session's tools are denied, and the session may not stop.
fn is_held(client: Client<'_>) -> bool {
    let denied = !client.denied("Edit", &file()).is_empty();
    let kept = !client.stop(false).is_empty();
    assert_eq!(denied, kept, "both or neither");
    denied
}

/// A run that session-one has started.
fn begun(sandbox: &Sandbox) -> (Client<'_>, Client<'_>, Step) {
    let first = Client::claude(sandbox);
    let step = first.start(&["guarded"]);
    (first, first.session("session-two"), step)
}

#[test]
fn a_session_that_may_be_active_keeps_its_run_until_a_takeover() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    first.begin_session("startup");
    next.begin_session("startup");
    assert!(!is_held(next) && is_held(first));
    let take = format!("bugle run resume {}", step.run);
    let shown = next.run(&["step"]).ok().step();
    assert!(
        shown.notices[0].contains("belongs to @session-one"),
        "{:?}",
        shown.notices
    );
    assert!(shown.notices[0].contains(&take), "{:?}", shown.notices);
    assert!(!is_held(next), "viewing a run does not take it");
    let result = json!({ "seen": "all" }).to_string();
    let done = next.run(&["done", &step.visit, "--result", &result]).ok().step();
    assert!(done.notices[0].contains(&take), "{:?}", done.notices);
    sandbox.run_as_person(&["rewind", &step.visit]).ok();
    assert!(
        !is_held(next) && is_held(first),
        "a report takes no run from its session"
    );
    let taken = next.run(&["resume", &step.run]).ok().step();
    assert!(
        taken.notices[0].contains("belonged to @session-one"),
        "{:?}",
        taken.notices
    );
    assert!(is_held(next) && !is_held(first));
    assert_eq!(next.run(&["step"]).ok().step().notices, [""; 0]);
    let told = first.begin_session("resume");
    assert!(told.contains("@session-two") && told.contains(&take), "{told}");
}
