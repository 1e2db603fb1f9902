//! An MCP client over stdin and stdout.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::sandbox::Sandbox;

/// Time limit for a server that hangs; far longer than any request takes.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A client with its own server.
pub(crate) struct Client {
    pub(crate) server: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) lines: Receiver<String>,
    next_id: u64,
}

impl Client {
    pub(crate) fn start(mut command: Command) -> Self {
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

    /// Starts a client and completes the handshake.
    pub(crate) fn greeted(command: Command) -> Self {
        let mut client = Self::start(command);
        let greeting = client.ask("initialize", &greeting("2025-11-25"));
        assert_eq!(greeting["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    #[track_caller]
    pub(crate) fn receive(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_answering(method, params, &mut |request| panic!("the server asks {request}"))
    }

    /// Sends a request, and answers the server's own requests until the reply arrives.
    #[track_caller]
    pub(crate) fn ask_answering(
        &mut self,
        method: &str,
        params: &Value,
        answered: &mut dyn FnMut(&Value) -> Value,
    ) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let message = self.receive();
            if message["method"].is_null() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
            let result = answered(&message);
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string());
        }
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Told {
        Told::of(&self.ask("tools/call", &json!({ "name": tool, "arguments": arguments })))
    }

    /// Closes the connection; returns the server's remaining output and its exit code.
    #[track_caller]
    pub(crate) fn leave(mut self) -> (Vec<String>, Option<i32>) {
        drop(self.input.take());
        let rest: Vec<String> = self.lines.iter().collect();
        let output = self.server.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        (rest, output.status.code())
    }
}

pub(crate) fn greeting(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "roots": {} },
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// The capabilities of a client that shows a server's questions to its user.
pub(crate) fn forms() -> Value {
    json!({ "elicitation": {} })
}

/// A tool's result.
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

pub(crate) fn server(sandbox: &Sandbox) -> Command {
    sandbox.bugle(&["mcp"])
}

/// A server that Claude Code started for a session.
pub(crate) fn server_for(sandbox: &Sandbox, session: &str) -> Command {
    let mut command = server(sandbox);
    command.env("CLAUDE_CODE_SESSION_ID", session);
    command
}
