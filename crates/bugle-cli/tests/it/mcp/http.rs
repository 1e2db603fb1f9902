//! MCP over HTTP: access and answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::mcp_client::{PATIENCE, Told};
use crate::support::sandbox::{Sandbox, answer};
use crate::support::workflows::THREE;

/// A server, stopped when the test ends.
struct Server {
    process: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        Self::of(sandbox, sandbox.bugle(&["mcp", "--http", "--port", "0"]))
    }

    fn of(sandbox: &Sandbox, mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = said.next().unwrap().unwrap();
        let rest = url
            .strip_prefix("Serving MCP at http://127.0.0.1:")
            .unwrap_or_else(|| panic!("{url}"));
        let port = rest.strip_suffix("/mcp").unwrap().parse().unwrap();
        let file = sandbox.bugle_home().join("mcp-token");
        let about_token = said.next().unwrap().unwrap();
        assert!(about_token.contains(file.to_str().unwrap()), "{about_token}");
        let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
        assert!(!about_token.contains(&token), "the token is for the file only");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        Self { process, port, token }
    }

    /// Sends a request verbatim; returns the response's status and body.
    fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    /// Posts a message with these additional headers.
    fn post(&self, headers: &[(&str, &str)], message: &Value) -> (u16, String) {
        let body = message.to_string();
        let own_host = format!("127.0.0.1:{}", self.port);
        let host = headers
            .iter()
            .find(|(name, _)| *name == "Host")
            .map_or(own_host.as_str(), |(_, host)| *host);
        let more: String = headers
            .iter()
            .filter(|(name, _)| *name != "Host")
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        self.raw(&format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{more}Content-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    #[track_caller]
    fn ask(&self, headers: &[(&str, &str)], method: &str, params: &Value) -> Value {
        let authorization = self.authorization();
        let headers: Vec<(&str, &str)> = [("Authorization", authorization.as_str())]
            .into_iter()
            .chain(headers.iter().copied())
            .collect();
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (status, body) = self.post(&headers, &message);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    #[track_caller]
    fn call(&self, session: &str, tool: &str, arguments: &Value) -> Told {
        let version = ("MCP-Protocol-Version", "2025-11-25");
        let params = json!({ "name": tool, "arguments": arguments });
        Told::of(&self.ask(&[version, ("Bugle-Session", session)], "tools/call", &params))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignore errors: the process may have already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn only_requests_with_the_token_are_accepted() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let right = server.authorization();
    let changed = format!("{right}0");
    let half = &right[..right.len() - 1];
    for wrong in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        &changed,
        half,
        &server.token,
        "Basic eDp5",
    ] {
        let (status, body) = server.post(&[("Authorization", wrong)], &hello);
        assert_eq!(status, 401, "{wrong:?}: {body}");
        assert!(
            body.contains("mcp-token") && !body.contains(&server.token),
            "{body}"
        );
    }
    assert_eq!(server.post(&[], &hello).0, 401);
    assert_eq!(server.post(&[("Authorization", &right)], &hello).0, 200);
    let elsewhere = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
        server.port
    );
    assert_eq!(server.raw(&elsewhere).0, 401, "other paths need the token too");
}

#[test]
fn a_web_page_is_refused_even_with_the_token() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let right = server.authorization();
    let own = format!("http://127.0.0.1:{}", server.port);
    let other_port = format!("127.0.0.1:{}", server.port ^ 1);
    for (name, value) in [
        ("Host", "evil.example"),
        ("Host", "127.0.0.1.evil.example"),
        ("Host", other_port.as_str()),
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", own.as_str()),
    ] {
        let (status, body) = server.post(&[("Authorization", &right), (name, value)], &hello);
        assert_eq!(status, 403, "{name}: {value}: {body}");
    }
    let by_name = format!("localhost:{}", server.port);
    assert_eq!(
        server
            .post(&[("Authorization", &right), ("Host", &by_name)], &hello)
            .0,
        200
    );
}

#[test]
fn a_call_is_answered_for_the_session_that_it_names() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut command = sandbox.bugle(&["mcp", "--http", "--port", "0"]);
    // Start the server in a session that is not its callers' session.
    command.env("CLAUDE_CODE_SESSION_ID", "another-session");
    let server = Server::of(&sandbox, command);
    let greeting = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    let greeted = server.ask(&[], "initialize", &greeting);
    assert_eq!(greeted["result"]["protocolVersion"], "2025-06-18");
    let mine = server
        .call("s-1", "start_run", &json!({ "skill": "three" }))
        .fine();
    let theirs = server
        .call("s-2", "start_run", &json!({ "skill": "three" }))
        .fine();
    assert_ne!(mine, theirs);
    assert_eq!(server.call("s-1", "get_step", &json!({})).fine(), mine);
    assert_eq!(server.call("s-2", "get_step", &json!({})).fine(), theirs);
    let shell = answer(sandbox.bugle(&["step"]).env("CODEX_THREAD_ID", "s-2")).ok();
    let visit = shell.step().visit;
    assert!(
        theirs.contains(&format!("finish_step {{\"visit\":\"{visit}\"}}")),
        "{theirs}"
    );
    let unnamed = server.call("", "get_step", &json!({}));
    assert!(
        unnamed.error && unnamed.text.contains("several runs are open in this project"),
        "{unnamed:?}"
    );
    let refused = server.call("s-1", "finish_step", &json!({ "visit": shell.step().visit }));
    assert!(
        refused.error && refused.text.contains("This step requires a result"),
        "{refused:?}"
    );
    sandbox.verify();
}

#[test]
fn many_clients_at_once_are_answered() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let server = Server::start(&sandbox);
    let step = sandbox.start(&["three"]);
    let arguments = json!({ "visit": step.visit, "result": { "word": "one" } });
    let told: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let (server, arguments) = (&server, &arguments);
                scope.spawn(move || server.call("s-1", "finish_step", arguments).fine())
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(told.windows(2).all(|two| two[0] == two[1]), "{told:?}");
    sandbox.verify();
}

#[test]
fn evidence_of_concurrent_runs_is_kept_apart() {
    let workflow = "
version: 1
steps:
  prove:
    title: Prove it
    do: Prove it.
    expect: [{ command: 'echo this was shown; exit 1' }]
    next: end
";
    let sandbox = Sandbox::with_skill("proof", workflow);
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let server = Server::start(&sandbox);
    let step = sandbox.start(&["proof"]);
    let arguments = json!({ "visit": step.visit });
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let told = server.call("s-1", "finish_step", &arguments);
                assert!(told.error && told.text.contains("this was shown"), "{told:?}");
            });
        }
    });
}

#[test]
fn the_token_is_reused_and_a_taken_port_is_an_error() {
    let sandbox = Sandbox::new();
    let first = Server::start(&sandbox);
    let second = Server::start(&sandbox);
    assert_eq!(first.token, second.token);
    assert_ne!(first.port, second.port);
    let port = first.port.to_string();
    let taken = sandbox.run(&["mcp", "--http", "--port", &port]);
    taken.fails(2, "Choose another port with `--port`");
    let file = sandbox.bugle_home().join("mcp-token");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let shared = sandbox.run(&["mcp", "--http", "--port", "0"]);
    shared.fails(2, "other users can read the file");
}

#[test]
fn a_signal_ends_the_server_at_once_with_open_connections() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox);
    let _idle = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let id = server.process.id().to_string();
    sandbox.tool(&sandbox.project(), "sh", &["-c", &format!("kill -TERM {id}")]);
    assert_eq!(server.process.wait().unwrap().code(), Some(0));
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let right = server.authorization();
    // The body is only one byte over the limit. The server therefore reads the whole body before it answers.
    let around = json!("").to_string().len();
    let message = json!("x".repeat(4 * 1024 * 1024 + 1 - around));
    assert_eq!(server.post(&[("Authorization", &right)], &message).0, 413);
}
