//! A client whose sub-agents have sessions of their own.

use bugle_app::runs;
use serde_json::json;

use super::{SENDING, SESSION, in_session};
use crate::reviewed::{step, visit};

#[test]
fn a_sub_agent_in_its_own_session_follows_its_own_rules_and_must_report() {
    let (mut project, send) = in_session("sending", SENDING);
    let token = format!("{}/1", visit(&send)).parse().unwrap();
    project.act_as(Some("session-of-sub-agent"));
    let child = step(runs::start_child(
        &mut project.app.store,
        &project.app.context,
        &token,
    ));
    let denied = project.denied("Write", &json!({ "file_path": "a.rs", "content": "" }));
    assert!(denied.contains("explore"), "{denied}");
    assert!(project.stop().is_some(), "the report is missing");
    // The orchestrator may stop while the sub-agent works.
    project.act_as(Some(SESSION));
    assert_eq!(project.stop(), None);
    project.act_as(Some("session-of-sub-agent"));
    project.report(&child, &json!({ "report": "looked" })).unwrap();
    assert_eq!(project.stop_again(), None);
    project.act_as(Some(SESSION));
    let text = project.stop().unwrap();
    assert!(text.contains(send.command.as_ref().unwrap()), "{text}");
}
