//! Two hooks of a session that run at the same time.

use std::sync::Barrier;

use bugle_app::{Context, hooks};
use bugle_client::Client;
use bugle_client::hook::{HookCall, HookReply};
use bugle_core::id::SessionId;
use serde_json::{Value, json};

use crate::project::Project;

const SESSIONS: usize = 10;

/// Calls a hook of Grok Build as a separate process would.
fn call(context: &Context, event: &str, facts: &Value, barrier: &Barrier) -> HookReply {
    let call = HookCall::read(Client::Grok, event, &facts.to_string()).unwrap();
    let mut app = hooks::open(context.clone(), Some(&call)).unwrap().unwrap();
    barrier.wait();
    let mut reply = HookReply::default();
    hooks::hook(
        &mut app.store,
        &app.context,
        &call,
        &|_| String::new(),
        &mut |sent| {
            reply = sent.clone();
            Ok(())
        },
    )
    .unwrap();
    reply
}

#[test]
fn a_session_start_and_a_prompt_at_the_same_time_are_both_recorded() {
    let mut project = Project::new();
    project.write_skill(
        "errand",
        "version: 1\nsteps:\n  fetch:\n    title: Fetch it\n    do: Fetch the parcel.\n    next: end\n",
    );
    project.start_skill("errand");
    for number in 0..SESSIONS {
        let id = format!("session-{number}");
        project.act_as(Some(&id));
        let context = &project.app.context;
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| call(context, "SessionStart", &json!({ "source": "startup" }), &barrier));
            scope.spawn(|| {
                call(
                    context,
                    "UserPromptSubmit",
                    &json!({ "prompt": "Begin." }),
                    &barrier,
                )
            });
        });
        let reply = call(
            context,
            "PostToolUse",
            &json!({ "tool_name": "list_dir" }),
            &Barrier::new(1),
        );
        let woken = reply.context.unwrap_or_default();
        assert!(woken.contains("of errand is open here"), "{id}: {woken}");
        let row = project.app.store.session(&SessionId(id)).unwrap().unwrap();
        assert!(row.memory.user_spoke.is_some(), "{row:?}");
    }
}
