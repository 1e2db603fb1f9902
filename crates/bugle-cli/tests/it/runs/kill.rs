//! The program is killed at every system call that writes, and the run continues where it was.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::hook_client::Client;
use crate::support::kills::{counting_run, killed_after, survived};
use crate::support::reply::Step;
use crate::support::sandbox::{Sandbox, answer, answer_with_input, skip};
use crate::support::workflows::THREE;

/// How a process is killed.
#[derive(Debug, Clone, Copy)]
enum Death {
    /// Killed after this many tenths of a millisecond.
    After(u64),
    /// Killed by a file size limit: the WAL's current size plus this many 512-byte blocks.
    Writing(u64),
    /// Killed at the nth call of this system call.
    Calling(&'static str, u32),
}

/// The system calls that change something outside the process.
const CHANGING_CALLS: [&str; 9] = [
    "sendto",
    "pwrite64",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "unlink",
    "rename",
    "mkdir",
];

impl Death {
    /// The command, set up to be killed in this way.
    fn upon(self, sandbox: &Sandbox, arguments: &[&str]) -> Command {
        match self {
            Self::After(tenths) => killed_after(tenths, sandbox, arguments),
            Self::Writing(blocks) => {
                let log = sandbox.bugle_home().join("bugle.db-wal");
                let limit = length(&log) / 512 + blocks;
                let mut command = sandbox.command("sh", &sandbox.project());
                let script = format!("ulimit -c 0; ulimit -f {limit}; exec bugle \"$@\"");
                command.args(["-c", &script, "sh"]).args(arguments);
                command
            }
            Self::Calling(name, time) => {
                let mut command = sandbox.command("strace", &sandbox.project());
                let inject = format!("--inject={name}:signal=KILL:when={time}");
                let quiet = ["-qqq", "--output=/dev/null"];
                command.args(quiet).args([&inject, "bugle"]).args(arguments);
                command
            }
        }
    }
}

fn length(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// A run whose reports come from killed processes.
struct Ordeal {
    sandbox: Sandbox,
    step: Step,
    number: u32,
    killed_before_the_commit: u32,
    killed_after_the_commit: u32,
}

impl Ordeal {
    fn new() -> Self {
        let (sandbox, step) = counting_run();
        Self {
            sandbox,
            step,
            number: 1,
            killed_before_the_commit: 0,
            killed_after_the_commit: 0,
        }
    }

    /// Reports a step with a process that is killed in this way; returns whether the process survived. Either way,
    /// the store is sound, the run is at this visit or the next, and the printed command continues the run.
    fn suffer(&mut self, death: Death) -> bool {
        let Self {
            sandbox,
            step,
            number,
            ..
        } = self;
        let run = step.run.clone();
        assert_eq!(step.visit, format!("{run}#{number}"));
        let result = json!({ "number": number });
        std::fs::write(step.result_file(), result.to_string()).unwrap();
        let outcome = answer(&mut death.upon(sandbox, &["done", &step.visit]));
        let lived = survived(&outcome);
        sandbox.verify();
        let place = sandbox.run(&["step", &run]).ok();
        let next = format!("{run}#{}", *number + 1);
        match place.step().visit {
            visit if visit == step.visit => {
                assert!(!lived, "{death:?}: the report succeeded but was not recorded");
                assert_eq!(place.step(), *step, "{death:?}: the step has changed");
                self.killed_before_the_commit += 1;
            }
            visit if visit == next => self.killed_after_the_commit += u32::from(!lived),
            visit => panic!("{death:?}: the run is at {visit}"),
        }
        assert!(!lived || outcome == place, "{death:?}: {outcome:?}");
        let answer = sandbox.printed(step.command()).ok();
        assert_eq!(answer.step().visit, next, "{death:?}");
        assert_eq!(answer.step().action, format!("Count on from {number}."));
        assert_eq!(sandbox.run(&["step"]).ok(), answer);
        self.step = answer.step();
        self.number += 1;
        lived
    }

    /// Asserts that some kills came before the commit, and that none left unfinished files.
    fn over(&self) {
        let (before, after) = (self.killed_before_the_commit, self.killed_after_the_commit);
        println!("killed before the commit: {before}; after it: {after}");
        assert!(before > 0, "nothing was killed before its commit");
        assert_eq!(self.sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
    }
}

#[test]
fn a_run_survives_a_kill_at_any_moment() {
    let mut ordeal = Ordeal::new();
    for number in 0..40 {
        // A process lives for about ten milliseconds; this covers its whole lifetime and a bit more.
        ordeal.suffer(Death::After(5 + 8 * number));
    }
    ordeal.over();
}

#[test]
fn a_run_survives_a_failure_of_any_write() {
    let mut ordeal = Ordeal::new();
    for number in 0..40 {
        ordeal.suffer(Death::Writing(2 * number));
    }
    ordeal.over();
}

/// Whether a process can be killed at a system call here.
fn can_be_killed_at_calls(sandbox: &Sandbox) -> bool {
    let mut probe = sandbox.command("strace", &sandbox.project());
    let works = probe.args(["-qqq", "--output=/dev/null", "true"]).status();
    works.is_ok_and(|status| status.success())
}

#[test]
fn a_run_survives_a_kill_between_any_two_disk_writes() {
    if !can_be_killed_at_calls(&Sandbox::new()) {
        return skip("strace cannot be used");
    }
    let mut ordeal = Ordeal::new();
    for call in CHANGING_CALLS {
        for time in 1..=40 {
            if ordeal.suffer(Death::Calling(call, time)) {
                break;
            }
        }
    }
    assert!(
        ordeal.killed_before_the_commit >= 10,
        "{}",
        ordeal.killed_before_the_commit
    );
    assert!(
        ordeal.killed_after_the_commit >= 2,
        "{}",
        ordeal.killed_after_the_commit
    );
    ordeal.over();
}

#[test]
fn a_message_is_not_lost_if_its_hook_is_killed_at_any_moment() {
    let sandbox = Sandbox::new();
    if !can_be_killed_at_calls(&sandbox) {
        return skip("strace cannot be used");
    }
    let client = Client::claude(&sandbox);
    let facts = json!({ "prompt": "go on" });
    let (mut number, mut untold, mut told) = (0, 0, 0);
    for call in CHANGING_CALLS.into_iter().chain(["exit_group"]) {
        for time in 1..=40 {
            number += 1;
            let words = format!("number {number}.");
            let text = format!("@session-one {words}");
            sandbox.run(&["say", &text, "--as", "lead"]).ok();
            let hook = ["hook", "UserPromptSubmit", "--client", "claude"];
            let mut dying = Death::Calling(call, time).upon(&sandbox, &hook);
            let outcome = answer_with_input(&mut dying, client.body(hook[1], &facts).as_bytes());
            let lived = survived(&outcome);
            sandbox.verify();
            let times = |text: &str| text.matches(&words).count();
            let (first, then) = (times(&outcome.out), times(&client.hook(hook[1], &facts)));
            let place = format!("{call} {time}: {first}, then {then}");
            if lived {
                assert_eq!((first, then), (1, 0), "{place}");
                break;
            }
            // A hook killed during delivery may cause a second delivery, but never a lost message.
            assert!(first + then >= 1 && first <= 1 && then <= 1, "{place}");
            untold += u32::from(first == 0);
            told += u32::from(first == 1);
        }
    }
    println!("killed before the delivery: {untold}; after it: {told}");
    assert!(untold >= 3 && told >= 3, "{untold} {told}");
}

#[test]
fn a_store_whose_creation_was_killed_is_created_by_the_next_process() {
    let mut killed = 0;
    for number in 0..12 {
        let time = Death::After(10 + 25 * number);
        let writing = Death::Writing(number * 12);
        for death in [time, writing] {
            let sandbox = Sandbox::with_skill("three", THREE);
            let outcome = answer(&mut death.upon(&sandbox, &["start", "three"]));
            killed += u32::from(!survived(&outcome));
            sandbox.verify();
            let before = sandbox.run(&["runs", "--json"]).ok().json();
            let before = before["data"]["runs"].as_array().unwrap().len();
            assert!(before <= 1, "{death:?}");
            let step = sandbox.start(&["three"]);
            sandbox.report(&step, &json!({ "word": "one" })).ok().step();
            sandbox.verify();
        }
    }
    assert!(killed > 0, "nothing was killed");
}
