//! Runs `bugle hook` and `bugle statusline`: within a time limit, and always with exit code 0.

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bugle_app::{App, AppError, Clock, Context, hooks, log_hook_error};
use bugle_client::hook::{HookCall, HookEvent};
use bugle_client::recognition::in_session;

/// The time limit for a hook. Clients allow ten seconds or more, but the user should not have to wait that long.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The time limit at the start of a session. It is longer because many sessions may start at once, and a session that
/// gets no answer does not know what to work on.
const START_TIME_LIMIT: Duration = Duration::from_secs(8);
/// The maximum number of input bytes to read.
const MAX_CALL_BYTES: u64 = 16 * 1024 * 1024;

/// Prints the answer. Logs errors and panics; the client sees neither.
pub(super) fn fail_open(event: &str, answer: impl FnOnce() -> Result<Option<String>, AppError>) {
    let home = bugle_home();
    exit_after_time_limit(home.clone(), event.to_owned());
    std::panic::set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(answer));
    let error = match answered {
        Ok(Ok(Some(text))) => print_to_client(&text).err().map(|error| error.to_string()),
        Ok(Ok(None)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("Bugle panicked".to_owned()),
    };
    if let (Some(error), Some(home)) = (error, &home) {
        log_hook_error(Clock::System, home, event, &error);
    }
}

/// Exits without an answer after the time limit, so that the user is not kept waiting.
fn exit_after_time_limit(home: Option<PathBuf>, event: String) {
    let clock = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(match HookEvent::named(&event) {
            Some(HookEvent::SessionStart) => START_TIME_LIMIT,
            _ => TIME_LIMIT,
        });
        if let Some(home) = &home {
            log_hook_error(Clock::System, home, &event, "timed out");
        }
        std::process::exit(0);
    });
    // If no thread can be started, the client's own limit applies.
    drop(clock);
}

fn bugle_home() -> Option<PathBuf> {
    let set = std::env::var_os("BUGLE_HOME").filter(|path| !path.is_empty());
    set.map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".bugle")))
}

pub(super) fn print_to_client(text: &str) -> Result<(), AppError> {
    let write = || {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    };
    write().map_err(|error: std::io::Error| AppError::System(format!("cannot write to stdout: {error}")))
}

pub(super) fn read_stdin() -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_CALL_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| AppError::System(format!("cannot read the client's input: {error}")))?;
    Ok(bytes)
}

/// Opens the store for a client's session, folder and hook call, each if given. Returns `None` if there is no store.
pub(super) fn open_app(
    session: Option<&str>,
    directory: Option<&str>,
    call: Option<&HookCall>,
) -> Result<Option<App>, AppError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let named = directory.map(|directory| here.join(directory));
    let directory = named.filter(|directory| directory.is_dir()).unwrap_or(here);
    let variables = |name: &str| std::env::var_os(name);
    let ctx = match session {
        Some(_) => Context::find(&in_session(session, &variables), &directory, false)?,
        None => Context::find(&variables, &directory, false)?,
    };
    hooks::open(ctx, call)
}
