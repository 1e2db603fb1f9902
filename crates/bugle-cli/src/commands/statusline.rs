//! `bugle statusline`

use bugle_app::hooks;
use bugle_client::hook::{StatusCall, text};
use clap::Args;

use super::fail_open::{fail_open, open_app, read_stdin};

/// Print a line for Claude Code's status: the run, its step, the task, unread messages
#[derive(Debug, Args)]
pub(crate) struct StatuslineArgs {}

pub(crate) fn run() {
    fail_open("statusline", || {
        let call = StatusCall::read(&text(&read_stdin()?));
        let Some(mut app) = open_app(call.session.as_deref(), call.directory.as_deref())? else {
            return Ok(None);
        };
        Ok(hooks::status_line(&mut app.store, &app.context)?.map(|line| format!("{line}\n")))
    });
}
