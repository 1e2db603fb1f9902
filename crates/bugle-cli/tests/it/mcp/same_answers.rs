//! A tool does the same as its command, and names tools where the command names commands.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::mcp_client::{Client, server_for};
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

const SESSION: &str = "s-1";

enum Door<'a> {
    Shell(&'a Sandbox),
    Mcp(&'a Sandbox, Box<Client>),
}

/// A caller that uses only tools or only commands, and records every answer and whether the call succeeded.
struct Visitor<'a> {
    door: Door<'a>,
    answers: Vec<(String, bool)>,
    ids: BTreeMap<String, usize>,
}

impl<'a> Visitor<'a> {
    fn new(door: Door<'a>) -> Self {
        Self {
            door,
            answers: Vec::new(),
            ids: BTreeMap::new(),
        }
    }

    /// Calls the tool or the command.
    fn ask(&mut self, tool: &str, arguments: &Value, words: &[&str]) -> String {
        let (sandbox, text, good) = match &mut self.door {
            Door::Shell(sandbox) => {
                let done = sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", SESSION, words);
                // Errors are on stderr; a refusal is on stdout.
                (*sandbox, done.out.clone() + &done.err, done.code == Some(0))
            }
            Door::Mcp(sandbox, client) => {
                let told = client.call(tool, arguments);
                (*sandbox, told.text, !told.error)
            }
        };
        let neutral = without_ids(&sandbox.neutral(&text), &mut self.ids);
        self.answers.push((neutral, good));
        text
    }

    fn finishes(&mut self, visit: &str, more: &Value, words: &[&str]) {
        let mut arguments = json!({ "visit": visit });
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        let words: Vec<&str> = ["done", visit].into_iter().chain(words.iter().copied()).collect();
        self.ask("finish_step", &arguments, &words);
    }

    fn changes(&mut self, action: &str, task: &str, words: &[&str]) {
        let arguments = json!({ "action": action, "task": task, "text": "because" });
        let words: Vec<&str> = ["task", action, task]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        self.ask("update_task", &arguments, &words);
    }

    /// A run from its start to its second visit, including every refusal on the way.
    fn begins_a_run(&mut self) -> String {
        self.ask("get_step", &json!({}), &["step"]);
        self.finishes("r-7f3a1c", &json!({}), &[]);
        self.ask(
            "start_run",
            &json!({ "child": "r-7f3a1c#1" }),
            &["start", "--child", "r-7f3a1c#1"],
        );
        self.ask("start_run", &json!({ "skill": "fourth" }), &["start", "fourth"]);
        let step = self.ask("start_run", &json!({ "skill": "three" }), &["start", "three"]);
        let run = first_id(&step, "r-");
        let first = format!("{run}#1");
        self.finishes(&first, &json!({}), &[]);
        let wrong = json!({ "word": 7 });
        self.finishes(
            &first,
            &json!({ "result": wrong }),
            &["--result", &wrong.to_string()],
        );
        let right = json!({ "word": "one" });
        for _ in 0..2 {
            self.finishes(
                &first,
                &json!({ "result": right, "note": "kept" }),
                &["--result", &right.to_string(), "--note", "kept"],
            );
        }
        self.ask("get_step", &json!({}), &["step"]);
        self.ask("get_step", &json!({ "run": run }), &["step", &run]);
        let second = format!("{run}#2");
        let why = |outcome: &str| json!({ "outcome": outcome, "why": "it rains" });
        self.finishes(&second, &why("fail"), &["--fail", "it rains"]);
        self.finishes(&second, &json!({ "outcome": "unanswered" }), &["--unanswered"]);
        for kind in ["blocked", "needs_decision", "uncertainty"] {
            self.finishes(&second, &why(kind), &["--escalate", kind, "--why", "it rains"]);
        }
        run
    }

    fn ends_the_run(&mut self, run: &str) {
        let last = json!({ "word": "two" }).to_string();
        self.finishes(
            &format!("{run}#2"),
            &json!({ "result": last }),
            &["--result", &last],
        );
        self.finishes(&format!("{run}#3"), &json!({}), &[]);
        self.ask("get_step", &json!({ "run": run }), &["step", run]);
    }

    fn works_on_tasks(&mut self) {
        self.ask("list_tasks", &json!({}), &["task", "list"]);
        let added = self.ask(
            "update_task",
            &json!({ "action": "add", "text": "Write it" }),
            &["task", "add", "Write it"],
        );
        let first = first_id(&added, "t-");
        let added = self.ask(
            "update_task",
            &json!({ "action": "add", "text": "Test it", "task": first }),
            &["task", "add", "Test it", "--under", &first],
        );
        let second = first_id(&added, "t-");
        for (show, words) in [
            ("open", vec!["task", "list"]),
            ("all", vec!["task", "list", "--all"]),
            ("next", vec!["task", "next"]),
            ("ready", vec!["task", "ready"]),
        ] {
            self.ask("list_tasks", &json!({ "show": show }), &words);
            let within: Vec<&str> = words.iter().copied().chain([first.as_str()]).collect();
            self.ask("list_tasks", &json!({ "show": show, "within": first }), &within);
        }
        self.changes("done", &first, &[]);
        self.changes("start", &second, &[]);
        self.changes("note", &second, &["because"]);
        self.changes("block", &second, &["--why", "because"]);
        self.changes("reopen", &second, &[]);
        self.changes("fail", &second, &["--why", "because"]);
        self.changes("reopen", &second, &[]);
        self.changes("skip", &second, &["--why", "because"]);
        self.ask(
            "list_tasks",
            &json!({ "show": "details", "within": second }),
            &["task", "show", &second, "--full"],
        );
        self.changes("done", &first, &[]);
    }

    fn writes_and_reads(&mut self) {
        let text = "@backend it is <ready>";
        self.ask(
            "send_message",
            &json!({ "text": text, "as": "lead" }),
            &["say", text, "--as", "lead"],
        );
        self.ask("send_message", &json!({ "text": text }), &["say", text]);
        self.ask(
            "read_inbox",
            &json!({ "keep_unread": true, "as": "backend" }),
            &["messages", "--unread", "--for", "backend"],
        );
        for _ in 0..2 {
            self.ask(
                "read_inbox",
                &json!({ "as": "backend" }),
                &["messages", "--unread", "--take", "--for", "backend"],
            );
        }
        self.ask("read_inbox", &json!({}), &["messages", "--unread", "--take"]);
        self.ask("get_context", &json!({}), &["wake"]);
        self.ask("get_context", &json!({ "as": "backend" }), &["wake", "backend"]);
    }

    fn does_everything(mut self) -> Vec<(String, bool)> {
        let run = self.begins_a_run();
        self.works_on_tasks();
        self.writes_and_reads();
        self.ends_the_run(&run);
        self.answers
    }
}

/// The visits that a text names, in order, without repetitions.
fn visits(text: &str) -> Vec<&str> {
    let mut visits: Vec<&str> = text
        .split("visit=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    visits.dedup();
    visits
}

/// The first id of this kind in the text.
fn first_id(text: &str, kind: &str) -> String {
    let mut words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '-'));
    let found = words.find(|word| word.starts_with(kind) && word.len() > 6);
    found.unwrap_or_else(|| panic!("no {kind} in {text}")).to_owned()
}

/// Replaces times, and replaces each id by its kind and its number in order of appearance.
fn without_ids(text: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut flush = |whole: &mut String, out: &mut String| {
        let word = whole.trim_end_matches(':');
        let id = word.len() > 6
            && word.as_bytes()[1] == b'-'
            && "rtmpw".contains(&word[..1])
            && word[2..].bytes().all(|byte| byte.is_ascii_alphanumeric());
        let has_hours_and_minutes = word.len() == 5 && word.as_bytes()[2] == b':';
        let time = (word.len() >= 8 || has_hours_and_minutes)
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"-:".contains(&byte));
        if id {
            let next = seen.len();
            let number = *seen.entry(word.to_owned()).or_insert(next);
            out.push_str(&format!("[{} {number}]", &word[..1]));
        } else if time {
            out.push_str("[time]");
        } else {
            out.push_str(word);
        }
        out.push_str(&whole[word.len()..]);
        whole.clear();
    };
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || "-:".contains(character) {
            word.push(character);
        } else {
            flush(&mut word, &mut out);
            out.push(character);
        }
    }
    flush(&mut word, &mut out);
    out
}

#[test]
fn a_tool_does_what_the_command_does_and_prints_no_command_that_a_tool_replaces() {
    let shell = Sandbox::with_skill("three", THREE);
    let mcp = Sandbox::with_skill("three", THREE);
    let client = Client::greeted(server_for(&mcp, SESSION));
    let said = Visitor::new(Door::Shell(&shell)).does_everything();
    let told = Visitor::new(Door::Mcp(&mcp, Box::new(client))).does_everything();
    assert_eq!(said.len(), told.len());
    for (number, (said, told)) in said.iter().zip(&told).enumerate() {
        assert_eq!(told.1, said.1, "answer {number}: {} {}", told.0, said.0);
        assert_eq!(
            visits(&told.0),
            visits(&said.0),
            "answer {number}: {} {}",
            told.0,
            said.0
        );
        for command in [
            "done",
            "step",
            "start",
            "say",
            "inbox",
            "run show",
            "skill list",
            "task list",
            "task next",
        ] {
            let command = format!("bugle {command}");
            assert!(!told.0.contains(&command), "answer {number}: {}", told.0);
        }
    }
    assert!(said.iter().filter(|(_, good)| !good).count() > 6, "{said:?}");
    mcp.verify();
}
