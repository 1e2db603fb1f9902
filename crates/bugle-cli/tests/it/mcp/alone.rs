//! A client that has MCP and nothing else: no hooks, no shell, no files.

use serde_json::{Value, json};

use crate::support::literal_model::{Model, element};
use crate::support::mcp_client::server;
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// Every kind of step: a result with a check, questions, sub-agents, and an end.
const EVERYTHING: &str = r#"
version: 1
params:
  topic: { type: string, required: true, help: The topic }
steps:
  gather:
    title: Gather the parts
    do: 'Gather the parts of {{ params.topic }}.'
    result: { parts: { type: array, items: string, min: 2 } }
    check: [{ that: "result.parts.all(p, size(p) > 2)", say: Each part has a real name. }]
    next: choose
  choose:
    title: Let the user choose
    do: Ask which way to go.
    ask: { question: Which way?, choices: [left, right] }
    next: explain
  explain:
    title: Let the user explain
    do: Ask why.
    ask: { question: 'Why {{ state.choose.answer }}?', by: person }
    next: build
  build:
    title: Build the parts
    do: 'Build {{ child.part }}.'
    dispatch: { role: developer, for_each: state.gather.parts, as: part, limit: 4 }
    next: present
  present:
    title: Present it
    do: 'Present {{ state.build.finished }} parts, {{ state.explain.answer }}.'
    next: end
"#;

fn work(title: &str) -> Value {
    match title {
        "Gather the parts" => json!({ "parts": ["engine", "wheels"] }),
        // A sub-agent's report.
        _ => json!({ "report": "built" }),
    }
}

fn user(question: &str) -> Option<&'static str> {
    match question {
        "Which way?" => Some("left"),
        "Why left?" => Some("it is shorter"),
        _ => None,
    }
}

#[test]
fn a_model_that_only_follows_tool_results_finds_starts_and_finishes_a_run() {
    let sandbox = Sandbox::with_skill("everything", EVERYTHING);
    let mut model = Model::connected(server(&sandbox), Some(user));

    // Find the skill and its params.
    let listed = model.call("start_run", &json!({})).fine();
    assert!(listed.contains("everything: "), "{listed}");
    let lacking = model.call("start_run", &json!({ "skill": "everything" }));
    assert!(lacking.error && lacking.text.contains("topic"), "{lacking:?}");
    let started = model
        .make(&lacking.text, &json!({ "params": { "topic": "a car" } }))
        .fine();
    assert!(started.contains("Gather the parts of a car."), "{started}");

    // A refusal names the call that continues.
    let next = element(&started, "invoke_after");
    let refused = model.make(&next, &json!({ "result": { "parts": ["a", "wheels"] } }));
    assert!(
        refused.error && refused.text.contains("Each part has a real name."),
        "{refused:?}"
    );

    // Forget everything, also the connection.
    let mut model = Model::connected(server(&sandbox), Some(user));
    let context = model.call("get_context", &json!({})).fine();
    assert!(!context.contains("compacted"), "{context}");
    let again = model.make(&context, &json!({ "result": work("Gather the parts") }));

    // The user answers in the client's forms, and sub-agents with their own connections build the parts.
    let helper = || Model::connected(server(&sandbox), None);
    let end = model.works(again, &work, &helper);
    assert!(end.contains("is complete"), "{end}");
    assert_eq!(model.asked.len(), 2, "{:?}", model.asked);
    assert!(
        model
            .read
            .iter()
            .any(|text| text.contains("Present 2 parts, it is shorter.")),
        "{:?}",
        model.read
    );
    for text in &model.read {
        assert!(
            !text.contains("bugle done") && !text.contains("bugle step"),
            "{text}"
        );
    }
    let run = model.read.last().unwrap().split("run=\"").nth(1).unwrap();
    let run = run.split('"').next().unwrap();
    let history = sandbox.run(&["run", "show", run]).ok().out;
    assert!(!history.contains("relayed"), "{history}");
    sandbox.verify();
}

#[test]
fn without_a_run_id_get_step_names_the_calls_for_several_runs() {
    let sandbox = Sandbox::with_skill("everything", EVERYTHING);
    let mut model = Model::connected(server(&sandbox), None);
    let none = model.call("get_step", &json!({}));
    assert!(none.error && none.text.contains("`start_run {}`"), "{none:?}");
    let topic = |topic: &str| json!({ "skill": "everything", "params": { "topic": topic } });
    model.call("start_run", &topic("a car")).fine();
    assert!(
        model
            .call("get_step", &json!({}))
            .fine()
            .contains("parts of a car")
    );
    model.call("start_run", &topic("a boat")).fine();
    let several = model.call("get_step", &json!({}));
    assert!(several.error, "{several:?}");
    assert_eq!(
        several.text.matches("get_step {\"run\":").count(),
        2,
        "{several:?}"
    );
    assert!(
        model
            .make(&several.text, &json!({}))
            .fine()
            .contains("Gather the parts")
    );
    let context = model.call("get_context", &json!({})).fine();
    assert!(context.contains(r#"get_step {"show":"runs"}"#), "{context}");
}

#[test]
fn a_refusal_without_a_run_names_tools_only() {
    let sandbox = Sandbox::new();
    let mut model = Model::connected(server(&sandbox), None);
    for arguments in [json!({}), json!({ "run": "r-7f3a1c" })] {
        let refused = model.call("get_step", &arguments);
        assert!(refused.error, "{refused:?}");
        assert!(!refused.text.contains("run list"), "{refused:?}");
    }
    let unknown = model.call("finish_step", &json!({ "visit": "r-7f3a1c#1" })).text;
    assert!(
        unknown.contains(r#"`get_step {"show":"runs"}` lists the runs."#),
        "{unknown}"
    );
}

#[test]
fn a_long_answer_can_be_read_to_its_end() {
    let long = format!("{}THE-MIDDLE {}", "a ".repeat(9_000), "b ".repeat(9_000));
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut model = Model::connected(server(&sandbox), None);
    let started = model.call("start_run", &json!({ "skill": "three" })).fine();
    let result = json!({ "result": { "word": long } });
    let mut told = model.make(&element(&started, "invoke_after"), &result).fine();
    assert!(!told.contains("THE-MIDDLE") && told.contains("</workflow>"));
    let (_, notice) = told.split_once(" characters omitted. To read them: ").unwrap();
    told = model.make(notice.split(']').next().unwrap(), &json!({})).fine();
    assert!(told.contains("THE-MIDDLE"), "{told}");
}

#[test]
fn agents_ask_and_answer_each_other() {
    let sandbox = Sandbox::new();
    let mut model = Model::connected(server(&sandbox), None);
    let ask = json!({ "text": "@backend Which port?", "question": true });
    let nameless = model.call("send_message", &ask);
    assert!(
        nameless.error && nameless.text.contains("as `as`"),
        "{nameless:?}"
    );
    let mut named = ask;
    named["as"] = json!("lead");
    let unknown = model.call("send_message", &named);
    assert!(
        unknown.error && unknown.text.contains("read_inbox"),
        "{unknown:?}"
    );
    model.call("read_inbox", &json!({ "as": "backend" })).fine();
    model.call("send_message", &named).fine();
    let inbox = model.call("read_inbox", &json!({ "as": "backend" })).fine();
    assert!(inbox.contains("Which port?"), "{inbox}");
    model
        .make(&inbox, &json!({ "text": "8080", "as": "backend" }))
        .fine();
    let answer = model.call("read_inbox", &json!({ "as": "lead" })).fine();
    assert!(answer.contains("8080"), "{answer}");
}
