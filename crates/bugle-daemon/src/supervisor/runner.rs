//! The runner: a process that runs one client with one prompt, keeps what it prints, and writes down how it ended.
//!
//! It leads the group of processes that the client belongs to. What is asked of the group is meant for the client: the
//! runner itself stays until the client is gone, so that its end is known.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use bugle_app::{AgentLog, App, AppError, ClaimedPrompt, ClientExit, Context, supervisor};
use bugle_client::transcript::{Transcript, error_line, turn_line};
use bugle_wire::TranscriptItem;

use crate::shutdown;

/// A line longer than this is not kept whole: no client needs one.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// How long what a client printed may take to arrive once it has ended. What it left running may keep its output open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What comes from a client.
enum Printed {
    Output(String),
    Errors(String),
    /// It has ended.
    Gone,
}

/// A client at work. It does not outlive what looks after it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is none to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the client of an agent with the prompt that is waiting for it; nothing if there is none.
pub fn run_agent(ctx: Context, project: &str, agent: &str) -> Result<(), AppError> {
    crate::serve::block_on(async {
        shutdown::ignore_signals()?;
        let mut app = App::open(ctx)?;
        let claimed = supervisor::claim_prompt(&mut app.store, &app.context, project, agent)?;
        let Some(claimed) = claimed else {
            return Ok(());
        };
        let exit = run(&mut app, &claimed).unwrap_or_else(|error| ClientExit {
            error: Some(format!("cannot be looked after: {error}")),
            ..ClientExit::default()
        });
        supervisor::client_ended(&mut app.store, &app.context, &claimed, &exit)
    })
}

/// Runs the client until it ends, and reports its session when it is known.
fn run(app: &mut App, claimed: &ClaimedPrompt) -> Result<ClientExit, AppError> {
    let mut log = AgentLog::open(&claimed.log)?;
    log.keep(&turn_line(&claimed.wakeup));
    let mut ended = ClientExit::default();
    let mut running = match start(claimed) {
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
            Printed::Gone => log_tail = Some(Instant::now() + LAST_WORDS),
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
        .map_err(|error| AppError::System(format!("the client cannot be waited for: {error}")))?;
    ended.code = Some(exit_code(status));
    Ok(ended)
}

/// The next that comes; nothing when nothing more can come, or it is too late for it.
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

/// Starts the client with the prompt as its standard input; or says why it cannot be started.
fn start(claimed: &ClaimedPrompt) -> Result<Child, String> {
    let (program, arguments) = claimed.command.split_first().ok_or("it has no program")?;
    let prompt = File::open(&claimed.prompt)
        .map_err(|error| format!("cannot read its prompt {}: {error}", claimed.prompt.display()))?;
    Command::new(program)
        .args(arguments)
        .current_dir(&claimed.directory)
        .stdin(prompt)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if !claimed.directory.is_dir() => {
                format!("cannot work in {}: it is not there", claimed.directory.display())
            }
            std::io::ErrorKind::NotFound => format!("{program} is not installed, or not on the PATH"),
            _ => format!("cannot be started: {error}"),
        })
}

/// Hands on what comes, line by line, until nothing more can come.
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

/// The exit code, or minus the number of the signal that ended it.
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
