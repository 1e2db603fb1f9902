//! The browser process: started with two pipes, and killed together with its child processes.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// The browser reads from file descriptor 3 and writes to 4. A shell connects the pipes, because safe Rust cannot.
const START: &str = "exec 3<&0 4>&1 </dev/null >&2; exec \"$@\"";

/// The browser's arguments. Only the loopback host name is resolved, so no request leaves the machine.
const SWITCHES: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--lang=en",
    "--mute-audio",
    "--password-store=basic",
];

/// Maximum number of bytes of stderr kept for a failed test.
const KEPT: u64 = 20_000;

/// A running browser.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    pub(super) messages: Receiver<Value>,
    errors: Arc<Mutex<String>>,
}

impl Process {
    /// Starts the browser with a new profile.
    pub(super) fn start(program: &Path, profile: &Path) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(program)
            .args(SWITCHES)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", profile)
            .env("TMPDIR", profile)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let errors = Arc::new(Mutex::new(String::new()));
        keep(child.stderr.take().unwrap(), Arc::clone(&errors));
        Self {
            input: child.stdin.take().unwrap(),
            messages: messages(child.stdout.take().unwrap()),
            child,
            errors,
        }
    }

    /// Sends a message. Returns whether the browser is still running.
    pub(super) fn send(&mut self, message: &Value) -> bool {
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).is_ok()
    }

    /// The browser's stderr.
    pub(super) fn errors(&self) -> String {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // Ignore errors: the browser may have already exited.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        drop(self.child.wait());
    }
}

/// The messages as they arrive. Each is terminated by a NUL.
fn messages(source: impl Read + Send + 'static) -> Receiver<Value> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut bytes = Vec::new();
        while source.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
            let message = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap_or(&bytes));
            bytes.clear();
            if message.is_ok_and(|message| send.send(message).is_err()) {
                break;
            }
        }
    });
    receive
}

fn keep(source: impl Read + Send + 'static, kept: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = String::new();
        while source.read_line(&mut line).is_ok_and(|length| length > 0) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() as u64 <= KEPT {
                kept.push_str(&line);
            }
            line.clear();
        }
    });
}
