//! Runs commands of every kind, interrupts them at random moments, and checks that nothing is lost or done twice.

use std::collections::BTreeMap;

use serde_json::json;

use super::hook_client::Client;
use super::kills::{killed_after, survived};
use super::reply::Step;
use super::sandbox::{Sandbox, answer, answer_with_input};

/// The number of commands per sandbox.
pub(crate) const BATCH: usize = 60;

/// A fixed pseudo-random sequence.
pub(crate) struct Series(pub(crate) u64);

impl Series {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Starts commands and kills them after a delay. Adapts the delay to the machine, so that most commands are killed and
/// some survive.
pub(crate) struct Killer {
    series: Series,
    /// The longest delay, in tenths of a millisecond.
    reach: u64,
    pub(crate) killed: usize,
    pub(crate) lived: usize,
}

impl Killer {
    pub(crate) fn new(seed: usize) -> Self {
        Self {
            series: Series(u64::try_from(seed).unwrap()),
            reach: 300,
            killed: 0,
            lived: 0,
        }
    }

    /// Runs a command; returns whether the command ended before the kill.
    pub(crate) fn run(&mut self, sandbox: &Sandbox, arguments: &[&str], input: &str) -> bool {
        let tenths = 1 + self.series.below(self.reach);
        let mut command = killed_after(tenths, sandbox, arguments);
        let outcome = if input.is_empty() {
            answer(&mut command)
        } else {
            answer_with_input(&mut command, input.as_bytes())
        };
        let lived = survived(&outcome);
        if lived {
            self.lived += 1;
            self.reach = self.reach.saturating_sub(self.reach / 25).max(20);
        } else {
            self.killed += 1;
            self.reach += 1 + self.reach / 50;
        }
        lived
    }
}

/// The texts that commands tried to store. The value is true if the command ended before it was killed.
#[derive(Default)]
struct Tried(BTreeMap<String, bool>);

impl Tried {
    /// Asserts that the store has every text of a successful command once, and no text twice.
    fn agrees_with(&self, kind: &str, kept: &str) {
        for (text, lived) in &self.0 {
            let times = kept.matches(text.as_str()).count();
            let most = usize::from(*lived)..=1;
            assert!(most.contains(&times), "{kind} {text}: {times} times\n{kept}");
        }
    }
}

/// Runs a command that may be interrupted; returns whether it reported success.
pub(crate) type Interrupted<'a> = &'a mut dyn FnMut(&Sandbox, &[&str], &str) -> bool;

/// One sandbox: a run, messages, notes, tasks and hooks.
pub(crate) struct Batch {
    pub(crate) sandbox: Sandbox,
    step: Step,
    number: u32,
    messages: Tried,
    notes: Tried,
    tasks: Tried,
}

impl Batch {
    pub(crate) fn new((sandbox, step): (Sandbox, Step)) -> Self {
        Self {
            sandbox,
            step,
            number: 1,
            messages: Tried::default(),
            notes: Tried::default(),
            tasks: Tried::default(),
        }
    }

    /// Runs one command of a random kind.
    pub(crate) fn suffer(&mut self, index: usize, kind: u64, run: Interrupted<'_>) {
        let word = format!("number-{index}-of-them");
        match kind % 5 {
            0 => {
                let text = format!("@backend {word}");
                let lived = run(&self.sandbox, &["say", &text, "--as", "lead"], "");
                self.messages.0.insert(word, lived);
            }
            1 => {
                let lived = run(&self.sandbox, &["note", &word], "");
                self.notes.0.insert(word, lived);
            }
            2 => {
                let lived = run(&self.sandbox, &["task", "add", &word], "");
                self.tasks.0.insert(word, lived);
            }
            3 => {
                let event = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"][index % 4];
                let facts = json!({ "source": "startup", "prompt": "go on", "tool_name": "Bash",
                    "tool_input": { "command": "ls" } });
                let session = format!("session-{}", index % 7);
                let body = Client::claude(&self.sandbox)
                    .session(&session)
                    .body(event, &facts);
                run(&self.sandbox, &["hook", event, "--client", "claude"], &body);
            }
            _ => {
                let result = json!({ "number": self.number }).to_string();
                std::fs::write(self.step.result_file(), result).unwrap();
                run(&self.sandbox, &["done", &self.step.visit], "");
                // The printed command continues the run, whether the kill came before or after the commit.
                let next = self.sandbox.printed(self.step.command()).ok().step();
                self.number += 1;
                assert_eq!(next.visit, format!("{}#{}", next.run, self.number));
                self.step = next;
            }
        }
    }

    /// Checks everything after the last command.
    pub(crate) fn over(self) {
        let Self { sandbox, step, .. } = self;
        sandbox.verify();
        let messages = sandbox.run(&["messages", "--last", "500", "--json"]).ok().out;
        self.messages.agrees_with("message", &messages);
        let notes = sandbox.run(&["show", &step.run]).ok().out;
        self.notes.agrees_with("note", &notes);
        let tasks = sandbox.run(&["task", "list"]).ok().out;
        let tasks: Vec<&str> = tasks.lines().filter(|line| line.starts_with('[')).collect();
        self.tasks.agrees_with("task", &tasks.join("\n"));
        assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
    }
}
