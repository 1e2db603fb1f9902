//! Rights to close, skip and remove tasks: a person at a terminal, and an agent that acts for its user.

use serde_json::{Value, json};

use crate::support::hook_client::Client;
use crate::support::sandbox::{Answer, Sandbox, answer};
use crate::support::tasks::{PLAN, id_of, import, state};
use crate::support::workflows::ONE_BY_ONE;

fn by(client: Client<'_>, words: &[&str]) -> Answer {
    let mut command = client.sandbox.bugle(words);
    answer(
        command
            .env("CLAUDE_CODE_SESSION_ID", client.session)
            .env("USER", "ada"),
    )
}

#[test]
fn a_person_closes_a_task_that_a_run_works_on() {
    let sandbox = Sandbox::with_skill("planned", ONE_BY_ONE);
    sandbox.write(&sandbox.project().join("plan.md"), PLAN);
    let first = Client::claude(&sandbox).start(&["planned"]);
    let taking = sandbox.report(&first, &json!({ "file": "plan.md" })).ok().step();
    sandbox.printed(taking.command()).ok().step();
    let id = id_of(&sandbox, "Task 1: Parse the header");
    sandbox.run(&["task", "done", &id]).refused("in-run");
    sandbox.run_as_person(&["task", "done", &id]).ok();
    assert_eq!(state(&sandbox, &id), "done");
}

#[test]
fn an_agent_skips_and_removes_tasks_of_others_only_for_the_user() {
    for (verb, became) in [("skip", "skipped"), ("rm", "removed")] {
        let sandbox = Sandbox::new();
        let client = Client::claude(&sandbox);
        import(&sandbox, "plan.md", PLAN);
        let id = id_of(&sandbox, "Task 1: Parse the header");
        by(client, &["task", verb, &id]).refused("user-not-heard");
        client.hook("UserPromptSubmit", &json!({ "prompt": "leave it out" }));
        by(client, &["task", verb, &id]).ok();
        let detail = sandbox
            .run(&["task", "show", &id, "--full", "--json"])
            .ok()
            .json();
        let last: &Value = detail["data"]["history"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["kind"], &last["by"]),
            (&json!(became), &json!("ada, relayed by agent session-one"))
        );
        sandbox.verify();
    }
}
