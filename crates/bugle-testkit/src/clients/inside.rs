//! The first process in a namespace: relays a port to the model server's socket and runs the client.
//!
//! This process is the test program itself. An environment variable selects its role, so no other program is needed.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::available::Namespace;

/// The environment variable that contains the [`Errand`].
const VARIABLE: &str = "BUGLE_TESTS_INSIDE";

/// The model's port. Every namespace has its own ports, so this port never conflicts.
pub(super) const PORT: u16 = 4_000;

/// The line printed before the client starts. Everything after it is the client's output.
pub(super) const BEGINNING: &str = "---- the client starts here ----";

/// The exit code after a timeout.
pub(super) const TOO_LATE: i32 = 124;

/// The command to run inside a namespace.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) socket: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// The complete environment: nothing is inherited.
    pub(super) environment: BTreeMap<String, String>,
    pub(super) longest: Duration,
}

impl Errand {
    /// The command that executes this errand inside a namespace. `test` is the test that calls [`run_inside`].
    pub(super) fn command(&self, namespace: Namespace, test: &str) -> Command {
        let mut command = namespace.command();
        command
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(VARIABLE, self.write());
        command
    }

    fn write(&self) -> String {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let errand = json!({
            "socket": text(&self.socket), "directory": text(&self.directory), "program": text(&self.program),
            "arguments": self.arguments, "environment": self.environment, "seconds": self.longest.as_secs(),
        });
        errand.to_string()
    }

    fn read(errand: &str) -> Self {
        let errand: Value = serde_json::from_str(errand).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let path = |name: &str| PathBuf::from(text(&errand[name]));
        let variables = errand["environment"].as_object().unwrap().iter();
        Self {
            socket: path("socket"),
            directory: path("directory"),
            program: path("program"),
            arguments: errand["arguments"].as_array().unwrap().iter().map(text).collect(),
            environment: variables
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            longest: Duration::from_secs(errand["seconds"].as_u64().unwrap()),
        }
    }
}

/// The body of the only test that runs inside namespaces. Outside a namespace it does nothing.
pub fn run_inside() {
    let Some(errand) = std::env::var_os(VARIABLE) else {
        return;
    };
    assert_eq!(devices(), ["lo"], "a client must not have network access");
    let errand = Errand::read(errand.to_str().unwrap());
    relay(errand.socket.clone());
    println!("\n{BEGINNING}");
    io::stdout().flush().unwrap();
    let mut client = Command::new(&errand.program)
        .args(&errand.arguments)
        .current_dir(&errand.directory)
        .env_clear()
        .envs(&errand.environment)
        .spawn()
        .unwrap();
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || ended.send(client.wait().unwrap()));
    // When the first process in a namespace exits, the kernel kills the others.
    std::process::exit(end.recv_timeout(errand.longest).map_or(TOO_LATE, code));
}

/// The network interfaces.
fn devices() -> Vec<String> {
    let table = std::fs::read_to_string("/proc/net/dev").unwrap();
    let names = table.lines().filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

/// The exit code as a shell reports it.
fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| Some(128 + status.signal()?))
        .unwrap_or(1)
}

/// Listens on the port and relays every connection to the socket.
fn relay(socket: PathBuf) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).unwrap();
    std::thread::spawn(move || {
        for outer in listener.incoming() {
            let socket = socket.clone();
            std::thread::spawn(move || hand_on(&outer?, &socket));
        }
    });
}

/// Relays one connection until both sides have finished or one side has closed it.
fn hand_on(outer: &TcpStream, socket: &Path) -> io::Result<()> {
    let inner = UnixStream::connect(socket)?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            drop(io::copy(&mut &*outer, &mut &inner));
            inner.shutdown(Shutdown::Write)
        });
        drop(io::copy(&mut &inner, &mut &*outer));
        // The answer is complete; the client may keep its side open.
        outer.shutdown(Shutdown::Both)
    })
}
