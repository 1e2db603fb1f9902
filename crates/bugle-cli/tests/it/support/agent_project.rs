//! A project whose client is a script that records its arguments and prompt, and replies.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::executable::write_executable;
use super::sandbox::Sandbox;

/// A minimal client. It prints its first output, runs the test's script, and prints its last output.
const CLIENT: &str = r#"#!/bin/sh
session=none
before=
for word in "$@"; do
  case "$before" in --session-id|--resume) session=$word ;; esac
  before=$word
done
mkdir -p "$HOME/calls"
call="$HOME/calls/$(date +%s%N)-$$"
{ echo "$*"; cat; } > "$call.part"
mv "$call.part" "$call.call"
echo '{"type":"system","subtype":"init","session_id":"'"$session"'"}'
if [ -f "$HOME/behaviour" ]; then . "$HOME/behaviour"; fi
echo '{"type":"result","is_error":false,"session_id":"'"$session"'","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":5},"result":"All done."}'
"#;

/// A project with that client.
pub(crate) struct Place {
    pub(crate) sandbox: Sandbox,
}

/// One start of the client.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) words: String,
    pub(crate) prompt: String,
}

impl Place {
    /// Bugle starts no supervisor here; the test does.
    pub(crate) fn new() -> Self {
        Self::of(Sandbox::new())
    }

    /// A sandbox with that client.
    pub(crate) fn of(sandbox: Sandbox) -> Self {
        let place = Self { sandbox };
        place.settings("supervisor: by-hand\n");
        place.install("claude");
        place
    }

    /// Writes the user's settings.
    pub(crate) fn settings(&self, text: &str) {
        self.sandbox
            .write(&self.sandbox.bugle_home().join("config.yaml"), text);
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.sandbox.root().join("bin").join(name)
    }

    pub(crate) fn install(&self, name: &str) {
        write_executable(&self.program(name), CLIENT);
    }

    /// Sets the script that the client runs before it answers.
    pub(crate) fn behave(&self, script: &str) {
        self.sandbox.write(&self.sandbox.home().join("behaviour"), script);
    }

    /// A pipe to synchronise with the client: a read blocks until the client writes.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.sandbox.home().join(name);
        self.sandbox
            .tool(&self.sandbox.project(), "mkfifo", &[path.to_str().unwrap()]);
        path
    }

    /// Every start of the client, in order.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let Ok(folder) = fs::read_dir(self.sandbox.home().join("calls")) else {
            return Vec::new();
        };
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "call"));
        files.sort();
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(file).unwrap();
            let (words, prompt) = text.split_once('\n').unwrap();
            Call {
                words: words.to_owned(),
                prompt: prompt.to_owned(),
            }
        };
        files.iter().map(read).collect()
    }

    pub(crate) fn agent(&self, name: &str) -> Value {
        let shown = self.sandbox.run(&["agent", "show", name, "--json"]).ok().json();
        shown["data"].clone()
    }

    pub(crate) fn status(&self, name: &str) -> String {
        self.agent(name)["agent"]["status"].as_str().unwrap().to_owned()
    }

    /// The messages to the person.
    pub(crate) fn told(&self) -> Vec<String> {
        let list = self
            .sandbox
            .run(&["messages", "--for", "human", "--json"])
            .ok()
            .json();
        let messages = list["data"]["messages"].as_array().unwrap();
        messages
            .iter()
            .map(|message| message["text"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn unread(&self, name: &str) -> usize {
        let list = self
            .sandbox
            .run(&["messages", "--for", name, "--unread", "--json"])
            .ok()
            .json();
        list["data"]["messages"].as_array().unwrap().len()
    }

    /// Starts an agent with this name and task. `more` are further arguments to `spawn`.
    #[track_caller]
    pub(crate) fn spawn(&self, name: &str, task: &str, more: &[&str]) {
        let words = ["spawn", "claude", task, "--name", name];
        self.sandbox.run(&[&words, more].concat()).ok();
    }

    /// Posts a message from another agent.
    #[track_caller]
    pub(crate) fn say(&self, from: &str, text: &str) {
        self.sandbox.run(&["say", text, "--as", from]).ok();
    }

    /// Runs a supervisor until it is idle.
    #[track_caller]
    pub(crate) fn supervise_once(&self) {
        self.sandbox.run(&["up", "--once"]).ok();
    }

    /// The session of an agent's client.
    pub(crate) fn session(&self, name: &str) -> String {
        self.agent(name)["session"].as_str().unwrap().to_owned()
    }

    /// A running supervisor.
    pub(crate) fn supervisor(&self) -> Child {
        let mut child = self
            .sandbox
            .bugle(&["up"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let output = child.stdout.as_mut().unwrap();
        BufReader::new(output).read_line(&mut first).unwrap();
        assert_eq!(first, "The supervisor is running.\n");
        child
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args([name, &pid])
        .status()
        .unwrap();
    assert!(sent.success());
}
