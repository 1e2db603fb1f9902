//! Kills clients and crashes the server at random moments. `BUGLE_SERVER_KILLS=500` sets the number of interruptions.

use std::fs;
use std::process::{Command, Stdio};

use bugle_testkit::postgres::{self, Server};

use crate::support::kills::counting_run_in;
use crate::support::random_kills::{BATCH, Batch, Killer, Series};
use crate::support::sandbox::Sandbox;
use crate::support::test_store::sandbox_with_store;

const USUAL: usize = 24;
/// The server crashes in one of this many interruptions. In the others, the command is killed.
const CRASH_INTERVAL: u64 = 5;
/// The maximum delay before the command starts, in milliseconds.
const MAX_DELAY: u64 = 80;

/// Interrupts commands by killing them or by crashing the server.
struct Interruptions {
    server: Server,
    series: Series,
    killer: Killer,
    crashes: usize,
    survived_crashes: usize,
}

impl Interruptions {
    fn count(&self) -> usize {
        self.killer.killed + self.killer.lived + self.crashes
    }

    /// Runs a command, and kills the command or crashes the server. Returns whether the command reported success.
    fn run(&mut self, sandbox: &Sandbox, arguments: &[&str], input: &str) -> bool {
        if self.series.below(CRASH_INTERVAL) > 0 {
            return self.killer.run(sandbox, arguments, input);
        }
        let mut command = self.delayed(sandbox, arguments, input);
        let child = command.spawn().unwrap();
        self.server.crash();
        self.server.restart();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{arguments:?}: {errors}"
        );
        self.crashes += 1;
        self.survived_crashes += usize::from(output.status.success());
        output.status.success()
    }

    /// The command, started after a random delay. Stopping the server takes a while, so the crash hits the command at a
    /// random moment.
    fn delayed(&mut self, sandbox: &Sandbox, arguments: &[&str], input: &str) -> Command {
        let file = sandbox.root().join("input.json");
        fs::write(&file, input).unwrap();
        let delay = format!("0.{:03}", self.series.below(MAX_DELAY));
        let mut command = sandbox.command("sh", &sandbox.project());
        command
            .args(["-c", "sleep \"$1\"; shift; exec bugle \"$@\"", "sh", &delay])
            .args(arguments)
            .stdin(fs::File::open(&file).unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

#[test]
fn crashes_of_clients_and_server_lose_nothing_and_repeat_nothing() {
    if !postgres::is_available() {
        return;
    }
    let wanted = std::env::var("BUGLE_SERVER_KILLS").ok();
    let wanted = wanted.map_or(USUAL, |number| number.parse().unwrap());
    let mut interruptions = Interruptions {
        server: Server::start(),
        series: Series(u64::try_from(wanted).unwrap()),
        killer: Killer::new(wanted),
        crashes: 0,
        survived_crashes: 0,
    };
    let mut kinds = Series(2);
    while interruptions.count() < wanted {
        let url = interruptions.server.url(&interruptions.server.create_database());
        let mut batch = Batch::new(counting_run_in(sandbox_with_store(url)));
        for index in 0..BATCH.min(wanted) {
            batch.suffer(index, kinds.below(5), &mut |sandbox, arguments, input| {
                interruptions.run(sandbox, arguments, input)
            });
        }
        // Hooks that found no server logged an error.
        let _ = fs::remove_file(batch.sandbox.bugle_home().join("hook.log"));
        batch.over();
    }
    let Interruptions {
        killer,
        crashes,
        survived_crashes,
        ..
    } = interruptions;
    println!(
        "clients killed: {}, not killed in time: {}; server crashes: {crashes}, commands that survived one: {survived_crashes}",
        killer.killed, killer.lived
    );
    assert!(killer.killed > 0 && crashes > 0);
}
