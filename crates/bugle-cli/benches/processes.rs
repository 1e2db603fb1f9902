//! Measures whole `bugle` processes, compared with a minimal process that opens the same `SQLite` file and reads one
//! row.
//!
//! All measurements are interleaved: the machine's speed changes from minute to minute, so only durations from the same
//! time can be compared. Prints the durations and asserts nothing about them.

#![expect(
    clippy::expect_used,
    reason = "a bench that cannot run has nothing else to say"
)]

mod support;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bugle_testkit::bench::{report, take_turns};

const ROUNDS: usize = 200;
const SESSION: &str = "bench";

fn main() {
    if !support::was_floor() {
        measure();
    }
}

fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = folder.path().join("home");
    let project = folder.path().join("project");
    std::fs::create_dir_all(&project).expect("a project");
    let bugle = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bugle"));
        command
            .args(words)
            .env("BUGLE_HOME", &home)
            .env("HOME", folder.path())
            .current_dir(&project)
            .stdin(Stdio::null());
        command
    };
    loop_skill(&project);
    let start = |words: &[&str]| {
        let output = bugle(words).output().expect("it starts");
        run_id(&String::from_utf8_lossy(&output.stdout))
    };
    let looping = || start(&["start", "looping", "--json"]);
    // Start the run in a session, so that hooks enforce its first step. The step denies tools that change files.
    let started = bugle(&[
        "start",
        "decision-critic",
        "decision=Move the queue to Postgres",
        "--json",
    ])
    .env("CLAUDE_CODE_SESSION_ID", SESSION)
    .output()
    .expect("it starts");
    let real_run = run_id(&String::from_utf8_lossy(&started.stdout));
    let database = home.join("bugle.db");
    let at = RefCell::new((looping(), 1_u32));
    let hooks = Hooks::new(folder.path());
    let names = [
        "true",
        "floor",
        "step",
        "done",
        "runs",
        "decision-critic step",
        "hook denies",
        "hook allows",
        "hook: no run",
        "hook: no store",
    ];
    let command = |name: &str, _round: usize| {
        let (run, visit) = &*at.borrow();
        match name {
            "true" => Command::new("/bin/true"),
            "floor" => support::floor(&database, "run"),
            "step" => bugle(&["step", run]),
            "done" => bugle(&["done", &format!("{run}#{visit}")]),
            "runs" => bugle(&["runs"]),
            "hook denies" => Hooks::fired(bugle(&[]), &hooks.denied),
            "hook allows" => Hooks::fired(bugle(&[]), &hooks.allowed),
            "hook: no run" => Hooks::fired(bugle(&[]), &hooks.stranger),
            "hook: no store" => {
                let mut command = Hooks::fired(bugle(&[]), &hooks.denied);
                command.env("BUGLE_HOME", folder.path().join("none"));
                command
            }
            _ => bugle(&["step", &real_run]),
        }
    };
    let after = |name: &str| {
        let mut at = at.borrow_mut();
        if name == "done" {
            at.1 += 1;
        }
        // Commands replay the run's events. Start a new run every twenty visits, so that every round takes about the
        // same time.
        if at.1 == 20 {
            *at = (looping(), 1);
        }
    };
    let subjects = take_turns(&names, ROUNDS, command, after);
    report(&subjects, "floor");
}

/// Files with the client's input for the hook before a tool call, to use as stdin.
struct Hooks {
    denied: PathBuf,
    allowed: PathBuf,
    stranger: PathBuf,
}

impl Hooks {
    fn new(folder: &Path) -> Self {
        let written = |name: &str, session: &str, tool: &str| {
            let file = folder.join(name);
            let project = folder.join("project");
            let text = format!(
                "{{\"session_id\":\"{session}\",\"transcript_path\":\"/x\",\"cwd\":\"{project}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"{tool}\",\"tool_input\":{{\"file_path\":\"{project}/a.rs\"}}}}",
                project = project.display()
            );
            std::fs::write(&file, text).expect("a file");
            file
        };
        Self {
            denied: written("denied.json", SESSION, "Edit"),
            allowed: written("allowed.json", SESSION, "Read"),
            stranger: written("stranger.json", "nobody", "Edit"),
        }
    }

    fn fired(mut bugle: Command, call: &Path) -> Command {
        let call = std::fs::File::open(call).expect("a file");
        bugle
            .args(["hook", "PreToolUse", "--client", "claude"])
            .stdin(call);
        bugle
    }
}

fn loop_skill(project: &Path) {
    let skill = project.join(".bugle/skills/looping");
    std::fs::create_dir_all(&skill).expect("a folder");
    let text = "---\nname: looping\ndescription: Use in the bench.\n---\n";
    std::fs::write(skill.join("SKILL.md"), text).expect("a file");
    let workflow = "version: 1\nsteps:\n  again:\n    title: Again\n    do: Do it again.\n    loop: { until: 'false', limit: 100 }\n    next: { ok: end, iterate: again }\n";
    std::fs::write(skill.join("workflow.yaml"), workflow).expect("a file");
}

fn run_id(json: &str) -> String {
    let at = json.find("\"run\": \"").expect("a run") + 8;
    json[at..].split('"').next().unwrap_or_default().to_owned()
}
