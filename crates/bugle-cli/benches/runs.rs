//! Measures commands on runs with 10, 1,000 and 10,000 events.
//!
//! All measurements are interleaved with those of a minimal process that reads one row of the same file. Prints the
//! durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod support;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bugle_testkit::bench::{median, report, take_turns};

const ROUNDS: usize = 100;
/// Two nested loops, for up to 20,000 events.
const WORKFLOW: &str = "version: 1
steps:
  again:
    title: Again
    do: 'Do it again, round {{ visit.iteration }}.'
    tools: { deny: [Edit] }
    result:
      found: { type: string, min: 1 }
    loop: { until: 'false', limit: 100 }
    next: { ok: round, iterate: again }
  round:
    title: Round
    do: 'Look at {{ state.again.found }}.'
    loop: { until: 'false', limit: 100 }
    next: { ok: end, iterate: again }
";
const SIZES: [(usize, [&str; 4]); 3] = [
    (5, ["hook, 10", "step, 10", "done, 10", "wake, 10"]),
    (500, ["hook, 1,000", "step, 1,000", "done, 1,000", "wake, 1,000"]),
    (
        5_000,
        ["hook, 10,000", "step, 10,000", "done, 10,000", "wake, 10,000"],
    ),
];

fn main() {
    if !support::was_floor() {
        measure();
    }
}

/// A run with a given number of visits, in its own session and project. All runs share one store.
struct LongRun {
    home: PathBuf,
    project: PathBuf,
    session: RefCell<String>,
    hook: PathBuf,
    at: RefCell<(String, u32)>,
    visits: usize,
}

impl LongRun {
    fn new(folder: &Path, visits: usize) -> Self {
        let project = folder.join(format!("project-{visits}"));
        let skill = project.join(".bugle/skills/looping");
        std::fs::create_dir_all(&skill).expect("a folder");
        let text = "---\nname: looping\ndescription: Use in the bench.\n---\n";
        std::fs::write(skill.join("SKILL.md"), text).expect("a file");
        std::fs::write(skill.join("workflow.yaml"), WORKFLOW).expect("a file");
        let hook = folder.join(format!("hook-{visits}.json"));
        let run = Self {
            home: folder.join("home"),
            project,
            session: RefCell::new(String::new()),
            hook,
            at: RefCell::new((String::new(), 1)),
            visits,
        };
        run.begin();
        run
    }

    fn bugle(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bugle"));
        command
            .args(words)
            .env("BUGLE_HOME", &self.home)
            .env("HOME", self.home.parent().expect("a folder"))
            .env("CLAUDE_CODE_SESSION_ID", &*self.session.borrow())
            .current_dir(&self.project)
            .stdin(Stdio::null());
        command
    }

    fn done(&self) -> Command {
        let (run, visit) = &*self.at.borrow();
        let token = format!("{run}#{visit}");
        // Every 101st visit belongs to the outer loop's step, which returns no result.
        if visit % 101 == 0 {
            self.bugle(&["done", &token])
        } else {
            // A loop whose visits return the same result ends, because it makes no progress.
            let result = format!("{{\"found\":\"{visit}: {}\"}}", "what was found ".repeat(20));
            self.bugle(&["done", &token, "--result", &result])
        }
    }

    fn wake(&self) -> Command {
        self.bugle(&["wake", "--budget", "9000"])
    }

    fn hook(&self) -> Command {
        let mut command = self.bugle(&["hook", "PreToolUse", "--client", "claude"]);
        command.stdin(std::fs::File::open(&self.hook).expect("a file"));
        command
    }

    fn step(&self) -> Command {
        self.bugle(&["step", &self.at.borrow().0])
    }

    /// Starts a run in a new session and repeats `done` until the run has its number of visits.
    fn begin(&self) {
        let session = format!("{}-{}", self.visits, self.at.borrow().0);
        let call = format!(
            "{{\"session_id\":\"{session}\",\"transcript_path\":\"/x\",\"cwd\":\"{project}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Edit\",\"tool_input\":{{\"file_path\":\"{project}/a.rs\"}}}}",
            project = self.project.display()
        );
        std::fs::write(&self.hook, call).expect("a file");
        *self.session.borrow_mut() = session;
        let Output { stdout, .. } = succeeded(&mut self.bugle(&["start", "looping", "--json"]));
        let text = String::from_utf8_lossy(&stdout).into_owned();
        let (_, rest) = text
            .split_once("\"run\":\"")
            .or_else(|| text.split_once("\"run\": \""))
            .expect("an id");
        let id = rest.split('"').next().expect("an id").to_owned();
        *self.at.borrow_mut() = (id, 1);
        for _ in 1..self.visits {
            succeeded(&mut self.done());
            self.at.borrow_mut().1 += 1;
        }
    }

    /// Counts a visit. Replaces a short run that has grown, so that every round takes about the same time.
    fn went_on(&self) {
        self.at.borrow_mut().1 += 1;
        if self.visits < 100 && self.at.borrow().1 as usize > self.visits + 3 {
            self.begin();
        }
    }
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    output
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runs: BTreeMap<&str, LongRun> = SIZES
        .iter()
        .map(|(visits, names)| (names[0], LongRun::new(folder.path(), *visits)))
        .collect();
    let of = |name: &str| {
        let (_, names) = SIZES
            .iter()
            .find(|(_, names)| names.contains(&name))
            .expect("a name");
        &runs[names[0]]
    };
    let database = folder.path().join("home/bugle.db");
    let names: Vec<&str> = std::iter::once("floor")
        .chain((0..4).flat_map(|kind| SIZES.iter().map(move |(_, names)| names[kind])))
        .collect();
    let command = |name: &str, _round: usize| match name.split(',').next().unwrap_or_default() {
        "hook" => of(name).hook(),
        "step" => of(name).step(),
        "done" => of(name).done(),
        "wake" => of(name).wake(),
        _ => support::floor(&database, "run"),
    };
    let after = |name: &str| {
        if name.starts_with("done") {
            of(name).went_on();
        }
    };
    let subjects = take_turns(&names, ROUNDS, command, after);
    report(&subjects, "floor");
    for kind in 0..4 {
        let base = median(&subjects, SIZES[0].1[kind]);
        for (_, names) in &SIZES[1..] {
            println!(
                "{:<22} {:.2}x of 10",
                names[kind],
                median(&subjects, names[kind]) / base
            );
        }
    }
}
