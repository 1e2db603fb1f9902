//! Checks whether a client can run here: it must be installed, and the system must allow network namespaces.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use super::Client;

/// One line per client: program, npm package, version and more.
const VERSIONS: &str = include_str!("../../../../scripts/clients.txt");

/// Creates a namespace that has only the loopback interface and ends with its first process. The interface is initially
/// down.
const NAMESPACE: &[&str] = &[
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "sh",
    "-c",
    "ip link set lo up && exec \"$@\"",
    "sh",
];

/// Maximum number of concurrent sandboxes. A client needs about 300 MB of memory.
const MAX: usize = 8;

/// The path of an installed client, or why none was found.
pub(super) fn program(client: Client) -> Result<PathBuf, String> {
    let version = VERSIONS.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(client.as_str())).then(|| words.nth(1))?
    });
    let version = version.ok_or_else(|| format!("scripts/clients.txt does not name {}", client.as_str()))?;
    let folder = folder().ok_or("neither BUGLE_CLIENTS nor HOME is set")?;
    let program = folder
        .join(format!("{}-{version}", client.as_str()))
        .join(client.as_str());
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!(
            "{} does not exist (scripts/clients installs it)",
            program.display()
        ))
    }
}

/// The folder of `scripts/clients`.
pub(crate) fn folder() -> Option<PathBuf> {
    let path = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    path("BUGLE_CLIENTS")
        .or_else(|| Some(path("XDG_CACHE_HOME")?.join("bugle-clients")))
        .or_else(|| Some(path("HOME")?.join(".cache/bugle-clients")))
}

/// How to create a namespace: as root, or as a user who becomes root inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Namespace(&'static [&'static str]);

impl Namespace {
    /// How to create a namespace on this machine, or why none can be created.
    pub(super) fn find() -> Result<Self, &'static str> {
        static FOUND: OnceLock<Result<Namespace, String>> = OnceLock::new();
        let found = FOUND.get_or_init(|| {
            let as_root = Self(&[]).probe();
            let as_other = as_root.or_else(|_| Self(&["--map-root-user"]).probe());
            as_other.map_err(|why| format!("cannot create a namespace with a loopback interface: {why}"))
        });
        found.as_ref().copied().map_err(String::as_str)
    }

    /// The command that creates the namespace. Append the program to run and its arguments.
    pub(super) fn command(self) -> Command {
        let mut command = Command::new("unshare");
        // `ip` is not on every user's `PATH`.
        let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
        command.args(self.0).args(NAMESPACE).env_clear().env("PATH", path);
        command
    }

    fn probe(self) -> Result<Self, String> {
        let output = self.command().arg("true").stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("unshare: {error}"))?;
        if output.status.success() {
            return Ok(self);
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// Prints that a test is skipped. In CI, fails the test instead.
pub(crate) fn skip(why: &str) {
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "cannot run this test: {why}");
    // Bypass the test harness's output capture, so that the message is always visible.
    drop(writeln!(std::io::stderr(), "SKIPPED: {why}"));
}

/// A permit to run a client. Dropping it releases the permit.
#[derive(Debug)]
pub(crate) struct Seat(());

static TAKEN: Mutex<usize> = Mutex::new(0);
static LEFT: Condvar = Condvar::new();

impl Seat {
    /// Waits for a permit. There is one per processor, up to the maximum.
    pub(crate) fn take() -> Self {
        let most = std::thread::available_parallelism().map_or(1, |number| number.get().min(MAX));
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = LEFT.wait_while(taken, |taken| *taken >= most);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        LEFT.notify_one();
    }
}
