//! Messages stay unread if they could not be printed.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use bugle_testkit::broken_pipe::wait_until_broken;
use serde_json::{Value, json};

use crate::support::mcp_client::Client;
use crate::support::sandbox::{Answer, Sandbox, answer};

/// A sandbox in which the agent `backend` has one unread message.
fn with_mail() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["say", "@backend look at the parser", "--as", "lead"])
        .exits(0);
    sandbox
}

/// Runs the command with a full device as stdout.
fn into_nothing(command: &mut Command) -> Answer {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    Answer {
        code: output.status.code(),
        out: String::new(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the command with a closed pipe as stdout.
fn to_no_reader(command: &mut Command) -> Answer {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    wait_until_broken(&writer).unwrap();
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    Answer {
        code: output.status.code(),
        out: String::new(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn as_backend(sandbox: &Sandbox, words: &[&str]) -> Command {
    let mut command = sandbox.bugle(words);
    command.env("CLAUDE_CODE_SESSION_ID", "backend");
    command
}

const READERS: [&[&str]; 6] = [
    &["inbox"],
    &["inbox", "--json"],
    &["messages", "--unread", "--take", "--for", "backend"],
    &["wake", "backend"],
    &["wake", "backend", "--format", "json"],
    &["wake", "backend", "--format", "md"],
];

#[test]
fn a_message_that_could_not_be_written_stays_unread() {
    for words in READERS {
        let sandbox = with_mail();
        for lost in [into_nothing, to_no_reader] {
            lost(&mut as_backend(&sandbox, words)).exits(1);
        }
        let read = answer(&mut as_backend(&sandbox, words)).exits(0);
        assert!(read.out.contains("look at the parser"), "{words:?}: {read:?}");
        let unread = sandbox.run(&["messages", "--unread", "--for", "backend"]).ok();
        assert!(
            !unread.out.contains("look at the parser"),
            "{words:?}: {unread:?}"
        );
        sandbox.verify();
    }
}

#[test]
fn a_long_inbox_counts_as_read_once_it_is_written() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        let text = format!("@backend {}", "word ".repeat(3000));
        sandbox.run(&["say", &text, "--as", "lead"]).exits(0);
    }
    into_nothing(&mut as_backend(&sandbox, &["inbox"])).exits(1);
    let read = answer(&mut as_backend(&sandbox, &["inbox"])).exits(0);
    assert!(read.out.len() > 40_000, "{}", read.out.len());
    let again = answer(&mut as_backend(&sandbox, &["inbox"])).exits(0);
    assert!(again.out.len() < 1000, "{}", again.out);
}

/// Calls a tool from an MCP client that disconnects before the answer.
fn call_and_go(sandbox: &Sandbox, tool: &str) {
    let (output, writer) = std::io::pipe().unwrap();
    let mut server = sandbox
        .bugle(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(writer.try_clone().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(output);
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    send(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } }),
    );
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    wait_until_broken(&writer).unwrap();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = json!({ "name": tool, "arguments": { "as": "backend" } });
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    drop(input);
    server.wait().unwrap();
}

#[test]
fn a_message_that_an_mcp_client_did_not_receive_stays_unread() {
    for tool in ["read_inbox", "get_context"] {
        let sandbox = with_mail();
        call_and_go(&sandbox, tool);
        let unread = sandbox.run(&["messages", "--unread", "--for", "backend"]).ok();
        assert!(unread.out.contains("look at the parser"), "{tool}: {unread:?}");
        let mut client = Client::greeted(sandbox.bugle(&["mcp"]));
        for is_new in [true, false] {
            let told = client.call(tool, &json!({ "as": "backend" })).fine();
            assert_eq!(told.contains("look at the parser"), is_new, "{tool}: {told}");
        }
    }
}

/// Every command for people and agents, with arguments that make it print something.
const COMMANDS: [&[&str]; 22] = [
    &["runs"],
    &["show", "RUN"],
    &["step", "RUN"],
    &["task", "list"],
    &["task", "ready"],
    &["task", "add", "Write it"],
    &["plan", "list"],
    &["say", "@backend hello", "--as", "lead"],
    &["messages"],
    &["channel"],
    &["search", "parser"],
    &["agents"],
    &["wakeups"],
    &["skill", "list"],
    &["skill", "check", "planner"],
    &["convention", "list"],
    &["role", "list"],
    &["store", "verify"],
    &["note", "worth keeping"],
    &["start", "three"],
    &["pause", "RUN"],
    &["resume", "RUN"],
];

#[test]
fn every_command_says_when_its_answer_could_not_be_written() {
    let sandbox = with_mail();
    sandbox.skill("three", crate::support::workflows::THREE);
    let run = sandbox.start(&["three"]).run;
    for words in COMMANDS {
        let words: Vec<&str> = words
            .iter()
            .map(|word| if *word == "RUN" { run.as_str() } else { word })
            .collect();
        let failed = into_nothing(&mut sandbox.bugle(&words));
        assert_eq!(failed.code, Some(1), "{words:?}: {failed:?}");
        assert!(
            failed.err.contains("cannot write to stdout"),
            "{words:?}: {failed:?}"
        );
    }
    sandbox.verify();
}
