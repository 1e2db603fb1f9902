//! A running client and its output.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Client;
use super::inside::{BEGINNING, TOO_LATE};
use super::recipe::recipe;
use crate::model_server::{Exchange, Log, ModelServer, Request};

/// How long a client may take to exit after its deadline.
const GRACE: Duration = Duration::from_secs(20);

/// A running client. Dropping it kills the client and everything it started.
#[derive(Debug)]
pub struct Running {
    client: Client,
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Receiver<String>,
    server: Option<ModelServer>,
    deadline: Instant,
}

impl Running {
    pub(super) fn start(
        client: Client,
        mut command: Command,
        server: ModelServer,
        first: Option<&str>,
        longest: Duration,
    ) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(first.map_or_else(Stdio::null, |_| Stdio::piped()));
        let mut child = command.spawn().unwrap();
        let mut running = Self {
            client,
            input: child.stdin.take(),
            output: lines(child.stdout.take().unwrap()),
            errors: lines(child.stderr.take().unwrap()),
            child,
            server: Some(server),
            // Only a fallback: the process inside the namespace enforces the actual deadline.
            deadline: Instant::now() + longest + GRACE,
        };
        if let Some(prompt) = first {
            running.say(prompt);
        }
        running
    }

    /// Sends another user prompt to a resident client.
    pub fn say(&mut self, prompt: &str) {
        let line = json!({ "type": "user", "message": { "role": "user", "content": prompt } });
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    /// The requests so far. [`Log::wait_for`] waits for more.
    pub fn log(&self) -> &Log {
        self.server.as_ref().unwrap().log()
    }

    /// Kills the client and everything it started.
    pub fn kill(mut self) -> Finished {
        self.child.kill().unwrap();
        self.end()
    }

    /// Waits until the client exits.
    pub fn finish(self) -> Finished {
        let finished = self.end();
        assert_ne!(finished.code, Some(TOO_LATE), "the client timed out\n{finished}");
        finished
    }

    fn end(mut self) -> Finished {
        // A resident client exits when its stdin closes.
        self.input = None;
        let printed = self.all(&self.output);
        let errors = self.all(&self.errors);
        let (Some(printed), Some(errors)) = (printed, errors) else {
            panic!("{:?} did not exit in time: {:?}", self.client, self.log());
        };
        let status = self.child.wait().unwrap();
        let server = self.server.take().unwrap();
        Finished::new(self.client, status, &printed, &errors, server.finish())
    }

    /// All lines until the output ends; `None` if it does not end in time.
    fn all(&self, lines: &Receiver<String>) -> Option<Vec<String>> {
        let mut all = Vec::new();
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left) {
                Ok(line) => all.push(line),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Some(all),
                Err(mpsc::RecvTimeoutError::Timeout) => return None,
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ignore errors: the client may have already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The output lines as they arrive.
fn lines(source: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        while source.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if send.send(text).is_err() {
                break;
            }
        }
    });
    receive
}

/// The output of a client that has exited. Its `Display` is for failed tests.
#[derive(Debug)]
pub struct Finished {
    client: Client,
    /// The client's exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// The client's stdout, one JSON value per line.
    pub events: Vec<Value>,
    /// The client's stderr.
    pub errors: String,
    /// The requests to the model and the model's replies.
    pub exchanges: Vec<Exchange>,
}

impl Finished {
    fn new(
        client: Client,
        status: ExitStatus,
        printed: &[String],
        errors: &[String],
        exchanges: Vec<Exchange>,
    ) -> Self {
        let mut own = printed.iter().skip_while(|line| *line != BEGINNING);
        let begun = own.next().is_some();
        let finished = Self {
            client,
            code: status.code(),
            events: own.filter_map(|line| serde_json::from_str(line).ok()).collect(),
            errors: errors.join("\n"),
            exchanges,
        };
        assert!(
            begun,
            "the client was never started\n{}\n{finished}",
            printed.join("\n")
        );
        finished
    }

    /// Asserts that the client succeeded.
    #[track_caller]
    #[must_use]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self}");
        self
    }

    /// The session id, with which another process can resume the session.
    #[track_caller]
    pub fn session(&self) -> String {
        let mut ids = self.events.iter().filter_map(recipe(self.client).session);
        ids.next()
            .unwrap_or_else(|| panic!("the client reported no session\n{self}"))
    }

    /// The client's final message to the user.
    #[track_caller]
    pub fn answer(&self) -> String {
        let answer = (recipe(self.client).answer)(&self.events);
        answer.unwrap_or_else(|| panic!("the client printed no answer\n{self}"))
    }

    /// The requests to the model.
    pub fn requests(&self) -> Vec<&Request> {
        self.exchanges.iter().map(|exchange| &exchange.request).collect()
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "{:?} exited with {:?}", self.client, self.code)?;
        for Exchange { request, reply } in &self.exchanges {
            let Request {
                number, method, path, ..
            } = request;
            writeln!(
                formatter,
                "{number}. {method} {path}: {}",
                beginning(&request.news())
            )?;
            writeln!(formatter, "   replied: {reply:?}")?;
        }
        for event in &self.events {
            writeln!(formatter, "printed: {}", beginning(&event.to_string()))?;
        }
        write!(formatter, "{}", self.errors)
    }
}

/// The beginning of a string.
fn beginning(text: &str) -> String {
    text.chars().take(600).collect()
}
