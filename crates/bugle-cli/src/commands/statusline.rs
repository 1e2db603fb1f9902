//! `bugle statusline`

use bugle_app::hooks;
use bugle_client::hook::{StatusCall, text};
use clap::Args;

use super::fail_open::{fail_open, open_app, read_stdin};

/// Print a status line for Claude Code (JSON on stdin)
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '{}' | bugle statusline")]
pub(crate) struct StatuslineArgs {}

pub(crate) fn run() {
    fail_open("statusline", || {
        let call = StatusCall::read(&text(&read_stdin()?));
        let Some(mut app) = open_app(call.session.as_deref(), call.directory.as_deref(), None)? else {
            return Ok(None);
        };
        Ok(hooks::status_line(&mut app.store, &app.context)?.map(|line| format!("{line}\n")))
    });
}
