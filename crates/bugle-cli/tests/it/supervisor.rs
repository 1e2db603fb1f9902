//! Agents that Bugle starts and looks after, with a client that is a script: it writes down what it was started with, and
//! answers. Everything else is real: processes, groups, signals, the store.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::harness::{Sandbox, answer, answer_with_input};

/// A client in a few lines. What it does between its first and its last words is in a file that a test writes.
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
struct Place {
    sandbox: Sandbox,
}

/// What the client was started with.
#[derive(Debug)]
struct Call {
    words: String,
    prompt: String,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let place = Self { sandbox };
        place.install("claude");
        place
    }

    fn program(&self, name: &str) -> PathBuf {
        self.sandbox.root().join("bin").join(name)
    }

    fn install(&self, name: &str) {
        self.sandbox.write(&self.program(name), CLIENT);
        fs::set_permissions(self.program(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What the client does before it answers.
    fn behave(&self, script: &str) {
        self.sandbox.write(&self.sandbox.home().join("behaviour"), script);
    }

    /// A pipe on which the client says that it has come so far. To read from it is to wait for that.
    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.sandbox.home().join(name);
        self.sandbox
            .tool(&self.sandbox.project(), "mkfifo", &[path.to_str().unwrap()]);
        path
    }

    /// Every start of the client, in order.
    fn calls(&self) -> Vec<Call> {
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

    fn agent(&self, name: &str) -> Value {
        let shown = self.sandbox.run(&["agent", "show", name, "--json"]).ok().json();
        shown["data"].clone()
    }

    fn status(&self, name: &str) -> String {
        self.agent(name)["agent"]["status"].as_str().unwrap().to_owned()
    }

    /// What the person was told.
    fn told(&self) -> Vec<String> {
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

    fn unread(&self, name: &str) -> usize {
        let list = self
            .sandbox
            .run(&["messages", "--for", name, "--unread", "--json"])
            .ok()
            .json();
        list["data"]["messages"].as_array().unwrap().len()
    }

    /// A supervisor that is up.
    fn supervisor(&self) -> Child {
        let mut child = self
            .sandbox
            .bugle(&["up"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let output = child.stdout.as_mut().unwrap();
        BufReader::new(output).read_line(&mut first).unwrap();
        assert_eq!(first, "The supervisor is up.\n");
        child
    }
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args([name, &pid])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn an_agent_is_started_with_its_task_and_its_answer_is_printed() {
    let place = Place::new();
    let words = [
        "spawn",
        "claude",
        "Count the stars.",
        "--name",
        "star",
        "--role",
        "explore",
        "--model",
        "small",
        "--",
        "--permission-mode",
        "plan",
    ];
    let answer = place.sandbox.run(&words).ok();
    assert_eq!(answer.out, "All done.\n");
    let calls = place.calls();
    assert_eq!(calls.len(), 1);
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
    let wanted = format!(
        "-p --output-format stream-json --verbose --model small --permission-mode plan --session-id {session}"
    );
    assert_eq!(calls[0].words, wanted);
    assert!(calls[0].prompt.contains("You are @star"), "{calls:?}");
    assert!(calls[0].prompt.contains("\nCount the stars.\n"), "{calls:?}");
    assert!(calls[0].prompt.contains("## Your role: `explore`"), "{calls:?}");
    let agent = place.agent("star");
    assert_eq!(agent["agent"]["status"], "complete");
    assert_eq!((&agent["tokens"], &agent["cost"]), (&15.into(), &500_000.into()));
    assert_eq!(agent["exit_code"], 0);
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
    let log = place.sandbox.run(&["logs", "star"]).ok().out;
    assert!(log.contains(&format!("session {session}")), "{log}");
    let followed = place.sandbox.run(&["logs", "star", "--follow"]).ok().out;
    assert_eq!(followed, log);
    let attach = place.sandbox.run(&["attach", "star"]).ok().out;
    assert!(attach.contains(&format!("claude --resume {session}")), "{attach}");
}

#[test]
fn the_whole_prompt_arrives_whatever_its_length() {
    let place = Place::new();
    let task = format!("{} and then the end.", "x".repeat(1_000_000));
    let spawned = answer_with_input(
        &mut place.sandbox.bugle(&["spawn", "claude", "-", "--name", "long"]),
        task.as_bytes(),
    );
    spawned.ok();
    assert!(place.calls()[0].prompt.contains(&task));
}

#[test]
fn a_name_is_taken_once_and_made_up_if_none_is_given() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    let again = place.sandbox.run(&["spawn", "claude", "b", "--name", "star"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.err.contains("there is an agent star already"), "{again:?}");
    let made_up = place
        .sandbox
        .run(&["spawn", "claude", "c", "--detach", "--json"])
        .ok()
        .json();
    let name = made_up["data"]["name"].as_str().unwrap();
    assert!(name.starts_with("claude-"), "{name}");
}

#[test]
fn a_work_tree_of_its_own_is_made() {
    let place = Place::new();
    place.sandbox.git_init();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--worktree"])
        .ok();
    let directory = place.agent("star")["directory"].as_str().unwrap().to_owned();
    assert!(directory.contains("/worktrees/star-"), "{directory}");
    let listed = place
        .sandbox
        .tool(&place.sandbox.project(), "git", &["worktree", "list"]);
    assert!(listed.out.contains(&directory), "{listed:?}");
}

#[test]
fn a_client_that_is_not_installed_leaves_everything_unread_and_is_told_once() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    fs::remove_file(place.program("claude")).unwrap();
    place
        .sandbox
        .run(&["say", "@star the spec is ready", "--as", "lead"])
        .ok();
    for _ in 0..2 {
        place.sandbox.run(&["up", "--once"]).ok();
        assert_eq!(place.unread("star"), 1);
    }
    let told = place.told();
    let about: Vec<&String> = told
        .iter()
        .filter(|text| text.contains("not installed"))
        .collect();
    assert_eq!(about.len(), 1, "{told:?}");
    // It is there again, and somebody says something more: both arrive together.
    place.install("claude");
    place
        .sandbox
        .run(&["say", "@star are you there?", "--as", "lead"])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for text in ["the spec is ready", "are you there?"] {
        assert!(calls[1].prompt.contains(text), "{calls:?}");
    }
    assert_eq!(place.unread("star"), 0);
}

#[test]
fn an_idle_agent_that_is_spoken_to_is_woken_once_in_its_session() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.sandbox.run(&["say", &text, "--as", "lead"]).ok();
    }
    place.sandbox.run(&["up", "--once"]).ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    let at = |number: u32| calls[1].prompt.find(&format!("message number {number}")).unwrap();
    assert!(at(1) < at(2) && at(2) < at(3), "{calls:?}");
    let told = place.told();
    assert!(told.iter().all(|text| text.contains("exit code 0")), "{told:?}");
}

#[test]
fn a_busy_agent_gets_everything_together_afterwards() {
    let place = Place::new();
    let (began, go_on) = (place.pipe("began"), place.pipe("go-on"));
    place.behave("echo > \"$HOME/began\"; cat \"$HOME/go-on\"; rm \"$HOME/behaviour\"");
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--detach"])
        .ok();
    fs::read(&began).unwrap();
    assert_eq!(place.status("star"), "busy");
    let mut supervisor = place.supervisor();
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.sandbox.run(&["say", &text, "--as", "lead"]).ok();
    }
    assert_eq!(place.calls().len(), 1);
    fs::write(&go_on, "").unwrap();
    signal(&supervisor, "-KILL");
    supervisor.wait().unwrap();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for number in 1..=3 {
        let text = format!("message number {number}");
        assert_eq!(calls[1].prompt.matches(&text).count(), 1, "{calls:?}");
    }
}

#[test]
fn killing_ends_the_group_and_nobody_recovers_it() {
    let place = Place::new();
    for (name, force) in [("gentle", false), ("rude", true)] {
        let began = place.pipe(name);
        place.behave(&format!("sleep 600 & echo $! > \"$HOME/{name}\"; wait"));
        place
            .sandbox
            .run(&["spawn", "claude", "a", "--name", name, "--detach"])
            .ok();
        let inner = fs::read_to_string(&began).unwrap().trim().to_owned();
        let mut words = vec!["kill", name];
        words.extend(force.then_some("--force"));
        place.sandbox.run(&words).ok();
        assert_eq!(place.status(name), "failed");
        let stat = fs::read_to_string(format!("/proc/{inner}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 2);
    let again = place.sandbox.run(&["kill", "gentle"]);
    assert_eq!(again.code, Some(4), "{again:?}");
}

#[test]
fn an_interrupted_agent_is_idle_and_goes_on_in_its_session() {
    let place = Place::new();
    let began = place.pipe("began");
    place.behave("echo > \"$HOME/began\"; sleep 600");
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--detach"])
        .ok();
    fs::read(&began).unwrap();
    place.sandbox.run(&["interrupt", "star"]).ok();
    assert_eq!(place.status("star"), "idle");
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 1);
    place.behave("");
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
    let answer = place
        .sandbox
        .run(&["prompt", "star", "Go on with the moon."])
        .ok();
    assert_eq!(answer.out, "All done.\n");
    let calls = place.calls();
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    assert!(calls[1].prompt.contains("Go on with the moon."), "{calls:?}");
}

#[test]
fn whoever_dies_at_work_is_recovered_three_times_and_then_the_person_is_told() {
    let place = Place::new();
    place.behave("kill -KILL $$");
    place
        .sandbox
        .run(&[
            "spawn",
            "claude",
            "Count the stars.",
            "--name",
            "star",
            "--detach",
        ])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 4, "{calls:?}");
    for call in &calls[1..] {
        assert!(call.prompt.contains("Count the stars."), "{call:?}");
        assert!(call.words.contains("--session-id"), "{call:?}");
    }
    assert_eq!(place.status("star"), "failed");
    let told = place.told();
    let given_up = told.iter().filter(|text| text.contains("not started again"));
    assert_eq!(given_up.count(), 1, "{told:?}");
}

#[test]
fn a_dead_agent_s_successor_finishes_its_work() {
    let place = Place::new();
    place.behave("rm \"$HOME/behaviour\"; kill -KILL $$");
    place
        .sandbox
        .run(&[
            "spawn",
            "claude",
            "Count the stars.",
            "--name",
            "star",
            "--detach",
        ])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 2);
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
    assert_eq!(place.agent("star")["recoveries"], 1);
}

#[test]
fn there_is_one_supervisor_and_it_ends_when_it_is_asked_to() {
    let place = Place::new();
    let began = place.pipe("began");
    let mut supervisor = place.supervisor();
    let second = place.sandbox.run(&["up"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    let holder = format!("process {}", supervisor.id());
    assert!(second.err.contains(&holder), "{second:?}");
    // An agent that it has woken goes with it, and can be taken up again.
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    place.behave("echo $$ > \"$HOME/began\"; sleep 600");
    place.sandbox.run(&["say", "@star go on", "--as", "lead"]).ok();
    let client = fs::read_to_string(&began).unwrap().trim().to_owned();
    signal(&supervisor, "-TERM");
    assert!(supervisor.wait().unwrap().success());
    assert_eq!(place.status("star"), "idle");
    let stat = fs::read_to_string(format!("/proc/{client}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    place.sandbox.run(&["up", "--once"]).ok();
}

#[test]
fn a_supervisor_that_is_killed_again_and_again_loses_and_repeats_nothing() {
    const ROUNDS: u32 = 60;
    let place = Place::new();
    let agents = ["sun", "moon", "star"];
    for agent in agents {
        place.sandbox.run(&["spawn", "claude", "a", "--name", agent]).ok();
    }
    for round in 0..ROUNDS {
        for (at, agent) in agents.iter().enumerate() {
            if !(round as usize + at).is_multiple_of(3) {
                let text = format!("@{agent} word <{agent}-{round}> of the exchange");
                place.sandbox.run(&["say", &text, "--as", "lead"]).ok();
            }
        }
        // Points that nobody chose, from before the first look to after the last.
        let tenths = 50 + (round * 7919) % 1_500;
        let seconds = format!("0.{tenths:04}");
        let mut doomed = place.sandbox.command("timeout", &place.sandbox.project());
        answer(doomed.args(["--signal=KILL", &seconds, "bugle", "up"]));
    }
    place.sandbox.run(&["up", "--once"]).ok();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for call in place.calls() {
        for word in call.prompt.split('<').skip(1) {
            let word = word.split('>').next().unwrap().to_owned();
            *seen.entry(word).or_default() += 1;
        }
    }
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for round in 0..ROUNDS {
        for (at, agent) in agents.iter().enumerate() {
            if !(round as usize + at).is_multiple_of(3) {
                wanted.insert(format!("{agent}-{round}"), 1);
            }
        }
    }
    seen.retain(|word, _| word.contains('-'));
    assert_eq!(seen, wanted);
    for agent in agents {
        assert_eq!(place.unread(agent), 0);
    }
}
