//! Runs a program in a pseudo-terminal with a screen that tests and pictures can read.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test must fail if its terminal fails"
)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Longer than any program under test should take, even on a busy machine.
const LONGEST: Duration = Duration::from_mins(1);

/// A program in a terminal.
pub struct Terminal {
    child: Child,
    keyboard: File,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// All of the program's output.
    pub written: Vec<u8>,
}

/// Both ends of a new terminal.
pub fn pair() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).unwrap();
    (master, slave)
}

impl Terminal {
    /// Starts a program with a new terminal of this many columns and rows as its controlling terminal.
    pub fn start(command: &Command, (columns, rows): (u16, u16)) -> Self {
        let (master, slave) = pair();
        set_size(&master, columns, rows);
        // Only processes with this controlling terminal receive the resize signal.
        let mut within = Command::new("setsid");
        within
            .arg("--ctty")
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(command.get_current_dir().unwrap())
            .env_clear()
            .env("TERM", "xterm-256color")
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave);
        for (name, value) in command.get_envs() {
            within.env(name, value.unwrap());
        }
        let child = within.spawn().unwrap();
        // Drop the command: its copies of the file descriptors would keep the terminal open.
        drop(within);
        let keyboard = File::from(master);
        Self {
            child,
            output: pieces(keyboard.try_clone().unwrap()),
            keyboard,
            parser: vt100::Parser::new(rows, columns, 0),
            written: Vec::new(),
        }
    }

    /// Sends input as a keyboard would.
    pub fn send(&mut self, bytes: &str) {
        self.keyboard.write_all(bytes.as_bytes()).unwrap();
    }

    /// Resizes the window.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.screen_mut().set_size(rows, columns);
        set_size(&self.keyboard, columns, rows);
    }

    /// Sends the program a termination signal.
    pub fn terminate(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// The screen.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// The text on the screen, without trailing spaces.
    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// Waits until the screen shows this text.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        self.wait_until(words, |screen| screen.contents().contains(words));
    }

    /// Waits until the screen passes a check. If it never does, the panic message contains `what`.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + LONGEST;
        while !is_so(self.parser.screen()) {
            let heard = self.hear(end);
            assert!(
                heard.is_ok(),
                "timed out waiting for {what:?} ({heard:?}):\n{}",
                self.text()
            );
        }
    }

    fn hear(&mut self, end: Instant) -> Result<(), RecvTimeoutError> {
        let left = end.saturating_duration_since(Instant::now());
        let bytes = self.output.recv_timeout(left)?;
        self.parser.process(&bytes);
        self.written.extend(bytes);
        Ok(())
    }

    /// Reads the rest of the program's output and waits until it exits.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + LONGEST;
        loop {
            match self.hear(end) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the program did not exit in time:\n{}", self.text())
                }
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Ignore errors: the program may have already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn set_size(terminal: impl std::os::fd::AsFd, columns: u16, rows: u16) {
    let size = Winsize {
        ws_col: columns,
        ws_row: rows,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).unwrap();
}

/// The output as it arrives. The channel closes when no process has the terminal open.
fn pieces(mut source: File) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length) = source.read(&mut buffer) {
            if length == 0 || send.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    receive
}
