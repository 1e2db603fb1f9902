//! Runs the user's notify command for messages to the user.

use std::io::Write as _;
use std::process::{Command, Stdio};

use bugle_store::MessageRow;

use crate::Context;
use crate::hook_log::log_hook_error;
use crate::settings::Settings;

/// Starts the user's notify command for a message. Does not wait for the command. Failures are logged in `hook.log`.
pub(crate) fn notify(ctx: &Context, message: &MessageRow) {
    if !message.to.iter().any(bugle_core::message::AgentAddress::is_human) {
        return;
    }
    let settings = Settings::load(ctx);
    for notice in &settings.notices {
        log_hook_error(ctx.clock, &ctx.bugle_home, "notify", notice);
    }
    let words = settings.notify;
    let Some((program, rest)) = words.split_first() else {
        return;
    };
    if let Err(error) = start(ctx, program, rest, message) {
        log_hook_error(
            ctx.clock,
            &ctx.bugle_home,
            "notify",
            &format!("{program}: {error}"),
        );
    }
}

fn start(ctx: &Context, program: &str, rest: &[String], message: &MessageRow) -> std::io::Result<()> {
    let mut command = Command::new(program);
    ctx.store.hide_password(&mut command);
    let mut child = command
        .args(rest)
        .current_dir(&ctx.bugle_home)
        .env("BUGLE_MESSAGE", message.id.as_str())
        .env("BUGLE_FROM", message.sender.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // The command may ignore its input.
        input.write_all(beginning(&message.text).as_bytes()).ok();
    }
    // Reap the child in case this process keeps running.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// The start of a string, short enough that a pipe buffers all of it even if no process reads.
fn beginning(text: &str) -> &str {
    const FITS: usize = 32 * 1024;
    &text[..text.floor_char_boundary(FITS)]
}
