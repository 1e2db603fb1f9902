//! Telling a person at once that something was said to them: a command of their own is started with it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use bugle_store::MessageRow;

use crate::hook::log_fault;
use crate::settings::Settings;
use crate::{App, Place};

impl App {
    /// Starts the person's command with a message that is for them; it is not waited for. What it cannot do is written down.
    pub(crate) fn notify(&self, message: &MessageRow) {
        if !message.to.iter().any(bugle_core::message::AgentAddress::is_human) {
            return;
        }
        let settings = Settings::load(&self.place);
        for notice in &settings.notices {
            log_fault(&self.place.bugle_home, "notify", notice);
        }
        let words = settings.notify;
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        if let Err(error) = start(&self.place, program, rest, message) {
            log_fault(&self.place.bugle_home, "notify", &format!("{program}: {error}"));
        }
    }
}

fn start(place: &Place, program: &str, rest: &[String], message: &MessageRow) -> std::io::Result<()> {
    let mut child = Command::new(program)
        .args(rest)
        .current_dir(&place.bugle_home)
        .env("BUGLE_MESSAGE", message.id.as_str())
        .env("BUGLE_FROM", message.sender.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // One that does not read, or has ended already, wants no text.
        input.write_all(beginning(&message.text).as_bytes()).ok();
    }
    // Whoever speaks may live on: what has ended is to be forgotten by the system.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// As much of a text as a pipe takes while nobody reads from it.
fn beginning(text: &str) -> &str {
    const FITS: usize = 32 * 1024;
    &text[..text.floor_char_boundary(FITS)]
}
