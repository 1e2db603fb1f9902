//! Commands of every kind, killed at random moments. `BUGLE_KILLS=7000` sets the number of kills.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::kills::{counting_run, killed_after, survived};
use crate::support::reply::Step;
use crate::support::sandbox::{Sandbox, answer, answer_with_input};

/// The number of commands per sandbox.
const BATCH: usize = 60;
const USUAL: usize = 180;

/// A fixed pseudo-random sequence.
struct Series(u64);

impl Series {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Starts commands and kills them after a delay that adapts to the machine, so that some survive and most do not.
struct Killer {
    series: Series,
    /// The longest delay, in tenths of a millisecond.
    reach: u64,
    killed: usize,
    lived: usize,
}

impl Killer {
    /// Runs a command; returns whether it ended before it was killed.
    fn run(&mut self, sandbox: &Sandbox, arguments: &[&str], input: &str) -> bool {
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

/// What was tried, and whether the command ended before it was killed.
#[derive(Default)]
struct Tried(BTreeMap<String, bool>);

impl Tried {
    /// Asserts that everything a command reported as done is there once, and nothing is there twice.
    fn agrees_with(&self, kind: &str, kept: &str) {
        for (text, lived) in &self.0 {
            let times = kept.matches(text.as_str()).count();
            let most = usize::from(*lived)..=1;
            assert!(most.contains(&times), "{kind} {text}: {times} times\n{kept}");
        }
    }
}

/// One sandbox: a run, messages, notes, tasks and hooks.
struct Batch {
    sandbox: Sandbox,
    step: Step,
    number: u32,
    messages: Tried,
    notes: Tried,
    tasks: Tried,
}

impl Batch {
    fn new() -> Self {
        let (sandbox, step) = counting_run();
        Self {
            sandbox,
            step,
            number: 1,
            messages: Tried::default(),
            notes: Tried::default(),
            tasks: Tried::default(),
        }
    }

    fn suffer(&mut self, index: usize, killer: &mut Killer) {
        let word = format!("number-{index}-of-them");
        match killer.series.below(5) {
            0 => {
                let text = format!("@backend {word}");
                let lived = killer.run(&self.sandbox, &["say", &text, "--as", "lead"], "");
                self.messages.0.insert(word, lived);
            }
            1 => {
                let lived = killer.run(&self.sandbox, &["note", &word], "");
                self.notes.0.insert(word, lived);
            }
            2 => {
                let lived = killer.run(&self.sandbox, &["task", "add", &word], "");
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
                killer.run(&self.sandbox, &["hook", event, "--client", "claude"], &body);
            }
            _ => {
                let result = json!({ "number": self.number }).to_string();
                std::fs::write(self.step.result_file(), result).unwrap();
                killer.run(&self.sandbox, &["done", &self.step.visit], "");
                // The printed command continues whether the kill came before or after the commit.
                let next = self.sandbox.printed(self.step.command()).ok().step();
                self.number += 1;
                assert_eq!(next.visit, format!("{}#{}", next.run, self.number));
                self.step = next;
            }
        }
    }

    fn over(self) {
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

#[test]
fn kills_at_random_moments_lose_nothing_and_repeat_nothing() {
    let wanted = std::env::var("BUGLE_KILLS").ok();
    let wanted = wanted.map_or(USUAL, |number| number.parse().unwrap());
    let mut killer = Killer {
        series: Series(u64::try_from(wanted).unwrap()),
        reach: 300,
        killed: 0,
        lived: 0,
    };
    while killer.killed + killer.lived < wanted {
        let mut batch = Batch::new();
        for index in 0..BATCH {
            batch.suffer(index, &mut killer);
        }
        batch.over();
    }
    println!("killed: {}; lived: {}", killer.killed, killer.lived);
    assert!(
        killer.killed > wanted / 4 && killer.lived > wanted / 20,
        "{} {}",
        killer.killed,
        killer.lived
    );
}
