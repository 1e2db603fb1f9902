//! Who may answer a run's question over MCP, and how.

use serde_json::{Value, json};

use crate::support::hook_client::Client as HookClient;
use crate::support::literal_model::{Model, User, element, elements, parsed};
use crate::support::mcp_client::{Client, Told, server, server_for};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::ASKING;

const CHOICE: &str = "left, mostly";

fn sandbox() -> Sandbox {
    Sandbox::with_skill("asking", ASKING)
}

fn started(model: &mut Model) -> (String, String) {
    let step = model.call("start_run", &json!({ "skill": "asking" })).fine();
    let visit = step
        .split("visit=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    (step, visit)
}

#[test]
fn a_form_that_the_user_does_not_accept_leaves_the_question_open() {
    let sandbox = sandbox();
    let declines: User = |_| None;
    let mut model = Model::connected(server(&sandbox), Some(declines));
    let (step, visit) = started(&mut model);
    let told = model.make(&element(&step, "invoke_after"), &json!({}));
    assert!(told.error && told.text.contains("declined to answer"), "{told:?}");
    assert_eq!(
        parsed(&told.text),
        ("finish_step".to_owned(), json!({ "visit": visit }))
    );
    let form = &model.asked[0];
    assert_eq!(form["message"], "Which way?");
    assert_eq!(form["requestedSchema"]["properties"]["answer"]["enum"][0], CHOICE);
    assert!(
        model
            .call("get_step", &json!({}))
            .fine()
            .contains("question_for_user")
    );
}

#[test]
fn the_model_cannot_answer_in_place_of_the_user() {
    let sandbox = sandbox();
    // Without forms, the user answers elsewhere, and the agent's next call returns the next step.
    let mut model = Model::connected(server(&sandbox), None);
    let (step, visit) = started(&mut model);
    let forged = model.call("finish_step", &json!({ "visit": visit, "answer": CHOICE }));
    assert!(
        forged.error && forged.text.contains("user-not-heard"),
        "{forged:?}"
    );
    let waiting = model.call("finish_step", &json!({ "visit": visit }));
    assert!(
        waiting.error && waiting.text.contains("waiting for the user's answer"),
        "{waiting:?}"
    );
    let command = elements(&step, "choice").remove(0);
    assert_eq!(command, format!("bugle decide '{visit}' '{CHOICE}'"));
    sandbox.run_as_person(&["decide", &visit, CHOICE]).ok();
    let next = model.make(&element(&step, "invoke_after"), &json!({})).fine();
    assert!(next.contains("Let the user explain"), "{next}");
    // With forms, the user decides, whatever the model passes.
    let overrules: User = |_| Some("because");
    let mut other = Model::connected(server(&sandbox), Some(overrules));
    let visit = format!("{}#2", visit.split('#').next().unwrap());
    let told = other
        .call("finish_step", &json!({ "visit": visit, "answer": "I say so" }))
        .fine();
    assert!(told.contains("Attempt it, because because"), "{told}");
    sandbox.verify();
}

#[test]
fn a_client_with_hooks_relays_what_its_user_said() {
    let sandbox = sandbox();
    let mut model = Model::connected(server_for(&sandbox, "s-1"), None);
    let (_, visit) = started(&mut model);
    let answer = json!({ "visit": visit, "answer": CHOICE });
    let early = model.call("finish_step", &answer);
    assert!(early.error && early.text.contains("user-not-heard"), "{early:?}");
    let hooks = HookClient::claude(&sandbox).session("s-1");
    hooks.hook("UserPromptSubmit", &json!({ "prompt": "Go left, mostly." }));
    let offered = model.call("get_step", &json!({})).fine();
    assert_eq!(parsed(&elements(&offered, "choice")[0]).1, answer);
    assert!(
        model
            .call("finish_step", &answer)
            .fine()
            .contains("Let the user explain")
    );
}

#[test]
fn in_the_newest_protocol_the_client_repeats_the_call_with_the_answer() {
    let sandbox = sandbox();
    let mut client = Client::start(server(&sandbox));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut call = |tool: &str, arguments: &Value, replies: &Value| {
        let mut params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        if !replies.is_null() {
            params["inputResponses"] = replies.clone();
        }
        client.ask("tools/call", &params)
    };
    let step = Told::of(&call("start_run", &json!({ "skill": "asking" }), &json!(null))).fine();
    let (tool, arguments) = parsed(&element(&step, "invoke_after"));
    let asked = call(&tool, &arguments, &json!(null));
    let form = &asked["result"]["inputRequests"]["answer"];
    assert_eq!(form["params"]["message"], "Which way?", "{asked}");
    let declined = json!({ "answer": { "action": "decline" } });
    assert!(Told::of(&call(&tool, &arguments, &declined)).error);
    let accepted = json!({ "answer": { "action": "accept", "content": { "answer": CHOICE } } });
    let next = Told::of(&call(&tool, &arguments, &accepted)).fine();
    assert!(next.contains("Let the user explain"), "{next}");
}
