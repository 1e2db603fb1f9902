//! `bugle hook`: clients call this command for every event. Errors are logged; the client sees none.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::time::Duration;

use bugle_app::{AppError, hooks};
use bugle_client::Client;
use bugle_client::hook::{HookCall, HookReply, looks_like_a_call, text};
use bugle_client::recognition::caller;
use clap::Args;

use super::fail_open::{fail_open, open_app, print_to_client, read_stdin};
use crate::local_time::short_time;

/// How long to wait for input if there are no arguments. Clients write immediately.
const STDIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Handle a client hook (JSON on stdin)
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '{}' | bugle hook SessionStart --client claude")]
pub(crate) struct HookArgs {
    /// Event name used by the client
    pub event: OsString,
    /// Client that calls the hook
    #[arg(long)]
    pub client: OsString,
}

/// Handles a hook. Takes the arguments after `bugle hook`.
pub(crate) fn run(arguments: &[OsString]) {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let event = arguments.first().map_or("", String::as_str);
    fail_open(event, || handle(&arguments));
}

/// Whether a client called the hook but dropped the hook's arguments. If so, the event is on stdin.
pub(crate) fn is_called_without_arguments() -> bool {
    if std::io::stdin().is_terminal() {
        return false;
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let bytes = read_stdin().unwrap_or_default();
        sender.send(looks_like_a_call(&text(&bytes))).ok();
    });
    receiver.recv_timeout(STDIN_TIMEOUT).unwrap_or(false)
}

fn handle(arguments: &[String]) -> Result<Option<String>, AppError> {
    let (Some(event), Some(written_for)) = (arguments.first(), client(arguments)) else {
        return Err(AppError::System(format!(
            "`bugle hook {}` is not a valid call",
            arguments.join(" ")
        )));
    };
    let call = HookCall::read(written_for, event, &text(&read_stdin()?))
        .map_err(|error| AppError::System(error.to_string()))?;
    let variables = |name: &str| std::env::var(name).ok();
    let called_by = caller(written_for, call.session.as_deref(), &variables);
    let Some(call) = called_by.and_then(|client| call.as_called_by(client)) else {
        return Ok(None);
    };
    // The agent may have no store yet.
    if let Some(reply) = hooks::program_not_found(&call) {
        return Ok(reply.render(&call));
    }
    let mut is_answered = false;
    let mut send = |answer: &HookReply| {
        is_answered = true;
        let text = answer.render(&call);
        text.map_or(Ok(()), |text| print_to_client(&text))
    };
    let answered = answer(&call, &mut send);
    // Without a store or after an error, the client still needs the reply that depends only on the call.
    if !is_answered && let Some(text) = HookReply::default().render(&call) {
        print_to_client(&text)?;
    }
    answered.map(|()| None)
}

fn answer(call: &HookCall, send: &mut dyn FnMut(&HookReply) -> Result<(), AppError>) -> Result<(), AppError> {
    let opened = open_app(call.session.as_deref(), call.directory.as_deref(), Some(call))?;
    match opened {
        Some(mut app) => hooks::hook(&mut app.store, &app.context, call, &short_time, send),
        None => Ok(()),
    }
}

fn client(arguments: &[String]) -> Option<Client> {
    let at = arguments.iter().position(|argument| argument == "--client")?;
    Client::named(arguments.get(at + 1)?)
}
