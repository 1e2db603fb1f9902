//! Killing processes.

use std::process::Command;

use super::reply::Step;
use super::sandbox::{Answer, Sandbox};
use super::workflows::COUNTING;

/// The program, killed after this many tenths of a millisecond.
pub(crate) fn killed_after(tenths: u64, sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command("timeout", &sandbox.project());
    let seconds = format!("{}.{:04}", tenths / 10_000, tenths % 10_000);
    command.args(["--signal=KILL", &seconds, "bugle"]).args(arguments);
    command
}

/// Whether a process ended before it could be killed.
pub(crate) fn survived(answer: &Answer) -> bool {
    assert!(
        matches!(answer.code, Some(0 | 124 | 137) | None),
        "neither done nor killed: {answer:?}"
    );
    answer.code == Some(0)
}

/// A run that counts, with one visit per number.
pub(crate) fn counting_run() -> (Sandbox, Step) {
    counting_run_in(Sandbox::new())
}

/// A counting run in this sandbox.
pub(crate) fn counting_run_in(sandbox: Sandbox) -> (Sandbox, Step) {
    sandbox.skill("counting", COUNTING);
    let step = sandbox.start(&["counting"]);
    (sandbox, step)
}
