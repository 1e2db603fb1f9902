//! The runner: a process that runs a client with one prompt, logs the client's output and records how the client
//! exited.
//!
//! The runner leads the client's process group. It ignores signals to the group, so that it can record the client's
//! exit.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use bugle_app::{AgentLog, App, AppError, ClaimedPrompt, ClientExit, Context, supervisor};
use bugle_client::transcript::{Transcript, error_line, turn_line};
use bugle_core::reply::TranscriptItem;

use crate::shutdown;

/// Maximum length of a line in bytes. Longer lines are split. No client should print such a line.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// How long to wait for output after the client has exited. The client's child processes may keep the output open.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(2);

/// A client's output, or its exit.
enum Printed {
    Output(String),
    Errors(String),
    /// The client has exited.
    Gone,
}

/// A running client. Dropping it kills the client.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Ignore errors: the client may have already exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs an agent's client with its pending prompt. Does nothing if no prompt is pending.
pub fn run_agent(ctx: Context, project: &str, agent: &str) -> Result<(), AppError> {
    crate::serve::block_on(async {
        shutdown::ignore_signals()?;
        let mut app = App::open(ctx)?;
        let claimed = supervisor::claim_prompt(&mut app.store, &app.context, project, agent)?;
        let Some(claimed) = claimed else {
            return Ok(());
        };
        let exit = run(&mut app, &claimed).unwrap_or_else(|error| ClientExit {
            error: Some(format!("the runner failed: {error}")),
            ..ClientExit::default()
        });
        supervisor::client_ended(&mut app.store, &app.context, &claimed, &exit)
    })
}

/// Runs the client until it exits. Records the session that the client reports.
fn run(app: &mut App, claimed: &ClaimedPrompt) -> Result<ClientExit, AppError> {
    let mut log = AgentLog::open(&claimed.log)?;
    log.keep(&turn_line(&claimed.wakeup));
    let mut ended = ClientExit::default();
    let mut running = match start(&app.context, claimed) {
        Ok(child) => Running(child),
        Err(why) => {
            log.keep(&error_line(&why));
            ended.error = Some(why);
            return Ok(ended);
        }
    };
    let child = &mut running.0;
    let mut transcript = Transcript::new(claimed.client);
    let (send, printed) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        read_lines(output, send.clone(), Printed::Output);
    }
    if let Some(errors) = child.stderr.take() {
        read_lines(errors, send.clone(), Printed::Errors);
    }
    let pid = child.id();
    std::thread::spawn(move || {
        supervisor::wait_for_child(pid);
        send.send(Printed::Gone)
    });
    let mut log_tail = None;
    while let Some(line) = next(&printed, log_tail) {
        match line {
            Printed::Gone => log_tail = Some(Instant::now() + OUTPUT_TIMEOUT),
            Printed::Output(line) => {
                log.keep(&line);
                for item in transcript.read(&line) {
                    note(app, claimed, item, &mut ended)?;
                }
            }
            Printed::Errors(line) => {
                log.keep(&error_line(&line));
                ended.error = Some(line);
            }
        }
    }
    for item in transcript.rest() {
        note(app, claimed, item, &mut ended)?;
    }
    let status = child
        .wait()
        .map_err(|error| AppError::System(format!("cannot wait for the client: {error}")))?;
    ended.code = Some(exit_code(status));
    Ok(ended)
}

/// The next output; `None` once the client's output is closed or the deadline has passed.
fn next(printed: &Receiver<Printed>, until: Option<Instant>) -> Option<Printed> {
    match until {
        None => printed.recv().ok(),
        Some(until) => printed
            .recv_timeout(until.saturating_duration_since(Instant::now()))
            .ok(),
    }
}

fn note(
    app: &mut App,
    claimed: &ClaimedPrompt,
    item: TranscriptItem,
    ended: &mut ClientExit,
) -> Result<(), AppError> {
    match item {
        TranscriptItem::SessionIs { id } => {
            supervisor::client_began(&mut app.store, &app.context, claimed, &id)?;
        }
        TranscriptItem::Cost { tokens, cost } => {
            ended.spent.tokens = ended.spent.tokens.saturating_add(tokens);
            ended.spent.cost = ended.spent.cost.saturating_add(cost);
        }
        TranscriptItem::Error { text } => ended.error = Some(text),
        _ => {}
    }
    Ok(())
}

/// Starts the client with the prompt on stdin.
fn start(ctx: &Context, claimed: &ClaimedPrompt) -> Result<Child, String> {
    let (program, arguments) = claimed
        .command
        .split_first()
        .ok_or("the client's command is empty")?;
    let prompt = File::open(&claimed.prompt)
        .map_err(|error| format!("cannot read the prompt {}: {error}", claimed.prompt.display()))?;
    let mut command = Command::new(program);
    ctx.store.hide_password(&mut command);
    command
        .args(arguments)
        .envs(claimed.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&claimed.directory)
        .stdin(prompt)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if !claimed.directory.is_dir() => {
                format!("the folder {} does not exist", claimed.directory.display())
            }
            std::io::ErrorKind::NotFound => format!("{program} is not installed or not on the PATH"),
            _ => format!("{program}: {error}"),
        })
}

/// Sends each line of a stream until the stream ends.
fn read_lines(
    source: impl Read + Send + 'static,
    send: Sender<Printed>,
    wrap: impl Fn(String) -> Printed + Send + 'static,
) {
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        while (&mut source)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .is_ok_and(|length| length > 0)
        {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if !text.is_empty() && send.send(wrap(text)).is_err() {
                break;
            }
        }
    });
}

/// The exit code, or the negated number of the signal that killed the client.
#[cfg(unix)]
fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status
        .code()
        .unwrap_or_else(|| -status.signal().unwrap_or_default())
}

#[cfg(not(unix))]
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}
