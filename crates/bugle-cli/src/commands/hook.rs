//! `bugle hook EVENT --client NAME` and `bugle statusline`: told apart before any argument is parsed, because a client waits for it at every tool.
//! Whatever happens it ends well, and within a time of its own; what went wrong is in the log.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bugle_app::{App, AppError, Place, log_fault};
use bugle_wire::hook::{HookCall, StatusCall, caller, looks_like_a_call, text, written};
use bugle_wire::setup::Client;

use super::wake::short_time;

/// How long a hook may take. Clients give it ten seconds or more, and a person waits meanwhile.
const LONGEST: Duration = Duration::from_secs(5);
/// The same where a session begins. Many may begin at once, and one that gets no answer does not know of its work.
const LONGEST_START: Duration = Duration::from_secs(8);
/// How long a call without words is waited for. Clients write at once.
const LONGEST_SILENCE: Duration = Duration::from_secs(1);
/// More than this is not read from a client.
const LARGEST_CALL: u64 = 16 * 1024 * 1024;

/// Carries out a hook with the words behind `bugle hook`.
pub(crate) fn hook(words: &[OsString]) {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let event = words.first().map_or("", String::as_str);
    fail_open(event, || answer(&words));
}

/// Whether a client calls Bugle without a word, as those do that ignore the arguments of a hook: then it tells of an event
/// on the standard input. On a terminal, or where nothing comes, it is a person or a script.
pub(crate) fn is_called_without_words() -> bool {
    if std::io::stdin().is_terminal() {
        return false;
    }
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let bytes = heard().unwrap_or_default();
        tell.send(looks_like_a_call(&text(&bytes))).ok();
    });
    told.recv_timeout(LONGEST_SILENCE).unwrap_or(false)
}

/// Prints what stands open in the session of which Claude Code tells, for its status line.
pub(crate) fn status_line() {
    fail_open("statusline", || {
        let call = StatusCall::read(&text(&heard()?));
        let Some(mut app) = open(call.session.as_deref(), call.directory.as_deref())? else {
            return Ok(None);
        };
        Ok(app.status_line()?.map(|line| format!("{line}\n")))
    });
}

/// Says what there is to say, and nothing if that goes wrong: then it is logged.
fn fail_open(event: &str, answer: impl FnOnce() -> Result<Option<String>, AppError>) {
    let home = bugle_home();
    give_up_in_time(home.clone(), event.to_owned());
    // A panic is a defect; to the client it is silence.
    std::panic::set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(answer));
    let fault = match answered {
        Ok(Ok(Some(text))) => say(&text).err().map(|error| unsaid(&error).to_string()),
        Ok(Ok(None)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("there is a defect in Bugle".to_owned()),
    };
    if let (Some(fault), Some(home)) = (fault, &home) {
        log_fault(home, event, &fault);
    }
}

/// Ends the process if it takes too long: saying nothing is better than keeping a person waiting.
fn give_up_in_time(home: Option<PathBuf>, event: String) {
    let clock = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(if event == "SessionStart" {
            LONGEST_START
        } else {
            LONGEST
        });
        if let Some(home) = &home {
            log_fault(home, &event, "it took too long, and was given up");
        }
        std::process::exit(0);
    });
    // Without a thread to spare, the client's own limit has to do.
    drop(clock);
}

fn bugle_home() -> Option<PathBuf> {
    let set = std::env::var_os("BUGLE_HOME").filter(|path| !path.is_empty());
    set.map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".bugle")))
}

fn answer(words: &[String]) -> Result<Option<String>, AppError> {
    let (Some(event), Some(written_for)) = (words.first(), client(words)) else {
        return Err(AppError::System(format!(
            "`bugle hook {}` is not understood",
            words.join(" ")
        )));
    };
    let call = HookCall::read(written_for, event, &text(&heard()?))
        .map_err(|error| AppError::System(error.to_string()))?;
    let variables = |name: &str| std::env::var(name).ok();
    let called_by = caller(written_for, call.session.as_deref(), &variables);
    let Some(call) = called_by.and_then(|client| call.told_by(client)) else {
        return Ok(None);
    };
    let Some(mut app) = open(call.session.as_deref(), call.directory.as_deref())? else {
        return Ok(None);
    };
    app.hook(&call, &short_time, &mut |answer| {
        let text = written(&call, answer);
        text.map_or(Ok(()), |text| say(&text).map_err(|error| unsaid(&error)))
    })?;
    Ok(None)
}

fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn unsaid(error: &std::io::Error) -> AppError {
    AppError::System(format!("the client did not take the answer: {error}"))
}

/// What the client says.
fn heard() -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LARGEST_CALL)
        .read_to_end(&mut bytes)
        .map_err(|error| AppError::System(format!("what the client says cannot be read: {error}")))?;
    Ok(bytes)
}

/// Bugle in the session and the folder that a client names; nothing if there is no store.
fn open(session: Option<&str>, directory: Option<&str>) -> Result<Option<App>, AppError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let told = directory.map(|directory| here.join(directory));
    let directory = told.filter(|directory| directory.is_dir()).unwrap_or(here);
    let variables = |name: &str| match (name, session) {
        ("CLAUDE_CODE_SESSION_ID", Some(session)) => Some(OsString::from(session)),
        _ => std::env::var_os(name),
    };
    App::open_for_hook(Place::find(&variables, &directory, false)?)
}

fn client(words: &[String]) -> Option<Client> {
    let at = words.iter().position(|word| word == "--client")?;
    Client::named(words.get(at + 1)?)
}
