//! MCP over standard input and output, as a client sees it: lines of JSON to the real program and back.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Sandbox, answer, answer_with_input};
use crate::samples::THREE;

/// Longer than anything takes here; only a server that hangs is cut off by it.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A client with a server of its own.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Client {
    fn start(mut command: Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            input: server.stdin.take(),
            server,
            lines,
            next_id: 0,
        }
    }

    /// With the greetings exchanged.
    pub(crate) fn greeted(command: Command) -> Self {
        let mut client = Self::start(command);
        let greeting = client.ask("initialize", &greeting("2025-11-25"));
        assert_eq!(greeting["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    #[track_caller]
    fn receive(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Told {
        Told::of(&self.ask("tools/call", &json!({ "name": tool, "arguments": arguments })))
    }

    /// Ends the connection; what the server still wrote, and how it ended.
    #[track_caller]
    fn leave(mut self) -> (Vec<String>, Option<i32>) {
        drop(self.input.take());
        let rest: Vec<String> = self.lines.iter().collect();
        let output = self.server.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        (rest, output.status.code())
    }
}

fn greeting(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "roots": {} },
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) aside: Option<String>,
    pub(crate) error: bool,
}

impl Told {
    #[track_caller]
    pub(crate) fn of(answer: &Value) -> Self {
        let result = &answer["result"];
        let content = result["content"]
            .as_array()
            .unwrap_or_else(|| panic!("not a tool's answer: {answer}"));
        let text = |block: &Value| block["text"].as_str().unwrap().to_owned();
        assert!((1..=2).contains(&content.len()), "{answer}");
        Self {
            text: text(&content[0]),
            aside: content.get(1).map(text),
            error: result["isError"].as_bool().unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn fine(self) -> String {
        assert!(!self.error, "{}", self.text);
        self.text
    }
}

fn server(sandbox: &Sandbox) -> Command {
    sandbox.bugle(&["mcp"])
}

/// A server that Claude Code started for a session.
pub(crate) fn server_for(sandbox: &Sandbox, session: &str) -> Command {
    let mut command = server(sandbox);
    command.env("CLAUDE_CODE_SESSION_ID", session);
    command
}

#[test]
fn the_clients_greetings_are_answered_each_in_its_own_version() {
    let sandbox = Sandbox::new();
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let mut client = Client::start(server(&sandbox));
        client.send(
            &json!({ "jsonrpc": "2.0", "id": "server-discover-probe-1", "method": "server/discover",
                "params": { "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} } } })
            .to_string(),
        );
        let probe = client.receive();
        assert_eq!(probe["id"], "server-discover-probe-1");
        assert!(probe.get("result").is_some(), "{probe}");
        let greeting = client.ask("initialize", &greeting(version));
        let result = &greeting["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "bugle");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.matches(". ").count() < 3, "{instructions}");
        // Not every client says that it has heard the answer.
        let tools = client.ask("tools/list", &json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 8);
        assert_eq!(client.leave(), (vec![], Some(0)));
    }
}

#[test]
fn a_probe_without_its_metadata_is_answered_too() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    let probe = client.ask("server/discover", &json!({}));
    assert!(probe["error"]["code"].is_number(), "{probe}");
    assert_eq!(
        client.ask("initialize", &greeting("2025-11-25"))["result"]["protocolVersion"],
        "2025-11-25"
    );
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn a_client_of_the_newest_protocol_needs_no_greeting() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::start(server(&sandbox));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let called = client.ask(
        "tools/call",
        &json!({ "name": "start_run", "arguments": { "skill": "three" }, "_meta": meta }),
    );
    assert!(Told::of(&called).fine().contains("Do the first thing"));
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn the_tools_are_listed_with_schemas_that_cost_little() {
    let sandbox = Sandbox::new();
    let mut client = Client::greeted(server(&sandbox));
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "start_run",
            "finish_step",
            "get_step",
            "list_tasks",
            "update_task",
            "send_message",
            "read_inbox",
            "get_context"
        ]
    );
    // No tokenizer in use needs more than a token for three bytes of English JSON.
    let bytes = listed["result"]["tools"].to_string().len();
    assert!(bytes / 3 < 2_000, "{bytes} bytes");
    for tool in tools {
        assert!(jsonschema::validator_for(&tool["inputSchema"]).is_ok(), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

#[test]
fn whatever_is_asked_is_answered_and_the_server_goes_on() {
    let sandbox = Sandbox::new();
    let mut client = Client::greeted(server(&sandbox));
    let error = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(error(&client.ask("no/such/method", &json!({}))), -32601);
    assert_eq!(
        error(&client.ask("resources/read", &json!({ "uri": "x:y" }))),
        -32601
    );
    let unknown = client.ask("tools/call", &json!({ "name": "destroy", "arguments": {} }));
    assert_eq!(error(&unknown), -32602);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("finish_step")
    );
    assert!(client.ask("tools/call", &json!({ "arguments": {} }))["error"].is_object());
    // What cannot be read belongs to no request; the next request is answered all the same.
    for broken in [
        "{\"jsonrpc\":\"2.0\",\"id\":",
        "not JSON",
        "",
        "\u{feff}",
        "[]",
        "42",
        "{}",
    ] {
        client.send(broken);
    }
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/of/another/kind" }).to_string());
    client.send(&json!({ "jsonrpc": "2.0", "id": "last", "method": "tools/list" }).to_string());
    let answered = (0..10)
        .map(|_| client.receive())
        .find(|answer| answer["id"] == "last");
    assert!(answered.unwrap()["result"]["tools"].is_array());
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn arguments_that_do_not_fit_are_an_answer_that_says_why() {
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
            "a reason is not for what is done",
        ),
        (
            "finish_step",
            json!({ "visit": "r-7f3a1c#1", "outcome": "fail", "result": {} }),
            "only for what is done",
        ),
        ("finish_step", json!({ "visit": "r-7f3a1c#1" }), "r-7f3a1c"),
        ("start_run", json!({}), "takes a skill"),
        (
            "start_run",
            json!({ "skill": "three", "child": "r-7f3a1c#1/1" }),
            "takes a skill",
        ),
        ("start_run", json!({ "skill": "threee" }), "Did you mean `three`?"),
        (
            "start_run",
            json!({ "skill": "three", "params": { "x": 1 } }),
            "cannot be started with these params",
        ),
        (
            "start_run",
            json!({ "skill": "three", "speed": 1 }),
            "unknown field `speed`",
        ),
        ("start_run", json!({ "child": "?" }), "?"),
        ("get_step", json!({ "run": "?" }), "?"),
        (
            "list_tasks",
            json!({ "show": "details" }),
            "give its id as `within`",
        ),
        ("list_tasks", json!({ "within": "?" }), "?"),
        (
            "update_task",
            json!({ "action": "done" }),
            "give its id as `task`",
        ),
        ("update_task", json!({ "action": "add" }), "give it as `text`"),
        (
            "update_task",
            json!({ "action": "fail", "task": "t-7f3a1c2d" }),
            "give it as `text`",
        ),
        (
            "update_task",
            json!({ "action": "done", "task": "t-7f3a1c2d" }),
            "t-7f3a1c2d",
        ),
        (
            "send_message",
            json!({ "text": "hello" }),
            "nothing here says who you are",
        ),
        (
            "send_message",
            json!({ "text": "  ", "as": "lead" }),
            "a message has",
        ),
        ("read_inbox", json!({}), "nothing here says who you are"),
    ];
    for (tool, arguments, words) in cases {
        let told = client.call(tool, &arguments);
        assert!(
            told.error && told.text.contains(words),
            "{tool} {arguments}: {told:?}"
        );
    }
    // A client may leave arguments out altogether.
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
        told.error && told.text.contains("more than 4194304 bytes"),
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
    let words = format!(
        "characters are left out here. This shows all of it: bugle step {}]",
        step.run
    );
    assert!(large.text.contains(&words));
    let whole = sandbox.run(&["step", &step.run]).ok().out;
    assert!(large.text.starts_with(&whole[..10_000]) && large.text.ends_with(&whole[whole.len() - 4_000..]));
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn a_line_that_is_too_long_gets_an_error_and_the_next_line_its_answer() {
    const LONGEST: usize = 16 * 1024 * 1024;
    let sandbox = Sandbox::new();
    let long = |first: &str, last: &str| {
        let params = json!({ "name": "post_message", "arguments": { "text": "x".repeat(LONGEST) } });
        format!("{{{first}\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{params}{last}}}")
    };
    let mut client = Client::start(server(&sandbox));
    // Before the greeting, with the id at the beginning, at its end, and with none.
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
        assert!(message.contains("at most 16777216"), "{message}");
    }
    assert!(client.ask("initialize", &greeting("2025-11-25"))["result"].is_object());
    // The longest line that is read, its end included.
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
fn the_end_of_the_input_ends_the_server_with_everything_answered() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let ended = answer_with_input(&mut server(&sandbox), b"").exits(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
    let half = answer_with_input(&mut server(&sandbox), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth").exits(0);
    assert_eq!(half.out, "");
    // A notification before the greeting is nothing to end for.
    let early =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting("2025-06-18") });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "start_run", "arguments": { "skill": "three" } } });
    let input = format!("{early}\n{hello}\n{call}\n");
    let answered = answer_with_input(&mut server(&sandbox), input.as_bytes()).exits(0);
    let answers: Vec<Value> = answered
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2, "{}", answered.out);
    assert!(Told::of(&answers[1]).fine().contains("Do the first thing"));
    sandbox.verify();
}

#[test]
fn the_signal_to_end_ends_it_at_once() {
    let sandbox = Sandbox::new();
    let client = Client::greeted(server(&sandbox));
    let id = client.server.id().to_string();
    sandbox.tool(&sandbox.project(), "sh", &["-c", &format!("kill -TERM {id}")]);
    assert_eq!(
        client.lines.iter().count(),
        0,
        "nothing but the protocol is written"
    );
    // The input is still open: it is the signal that ended it.
    let (mut server, _input) = (client.server, client.input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
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
    // Codex passes no environment on, but tells its session with every call.
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
        "the folder that was asked for comes first"
    );
    assert!(sandbox.run(&["mcp", "--port", "1"]).exits(2).out.is_empty());
}

#[test]
fn a_step_says_how_it_is_ended_here() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::greeted(server(&sandbox));
    let told = client.call("start_run", &json!({ "skill": "three" }));
    let aside = told.aside.clone().unwrap();
    let visit = aside.split('"').nth(1).unwrap().to_owned();
    assert!(told.text.contains(&format!("visit=\"{visit}\"")), "{told:?}");
    assert!(
        aside.contains("finish_step") && aside.contains("`result`"),
        "{aside}"
    );
    let next = client.call(
        "finish_step",
        &json!({ "visit": visit, "result": { "word": "one" } }),
    );
    assert!(next.fine().contains("The first thing was one."));
}

#[test]
fn several_clients_at_once_do_not_get_in_each_others_way() {
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
    assert_eq!(shell.out, told[0]);
    sandbox.verify();
}
