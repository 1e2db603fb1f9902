//! A stop is refused while a step is open, but only a limited number of times.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::ASKING;

/// A step that ends as soon as its file exists, followed by another step.
const FILED: &str = "
version: 1
steps:
  write:
    title: Write the notes
    do: Write notes.md.
    expect:
      - artifact: notes.md
    next: read
  read:
    title: Read them again
    do: Read notes.md.
    next: end
";

fn status(sandbox: &Sandbox, run: &str) -> String {
    sandbox.position(run).0
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
fn a_prompt_from_the_user_repeats_the_step() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    for again in [false, true, true, true] {
        client.stop(again);
    }
    assert_eq!(status(&sandbox, &step.run), "waiting");
    client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(status(&sandbox, &step.run), "active");
    for again in [false, true, true] {
        assert!(client.stop(again).contains("Look around"));
    }
    assert_eq!(client.stop(true), "");
    assert_eq!(status(&sandbox, &step.run), "waiting");
    // `bugle run resume` does the same.
    sandbox.run(&["resume", &step.run]).ok();
    assert_eq!(status(&sandbox, &step.run), "active");
    sandbox.verify();
}

#[test]
fn a_question_to_a_person_stays_open_whatever_is_reported() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let client = Client::claude(&sandbox);
    let step = client.start(&["asking"]);
    client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(status(&sandbox, &step.run), "waiting");
}

#[test]
fn progress_resets_the_recovery_limit() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    for kept_already in [false, true, true] {
        assert_ne!(client.stop(kept_already), "");
    }
    let next = sandbox.report(&step, &json!({ "seen": "all" })).ok().step();
    for _ in 0..3 {
        assert!(client.stop(true).contains("Change it"));
    }
    assert_eq!(client.stop(true), "");
    assert_eq!(status(&sandbox, &next.run), "waiting");
}

#[test]
fn without_open_work_an_agent_stops_at_once() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let first = client.start(&["guarded"]);
    let next = sandbox.report(&first, &json!({ "seen": "all" })).ok().step();
    sandbox.printed(next.command()).ok().end();
    assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": false })), "");
    // Another session's run does not keep the agent from stopping.
    client.session("session-two").start(&["guarded"]);
    assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": false })), "");
}

#[test]
fn a_question_to_a_person_lets_the_agent_stop() {
    let sandbox = Sandbox::with_skill("asking", ASKING);
    let client = Client::claude(&sandbox);
    client.start(&["asking"]);
    assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": false })), "");
}

#[test]
fn working_sub_agents_let_the_orchestrator_stop() {
    let workflow = "version: 1\nsteps:\n  send:\n    title: Send an explorer\n    do: Look at it.\n    dispatch: { role: explore }\n    next: end\n";
    let sandbox = Sandbox::with_skill("sending", workflow);
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    assert_ne!(client.stop(false), "", "no sub-agent was started yet");
    let child = sandbox.printed(&step.starts[0]).ok().step();
    assert_eq!(client.stop(true), "", "a sub-agent is working");
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
    let text = client.stop(false);
    assert!(text.contains(step.command()), "{text}");
}

#[test]
fn a_step_ends_by_itself_when_its_files_exist() {
    let sandbox = Sandbox::with_skill("filed", FILED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["filed"]);
    assert!(
        client.stop(false).contains("Write the notes"),
        "the file does not exist"
    );
    sandbox.write(&sandbox.project().join("notes.md"), "seen");
    let text = client.stop(true);
    assert!(text.contains("Read them again"), "{text}");
    assert_eq!(sandbox.position(&step.run).2.as_deref(), Some("read"));
    sandbox.verify();
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
