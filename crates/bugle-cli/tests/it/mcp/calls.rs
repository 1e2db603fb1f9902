//! Tool calls: arguments, sizes, session and project.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::mcp_client::{Client, Told, greeting, server, server_for};
use crate::support::sandbox::{Sandbox, answer};
use crate::support::workflows::THREE;

#[test]
fn invalid_arguments_get_an_error_that_says_why() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::greeted(server(&sandbox));
    let cases = [
        ("finish_step", json!({}), "missing field `visit`"),
        ("finish_step", json!({ "visit": 7 }), "invalid type"),
        (
            "finish_step",
            json!({ "visit": "r-7f3a1c#1", "outcome": "ok" }),
            "unknown variant `ok`",
        ),
        ("finish_step", json!({ "visit": "nonsense" }), "nonsense"),
        (
            "finish_step",
            json!({ "visit": "r-7f3a1c#1", "why": "no" }),
            "`why` is allowed only with `answer` or an outcome that stops the step",
        ),
        (
            "finish_step",
            json!({ "visit": "r-7f3a1c#1", "answer": "yes", "result": {} }),
            "`answer` is allowed only without `result` and `outcome`",
        ),
        (
            "finish_step",
            json!({ "visit": "r-7f3a1c#1", "outcome": "fail", "result": {} }),
            "`result` is allowed only with the outcome `done`",
        ),
        ("finish_step", json!({ "visit": "r-7f3a1c#1" }), "r-7f3a1c"),
        ("start_run", json!({ "answer": "yes" }), "takes one of `skill`"),
        (
            "start_run",
            json!({ "skill": "three", "child": "r-7f3a1c#1/1" }),
            "takes one of `skill`",
        ),
        ("start_run", json!({ "skill": "threee" }), "Did you mean `three`?"),
        (
            "start_run",
            json!({ "skill": "three", "params": { "x": 1 } }),
            "cannot start three with these params",
        ),
        (
            "start_run",
            json!({ "skill": "three", "speed": 1 }),
            "unknown field `speed`",
        ),
        ("start_run", json!({ "child": "?" }), "?"),
        (
            "get_step",
            json!({ "run": "?" }),
            "get_step returns the current step",
        ),
        (
            "send_message",
            json!({ "text": "yes", "question": true, "answers": "m-7f3a1c" }),
            "not both",
        ),
        (
            "list_tasks",
            json!({ "show": "details" }),
            "pass its id as `within`",
        ),
        ("list_tasks", json!({ "within": "?" }), "?"),
        (
            "update_task",
            json!({ "action": "done" }),
            "pass its id as `task`",
        ),
        ("update_task", json!({ "action": "add" }), "pass it as `text`"),
        (
            "update_task",
            json!({ "action": "fail", "task": "t-7f3a1c2d" }),
            "pass it as `text`",
        ),
        (
            "update_task",
            json!({ "action": "done", "task": "t-7f3a1c2d" }),
            "t-7f3a1c2d",
        ),
        (
            "send_message",
            json!({ "text": "hello" }),
            "cannot identify the caller",
        ),
        (
            "send_message",
            json!({ "text": "  ", "as": "lead" }),
            "the message is empty",
        ),
        ("read_inbox", json!({}), "cannot identify the caller"),
    ];
    for (tool, arguments, words) in cases {
        let told = client.call(tool, &arguments);
        assert!(
            told.error && told.text.contains(words),
            "{tool} {arguments}: {told:?}"
        );
    }
    // A client may omit the arguments.
    let bare = Told::of(&client.ask("tools/call", &json!({ "name": "list_tasks" })));
    assert!(!bare.error, "{bare:?}");
}

#[test]
fn a_huge_argument_is_refused_and_a_large_one_is_not() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::greeted(server(&sandbox));
    let step = sandbox.start(&["three"]);
    let result = |size: usize| json!({ "visit": step.visit, "result": { "word": "x".repeat(size) } });
    let told = client.call("finish_step", &result(5 * 1024 * 1024));
    assert!(
        told.error && told.text.contains("larger than 4194304 bytes"),
        "{}",
        told.text.len()
    );
    let large = client.call("finish_step", &result(100_000));
    assert!(!large.error, "{}", large.text);
    assert!(
        large.text.chars().count() <= 20_000,
        "{}",
        large.text.chars().count()
    );
    assert!(
        large
            .text
            .contains("characters omitted. To read them: get_step {")
    );
    let whole = sandbox.run(&["step", &step.run]).ok().out;
    assert!(large.text.starts_with(&whole[..10_000]));
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn a_line_that_is_too_long_gets_an_error_and_the_next_line_is_answered() {
    const LONGEST: usize = 16 * 1024 * 1024;
    let sandbox = Sandbox::new();
    let long = |first: &str, last: &str| {
        let params = json!({ "name": "post_message", "arguments": { "text": "x".repeat(LONGEST) } });
        format!("{{{first}\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{params}{last}}}")
    };
    let mut client = Client::start(server(&sandbox));
    // Send calls before the handshake, with the id at the start, at the end, and missing.
    for (first, last, id) in [
        ("\"id\":\"a\",", "", json!("a")),
        ("", ",\"id\":77", json!(77)),
        ("", "", json!(null)),
    ] {
        client.send(&long(first, last));
        let refused = client.receive();
        assert_eq!(refused["id"], id, "{refused}");
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("the limit is 16777216"), "{message}");
    }
    assert!(client.ask("initialize", &greeting("2025-11-25"))["result"].is_object());
    // Send the longest accepted line, including its newline.
    let around = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping", "x": "" })
        .to_string()
        .len();
    let fits = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping", "x": "x".repeat(LONGEST - around - 1) });
    client.send(&fits.to_string());
    assert!(client.receive()["result"].is_object());
    client.send(&long("\"id\":6,", ""));
    let (rest, code) = client.leave();
    assert_eq!(code, Some(0));
    assert!(rest.len() == 1 && rest[0].contains("\"id\":6"), "{rest:?}");
}

#[test]
fn the_session_is_the_clients_own() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let run_of = |text: &str| {
        text.split("visit=\"")
            .nth(1)
            .unwrap()
            .split('#')
            .next()
            .unwrap()
            .to_owned()
    };
    let mut claude = Client::greeted(server_for(&sandbox, "claude-1"));
    let ours = run_of(&claude.call("start_run", &json!({ "skill": "three" })).fine());
    // Codex passes no environment variables on, but sends its session with every call.
    let mut codex = Client::greeted(server(&sandbox));
    let mut from = |session: &str, tool: &str, arguments: Value| {
        let turn = json!({ "session_id": session, "thread_id": session, "turn_id": "1" }).to_string();
        let asked =
            json!({ "name": tool, "arguments": arguments, "_meta": { "x-codex-turn-metadata": turn } });
        Told::of(&codex.ask("tools/call", &asked))
    };
    let theirs = run_of(&from("codex-1", "start_run", json!({ "skill": "three" })).fine());
    let third = run_of(&from("codex-2", "start_run", json!({ "skill": "three" })).fine());
    assert_eq!(run_of(&claude.call("get_step", &json!({})).fine()), ours);
    assert_eq!(run_of(&from("codex-1", "get_step", json!({})).fine()), theirs);
    assert_eq!(run_of(&from("codex-2", "get_step", json!({})).fine()), third);
    let shell = sandbox
        .run_in_session("CODEX_THREAD_ID", "codex-1", &["step"])
        .ok();
    assert_eq!(shell.step().run, theirs);
}

#[test]
fn the_project_is_the_clients_own() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let starts = |mut command: Command| {
        command.env("CLAUDE_PROJECT_DIR", sandbox.project());
        Client::greeted(command)
            .call("start_run", &json!({ "skill": "three" }))
            .error
    };
    let elsewhere = |words: &[&str]| {
        let mut command = sandbox.bugle(words);
        command.current_dir(sandbox.elsewhere());
        command
    };
    assert!(!starts(elsewhere(&["mcp"])), "the client names its project");
    let folder = sandbox.elsewhere().display().to_string();
    assert!(
        starts(elsewhere(&["mcp", "-C", &folder])),
        "the folder given on the command line takes precedence"
    );
    assert!(sandbox.run(&["mcp", "--port", "1"]).exits(2).out.is_empty());
}

#[test]
fn a_step_names_the_call_that_ends_it() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::greeted(server(&sandbox));
    let told = client.call("start_run", &json!({ "skill": "three" }));
    let visit = told.text.split("visit=\"").nth(1).unwrap();
    let visit = visit.split('"').next().unwrap().to_owned();
    let call = format!("<invoke_after>finish_step {{\"visit\":\"{visit}\"}}</invoke_after>");
    assert!(told.text.contains(&call), "{told:?}");
    assert!(
        told.text.contains("<expected_output pass_as=\"result\">"),
        "{told:?}"
    );
    let next = client.call(
        "finish_step",
        &json!({ "visit": visit, "result": { "word": "one" } }),
    );
    assert!(next.fine().contains("The first thing was one."));
}

#[test]
fn several_clients_at_once_do_not_disturb_each_other() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let mut clients: Vec<Client> = (0..4).map(|_| Client::greeted(server(&sandbox))).collect();
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "finish_step",
        "arguments": { "visit": step.visit, "result": { "word": "one" } } } })
    .to_string();
    for client in &mut clients {
        client.send(&call);
    }
    let told: Vec<String> = clients
        .iter()
        .map(|client| Told::of(&client.receive()).fine())
        .collect();
    assert!(told.windows(2).all(|two| two[0] == two[1]), "{told:?}");
    let shell = answer(&mut sandbox.bugle(&["step", &step.run])).ok();
    assert!(
        told[0].contains(&format!("visit=\"{}\"", shell.step().visit)),
        "{}",
        told[0]
    );
    sandbox.verify();
}
