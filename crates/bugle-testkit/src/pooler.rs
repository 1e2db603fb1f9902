//! A real `PgBouncer` for tests and benches, from the installed program.
//!
//! A shell supervises the pooler. The shell's stdin closes when the test process drops the pooler or ends for any
//! reason.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test without its pooler fails here"
)]

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::postgres::UNPRIVILEGED;

/// Debian's folder for the program, which may not be on the `PATH`.
const DEBIAN: &str = "/usr/sbin";

/// Starts the pooler, waits until stdin closes, and stops the pooler.
const SUPERVISE: &str = r#"
"$POOLER" "$CONFIG" < /dev/null > /dev/null &
cat > /dev/null
kill $!
wait
"#;

/// A pooler that runs as long as this value exists.
#[derive(Debug)]
pub struct Pooler(Child);

/// Whether `PgBouncer` is installed. If not, prints that the test is skipped, or panics in CI.
pub fn is_available() -> bool {
    if program().is_some() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "PgBouncer is not installed: install the package pgbouncer"
    );
    eprintln!("skipped: PgBouncer is not installed (package pgbouncer)");
    false
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from(DEBIAN)])
        .map(|folder| folder.join("pgbouncer"))
        .find(|program| program.is_file())
}

/// Makes the pooler's user the owner of a folder and its files. Needed only as root, because the pooler refuses to run
/// as root.
pub fn hand_over(folder: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let files = std::fs::read_dir(folder).expect("the folder can be read");
    let files = files.map(|entry| entry.expect("an entry").path());
    for path in files.chain([folder.to_owned()]) {
        chown(&path, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("the file gets an owner");
    }
}

impl Pooler {
    /// Starts a pooler with this configuration file, and waits until it accepts connections.
    pub fn start(config: &Path) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", SUPERVISE])
            .env("POOLER", program().expect("PgBouncer is installed"))
            .env("CONFIG", config)
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if rustix::process::geteuid().is_root() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        let mut shell = command.spawn().expect("sh runs");
        let mut log = BufReader::new(shell.stderr.take().expect("stderr is a pipe"));
        let mut said = String::new();
        loop {
            let before = said.len();
            log.read_line(&mut said).expect("the log is text");
            if said[before..].contains("process up") {
                break;
            }
            assert!(said.len() > before, "PgBouncer does not start:\n{said}");
        }
        // Keep reading, so that the pooler never waits for a full pipe.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self(shell)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
