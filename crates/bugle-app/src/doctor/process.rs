//! Runs programs as a client does, with the client's time limits.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bugle_client::recognition::{hook_marks, session_variables};
use bugle_client::setup::Call;
use serde_json::{Value, json};

use crate::context::VariableSource;
use crate::evidence::{own_group, shell, stop};
use bugle_core::count::counted;

/// Maximum number of bytes read from a program's output.
const MOST_BYTES: u64 = 1024 * 1024;
/// How a program ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub out: String,
    pub code: Option<i32>,
    pub took: Duration,
}

/// A command that calls a program in the same way as a client's entry.
pub(super) fn called(call: &Call) -> Command {
    let mut command = match call {
        Call::Words(words) => plain(
            words.first().map_or("", String::as_str),
            words.get(1..).unwrap_or_default(),
        ),
        Call::Line(line) => shell(line),
    };
    // The program must not inherit this process's session.
    for variable in session_variables().chain(hook_marks()) {
        command.env_remove(variable);
    }
    command
}

/// A program with these arguments.
pub(super) fn plain(program: &str, words: &[impl AsRef<std::ffi::OsStr>]) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    own_group(&mut command);
    command
}

/// A command line in the user's login shell.
pub(super) fn login_shell(line: &str, variables: VariableSource<'_>) -> Command {
    let shell = variables("SHELL").filter(|shell| !shell.is_empty());
    let mut command = Command::new(shell.unwrap_or_else(|| "sh".into()));
    command.args(["-l", "-c", line]);
    own_group(&mut command);
    command
}

/// Runs a program until it exits, within a time limit.
pub(super) fn run(mut command: Command, input: &[u8], limit: Duration) -> Result<Ran, String> {
    let begun = Instant::now();
    let mut child = begin(&mut command)?;
    if let Some(mut pipe) = child.stdin.take() {
        let input = input.to_vec();
        // Write in another thread, because either pipe can fill up. The program may ignore its input.
        std::thread::spawn(move || pipe.write_all(&input).ok());
    }
    let (sender, output) = channel();
    if let Some(pipe) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut out = Vec::new();
            let read = pipe.take(MOST_BYTES).read_to_end(&mut out);
            sender.send(read.map(|_| out)).ok();
        });
    }
    let ended = output.recv_timeout(limit);
    let took = begun.elapsed();
    let Ok(Ok(out)) = ended else {
        stop(&mut child);
        return Err(too_long(limit));
    };
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if begun.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                stop(&mut child);
                return Err(too_long(limit));
            }
        }
    };
    Ok(Ran {
        out: String::from_utf8_lossy(&out).into_owned(),
        code,
        took,
    })
}

fn too_long(limit: Duration) -> String {
    format!(
        "the program did not finish within {}",
        counted(limit.as_secs(), "second")
    )
}

fn begin(command: &mut Command) -> Result<Child, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))
}

/// Starts an MCP server and counts its tools.
pub(super) fn tools(mut command: Command, limit: Duration) -> Result<usize, String> {
    let mut child = begin(&mut command)?;
    let asked = ask_for_tools(&mut child, Instant::now() + limit);
    // Killing the server is safe: it has no state to lose.
    stop(&mut child);
    asked
}

fn ask_for_tools(child: &mut Child, deadline: Instant) -> Result<usize, String> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the server has no stdin or stdout".to_owned());
    };
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let output = BufReader::new(output.take(MOST_BYTES));
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut say = |message: &Value| {
        let line = format!("{message}\n");
        let said = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        said.map_err(|error| format!("cannot write to the server's stdin: {error}"))
    };
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "bugle-doctor", "version": "1" },
    });
    say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting }))?;
    answer(&lines, 1, deadline)?;
    say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    say(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }))?;
    let listed = answer(&lines, 2, deadline)?;
    let tools = listed["tools"].as_array().map_or(0, Vec::len);
    Ok(tools)
}

/// The result of the request with this id.
fn answer(lines: &Receiver<String>, id: u64, deadline: Instant) -> Result<Value, String> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => "the server did not answer in time".to_owned(),
            RecvTimeoutError::Disconnected => "the server exited without an answer".to_owned(),
        })?;
        let message: Value = serde_json::from_str(&line)
            .map_err(|_| "the server printed output that is not JSON".to_owned())?;
        if message["id"] != id {
            continue;
        }
        if let Some(error) = message["error"]["message"].as_str() {
            return Err(error.to_owned());
        }
        return Ok(message["result"].clone());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_program_is_killed_at_its_time_limit() {
        let ran = run(shell("cat; exit 3"), b"hello", LONG).unwrap();
        assert_eq!((ran.out.as_str(), ran.code), ("hello", Some(3)));
        let begun = Instant::now();
        assert_eq!(
            run(shell("sleep 60"), b"", SHORT).unwrap_err(),
            "the program did not finish within 0 seconds"
        );
        // Neither a background process nor a closed stdout extends the time limit.
        assert!(run(shell("sleep 60 & sleep 60"), b"", SHORT).is_err());
        assert!(run(shell("exec >&-; sleep 60"), b"", SHORT).is_err());
        assert!(begun.elapsed() < LONG);
        assert!(run(plain("/no/such/program", &["x"]), b"", LONG).is_err());
    }

    #[test]
    fn a_server_without_tools_is_reported() {
        let ended = tools(shell("exit 0"), LONG).unwrap_err();
        assert!(
            ended == "the server exited without an answer"
                || ended.starts_with("cannot write to the server's stdin: "),
            "{ended}"
        );
        assert_eq!(
            tools(shell("cat >/dev/null"), SHORT).unwrap_err(),
            "the server did not answer in time"
        );
        assert!(
            tools(shell("echo welcome; cat >/dev/null"), LONG)
                .unwrap_err()
                .contains("not JSON")
        );
        let stub = r#"read a; echo '{"id":1,"result":{}}'; read b; read c; echo '{"method":"x"}'; echo '{"id":2,"result":{"tools":[1,2]}}'; cat"#;
        assert_eq!(tools(shell(stub), LONG), Ok(2));
    }
}
