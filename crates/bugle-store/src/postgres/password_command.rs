//! The user's command that prints the store's password.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Maximum size of the command's output. Longer output is not a password.
const MAX_BYTES: u64 = 64 * 1024;

/// A command that prints the store's password as the first line of its output. No shell interprets its words.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder in which the command runs.
    pub directory: PathBuf,
}

impl std::fmt::Debug for PasswordCommand {
    /// Omits the arguments, which may contain secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = self.words.first();
        formatter.debug_tuple("PasswordCommand").field(&program).finish()
    }
}

impl PasswordCommand {
    /// Runs the command within a time limit. The error does not repeat the arguments or the output.
    pub(super) fn run(&self, limit: Duration) -> Result<String, String> {
        let Some((program, arguments)) = self.words.split_first() else {
            return Err("the password command is empty".to_owned());
        };
        let failed = |why: &str| format!("the password command `{program}` {why}");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        lead_group(&mut command);
        let mut child = command
            .spawn()
            .map_err(|error| failed(&format!("did not start: {error}")))?;
        let printed = printed(&mut child, limit);
        let Some((bytes, is_success)) = printed else {
            stop(&mut child);
            return Err(failed(&format!("did not finish within {} ms", limit.as_millis())));
        };
        if !is_success {
            return Err(failed("failed; run the command in a terminal to see why"));
        }
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match std::str::from_utf8(line).map(|line| line.trim_end_matches('\r')) {
            Ok("") => Err(failed("printed no password")),
            Ok(password) => Ok(password.to_owned()),
            Err(_) => Err(failed("printed a password that is not valid UTF-8")),
        }
    }
}

/// The output of a command and whether the command succeeded; `None` if it did not finish within the limit.
fn printed(child: &mut Child, limit: Duration) -> Option<(Vec<u8>, bool)> {
    let deadline = Instant::now() + limit;
    let output = child.stdout.take()?;
    let (send, read) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.take(MAX_BYTES).read_to_end(&mut bytes);
        send.send(bytes)
    });
    let bytes = read.recv_timeout(limit).ok()?;
    // The output is closed, so the command is about to end.
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some((bytes, status.success())),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(pause),
            _ => return None,
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(unix)]
fn lead_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_group(_: &mut Command) {}

/// Kills a command and every process that it started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // The group may be empty.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(words: &[&str], limit: Duration) -> Result<String, String> {
        let command = PasswordCommand {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            directory: std::env::temp_dir(),
        };
        assert!(!format!("{command:?}").contains("s3cret"));
        command.run(limit)
    }

    #[test]
    fn the_first_line_of_the_output_is_the_password() {
        let print = |text: &str| run(&["printf", "%b", text], Duration::from_mins(1));
        assert_eq!(print("p $w\\r\\nother\\n"), Ok("p $w".to_owned()));
        assert_eq!(print("p w"), Ok("p w".to_owned()));
    }

    #[test]
    fn a_command_without_a_password_is_an_error_that_repeats_no_secret() {
        let long = Duration::from_mins(1);
        for (words, limit, why) in [
            (&["no-such-program", "s3cret"] as &[&str], long, "did not start"),
            (&["sh", "-c", "echo s3cret; exit 3"], long, "failed"),
            (&["sh", "-c", "echo; echo s3cret"], long, "printed no password"),
            (&["true"], long, "printed no password"),
            (&["printf", "s3cret\\377"], long, "not valid UTF-8"),
            (
                &["sh", "-c", "echo s3cret; sleep 600 & wait"],
                Duration::from_millis(50),
                "did not finish",
            ),
            (&[], long, "is empty"),
        ] {
            let error = run(words, limit).unwrap_err();
            assert!(error.contains(why), "{words:?}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
