//! Power loss in miniature: the program is killed at points that nobody chose, and the run goes on where it was.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::{Answer, Sandbox, answer};
use crate::samples::{COUNTING, THREE};
use crate::shown::Step;

/// How a process is brought to its end.
#[derive(Debug, Clone, Copy)]
enum Death {
    /// Killed after so many tenths of a millisecond.
    After(u32),
    /// Killed by the write that would make any file longer than the log is now, by so many blocks of 512 bytes.
    Writing(u64),
}

impl Death {
    /// The command, with its death laid down.
    fn upon(self, sandbox: &Sandbox, arguments: &[&str]) -> Command {
        match self {
            Self::After(tenths) => {
                let mut command = sandbox.command("timeout", &sandbox.project());
                let seconds = format!("{}.{:04}", tenths / 10_000, tenths % 10_000);
                command.args(["--signal=KILL", &seconds, "bugle"]).args(arguments);
                command
            }
            Self::Writing(blocks) => {
                let log = sandbox.bugle_home().join("bugle.db-wal");
                let limit = length(&log) / 512 + blocks;
                let mut command = sandbox.command("sh", &sandbox.project());
                let script = format!("ulimit -c 0; ulimit -f {limit}; exec bugle \"$@\"");
                command.args(["-c", &script, "sh"]).args(arguments);
                command
            }
        }
    }
}

fn length(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// Deaths at every point of a process that lives for some ten milliseconds, and at every write that it makes.
fn deaths() -> impl Iterator<Item = Death> {
    let in_time = (0..36).map(|number| Death::After(5 + 9 * number));
    let in_writing = (0..36).map(|number| Death::Writing(2 * number));
    in_time.zip(in_writing).flat_map(|(time, writing)| [time, writing])
}

/// A process that was killed says nothing, or says it whole.
fn survived(answer: &Answer) -> bool {
    assert!(
        matches!(answer.code, Some(0 | 124 | 137) | None),
        "neither done nor killed: {answer:?}"
    );
    answer.code == Some(0)
}

#[test]
fn a_run_goes_on_where_it_was_whenever_its_process_is_killed() {
    let sandbox = Sandbox::with_skill("counting", COUNTING);
    let mut step: Step = sandbox.start(&["counting"]);
    let run = step.run.clone();
    let (mut old, mut new, mut lived) = (0, 0, 0);
    for (death, round) in deaths().zip(1..) {
        assert_eq!(step.visit, format!("{run}#{round}"));
        let result = json!({ "number": round });
        std::fs::write(step.result_file(), result.to_string()).unwrap();
        let outcome = answer(&mut death.upon(&sandbox, &["done", &step.visit]));
        sandbox.verify();
        let place = sandbox.run(&["step", &run]).ok();
        let next = format!("{run}#{}", round + 1);
        match place.step().visit {
            visit if visit == next => new += 1,
            visit if visit == step.visit => {
                assert_eq!(place.step(), step, "{death:?}: the step is as it was");
                old += 1;
            }
            visit => panic!("{death:?}: the run stands at {visit}"),
        }
        if survived(&outcome) {
            lived += 1;
            assert_eq!(outcome, place, "{death:?}");
        }
        // Whatever happened, the command that was printed is the one that goes on.
        let answer = sandbox.printed(step.command()).ok();
        assert_eq!(answer.step().visit, next, "{death:?}");
        assert_eq!(answer.step().action, format!("Count on from {round}."));
        assert_eq!(sandbox.run(&["step"]).ok(), answer);
        step = answer.step();
    }
    println!("killed before the commit: {old}; after it: {new}, of which {lived} lived to tell");
    assert!(old > 0 && new > 0, "kills before and after the commit: {old}, {new}");
    assert!(lived < new + old, "nothing was killed");
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_store_whose_first_process_is_killed_is_made_by_the_next() {
    let mut killed = 0;
    for number in 0..12 {
        let time = Death::After(10 + 25 * number);
        let writing = Death::Writing(u64::from(number) * 12);
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
