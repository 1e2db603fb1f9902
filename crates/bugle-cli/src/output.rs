//! How answers leave the program: on which stream, in which form, with or without colour.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use bugle_app::{AppError, Exit, Reply};
use bugle_render::text::{error_message, printable};
use bugle_render::{Format, step};
use bugle_wire::{Answer, MessageView, TranscriptItem};
use clap::ValueEnum;

use crate::commands::cli::GlobalOptions;

/// The format of an answer
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatChoice {
    /// For agents; the default for steps unless stdout is a terminal
    Xml,
    /// For people
    Text,
    /// For programs
    Json,
    /// Markdown
    Md,
}

/// Where answers go.
#[derive(Debug)]
pub(crate) struct Output {
    format: Option<Format>,
    terminal: bool,
    colour: bool,
}

impl Output {
    pub(crate) fn new(options: &GlobalOptions) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let chosen = options.format.map(|format| match format {
            FormatChoice::Xml => Format::Xml,
            FormatChoice::Text => Format::Text,
            FormatChoice::Json => Format::Json,
            FormatChoice::Md => Format::Markdown,
        });
        Self {
            format: if options.json { Some(Format::Json) } else { chosen },
            terminal,
            colour: terminal && !plain,
        }
    }

    pub(crate) fn colour(&self) -> bool {
        self.colour && matches!(self.format, None | Some(Format::Text))
    }

    /// The format of a step: the chosen one, else text on a terminal and XML elsewhere, for agents.
    pub(crate) fn format(&self) -> Format {
        let default = if self.terminal { Format::Text } else { Format::Xml };
        self.format.unwrap_or(default)
    }

    /// The format that the user chose.
    pub(crate) fn chosen_format(&self) -> Option<Format> {
        self.format
    }

    fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// An answer in the chosen format, as text by default.
    fn formatted<A: Answer>(&self, answer: &A, text: impl FnOnce() -> String) -> String {
        match self.format {
            Some(Format::Json) => answer.to_json(),
            Some(format) => bugle_render::answer(A::KIND, text(), format),
            None => text(),
        }
    }

    /// How wide a line may be.
    pub(crate) fn width(&self) -> usize {
        let told = std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok());
        told.unwrap_or(if self.terminal { 100 } else { 120 })
    }

    /// Prints an answer.
    pub(crate) fn answer(&self, answer: &impl Answer, text: impl FnOnce() -> String) -> Result<(), AppError> {
        print(&self.formatted(answer, text))
    }

    /// An answer whose messages count as read once it is written. A reader that went away has not read them.
    pub(crate) fn deliver(
        &self,
        answer: &impl Answer,
        text: impl FnOnce() -> String,
    ) -> Result<(), AppError> {
        Self::deliver_text(&self.formatted(answer, text))
    }

    /// The same for a text that is ready.
    pub(crate) fn deliver_text(text: &str) -> Result<(), AppError> {
        if is_closed() {
            return Err(AppError::System(
                "standard output is closed: nothing was printed, and messages stay unread".to_owned(),
            ));
        }
        write(text).map_err(|error| unwritten(&error))
    }

    /// A line that says what was done.
    pub(crate) fn line(&self, line: &str) -> Result<(), AppError> {
        self.answer(
            &MessageView {
                message: line.to_owned(),
            },
            || format!("{}\n", printable(line)),
        )
    }

    /// One of many things that come by and by: a line of JSON each for programs.
    pub(crate) fn item(&self, item: &TranscriptItem, text: impl FnOnce() -> String) -> Result<(), AppError> {
        if !self.is_json() {
            return print(&text());
        }
        let line = serde_json::to_string(item).map_err(|error| AppError::System(error.to_string()))?;
        print(&format!("{line}\n"))
    }

    /// Something that whoever looks after the files should know; it is no part of the answer.
    pub(crate) fn warn(notices: &[String]) {
        for notice in notices {
            complain(notice, &[]);
        }
    }

    /// Reports on a terminal that something takes long.
    pub(crate) fn progress(what: &str) {
        let mut terminal = std::io::stderr();
        if terminal.is_terminal() {
            // Nothing depends on it.
            let _ = terminal.write_all(format!("{what}\n").as_bytes());
        }
    }

    /// A text that is the same for everybody.
    pub(crate) fn text(text: &str) -> Result<(), AppError> {
        print(text)
    }

    /// What follows from a command. A refusal is an answer too, and comes the same way.
    pub(crate) fn reply(reply: Result<Reply, AppError>, format: Format) -> Result<Exit, AppError> {
        match reply {
            Ok(Reply::Step(view)) => print(&step::step(&view, format))?,
            Ok(Reply::End(view)) => print(&step::end(&view, format))?,
            Err(AppError::Refused(view)) => {
                print(&step::refusal(&view, format))?;
                return Ok(Exit::Refused);
            }
            Err(error) => return Err(error),
        }
        Ok(Exit::Done)
    }

    /// Something went wrong: what, why, and what to do.
    pub(crate) fn error(&self, error: &AppError) -> ExitCode {
        if let AppError::Refused(view) = error {
            return Self::last_word(&step::refusal(view, self.format()), Exit::Refused as u8);
        }
        let view = error.view();
        if self.is_json() {
            return Self::last_word(&view.to_json(), view.exit);
        }
        complain(&view.message, &view.hints);
        ExitCode::from(view.exit)
    }

    fn last_word(text: &str, exit: u8) -> ExitCode {
        match print(text) {
            Ok(()) => ExitCode::from(exit),
            Err(error) => {
                complain(&error.to_string(), &[]);
                ExitCode::from(Exit::Failed as u8)
            }
        }
    }
}

fn complain(message: &str, hints: &[String]) {
    // Nobody is left to tell if even this cannot be written.
    let _ = std::io::stderr().write_all(error_message(message, hints).as_bytes());
}

fn write(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Whether the program was started without a standard output. Before `main`, Rust opens the null device in its place, for
/// reading and writing; a shell that redirects there opens it for writing only.
#[cfg(unix)]
fn is_closed() -> bool {
    use std::io::Read as _;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;
    let Ok(copy) = std::io::stdout().as_fd().try_clone_to_owned() else {
        return true;
    };
    let mut out = std::fs::File::from(copy);
    let null = std::fs::metadata("/dev/null").map(|null| null.rdev());
    match (out.metadata(), null) {
        (Ok(found), Ok(null)) if null != 0 && found.rdev() == null => out.read(&mut [0]).is_ok(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_closed() -> bool {
    false
}

fn unwritten(error: &std::io::Error) -> AppError {
    AppError::System(format!("the answer could not be written: {error}"))
}

/// Writes to standard output. A reader that went away has read enough; any other error is reported.
pub(crate) fn print(text: &str) -> Result<(), AppError> {
    match write(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(unwritten(&error)),
        _ => Ok(()),
    }
}
