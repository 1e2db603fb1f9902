//! Prints answers: chooses the stream, the format and the colours.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::global_options::{FormatChoice, GlobalOptions};
use bugle_app::{AppError, Exit, Reply};
use bugle_core::reply::{MessageView, TranscriptItem};
use bugle_render::text::{error_message, printable};
use bugle_render::{Format, refused_text, step};
use bugle_wire::{Answer, ToWire as _};
use ratatui::crossterm::terminal;

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// For programs.
    Json,
    /// For agents and people.
    Rendered(Format),
}

impl AnswerFormat {
    /// Formats an answer.
    pub(crate) fn of(self, answer: &impl Answer, render: impl FnOnce(Format) -> String) -> String {
        match self {
            Self::Json => answer.to_json(),
            Self::Rendered(format) => render(format),
        }
    }
}

/// How to print answers.
#[derive(Debug)]
pub(crate) struct Output {
    format: Option<AnswerFormat>,
    terminal: bool,
    colour: bool,
}

impl Output {
    pub(crate) fn new(options: &GlobalOptions) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let chosen = options.format.map(|format| match format {
            FormatChoice::Xml => AnswerFormat::Rendered(Format::Xml),
            FormatChoice::Text => AnswerFormat::Rendered(Format::Text),
            FormatChoice::Json => AnswerFormat::Json,
            FormatChoice::Md => AnswerFormat::Rendered(Format::Markdown),
        });
        Self {
            format: if options.json {
                Some(AnswerFormat::Json)
            } else {
                chosen
            },
            terminal,
            colour: terminal && !plain,
        }
    }

    pub(crate) fn colour(&self) -> bool {
        self.colour && matches!(self.format, None | Some(AnswerFormat::Rendered(Format::Text)))
    }

    /// The format for steps: the chosen format, or else text on a terminal and XML elsewhere.
    pub(crate) fn format(&self) -> AnswerFormat {
        let default = if self.terminal { Format::Text } else { Format::Xml };
        self.format.unwrap_or(AnswerFormat::Rendered(default))
    }

    /// The format that the user chose.
    pub(crate) fn chosen_format(&self) -> Option<AnswerFormat> {
        self.format
    }

    /// Whether the output goes to a terminal in the default format.
    pub(crate) fn is_for_people(&self) -> bool {
        self.terminal && self.format.is_none()
    }

    fn is_json(&self) -> bool {
        self.format == Some(AnswerFormat::Json)
    }

    /// Formats an answer in the chosen format, by default as text.
    fn formatted<A: Answer>(&self, answer: &A, text: impl FnOnce() -> String) -> String {
        match self.format {
            Some(format) => format.of(answer, |format| bugle_render::answer(A::KIND, text(), format)),
            None => text(),
        }
    }

    /// The maximum line width: `COLUMNS`, or else the terminal's width.
    pub(crate) fn width(&self) -> usize {
        let chosen = std::env::var("COLUMNS").ok();
        let chosen = chosen.and_then(|columns| columns.parse().ok());
        chosen.unwrap_or_else(|| {
            if !self.terminal {
                return 120;
            }
            // A terminal may report a width of 0.
            match terminal::size() {
                Ok((columns @ 1.., _)) => usize::from(columns),
                _ => 100,
            }
        })
    }

    /// Prints an answer.
    pub(crate) fn answer(&self, answer: &impl Answer, text: impl FnOnce() -> String) -> Result<(), AppError> {
        print(&self.formatted(answer, text))
    }

    /// Prints an answer that contains messages. Messages count as read once they are printed, so a closed pipe is an
    /// error.
    pub(crate) fn deliver(
        &self,
        answer: &impl Answer,
        text: impl FnOnce() -> String,
    ) -> Result<(), AppError> {
        Self::deliver_text(&self.formatted(answer, text))
    }

    /// Like [`Self::deliver`], for rendered text.
    pub(crate) fn deliver_text(text: &str) -> Result<(), AppError> {
        if is_closed() {
            return Err(AppError::System(
                "stdout is closed: nothing was printed, and messages stay unread".to_owned(),
            ));
        }
        write(text).map_err(|error| write_error(&error))
    }

    /// Prints a one-line confirmation.
    pub(crate) fn line(&self, line: &str) -> Result<(), AppError> {
        self.answer(
            &MessageView {
                message: line.to_owned(),
            },
            || format!("{}\n", printable(line)),
        )
    }

    /// Prints one item of a stream. JSON items are one line each.
    pub(crate) fn item(&self, item: &TranscriptItem, text: impl FnOnce() -> String) -> Result<(), AppError> {
        if !self.is_json() {
            return print(&text());
        }
        let line =
            serde_json::to_string(&item.to_wire()).map_err(|error| AppError::System(error.to_string()))?;
        print(&format!("{line}\n"))
    }

    /// Prints notices to stderr, because they are not part of the answer.
    pub(crate) fn warn(notices: &[String]) {
        for notice in notices {
            print_error(notice, &[]);
        }
    }

    /// Reports the start of a slow operation, if stderr is a terminal.
    pub(crate) fn progress(what: &str) {
        let mut terminal = std::io::stderr();
        if terminal.is_terminal() {
            // Ignore a write error: the command works without this message.
            let _ = terminal.write_all(format!("{what}\n").as_bytes());
        }
    }

    /// Prints text that has only one format.
    pub(crate) fn text(text: &str) -> Result<(), AppError> {
        print(text)
    }

    /// Prints the reply to a command on a run. A refusal is a reply too.
    pub(crate) fn reply(reply: Result<Reply, AppError>, format: AnswerFormat) -> Result<Exit, AppError> {
        match reply {
            Ok(Reply::Step(view)) => print(&format.of(&*view, |format| step::step(&view, format)))?,
            Ok(Reply::End(view)) => print(&format.of(&*view, |format| step::end(&view, format)))?,
            Err(AppError::Refused(refused)) => {
                let view = refused_text::view(&refused);
                print(&format.of(&view, |format| step::refusal(&view, format)))?;
                return Ok(Exit::Refused);
            }
            Err(error) => return Err(error),
        }
        Ok(Exit::Done)
    }

    /// Prints an error: what failed, why, and what to do.
    pub(crate) fn error(&self, error: &AppError) -> ExitCode {
        if let AppError::Refused(refused) = error {
            let view = refused_text::view(refused);
            let text = self.format().of(&view, |format| step::refusal(&view, format));
            return Self::print_and_exit(&text, Exit::Refused as u8);
        }
        let view = error.view();
        if self.is_json() {
            return Self::print_and_exit(&view.to_json(), view.exit);
        }
        print_error(&view.message, &view.hints);
        ExitCode::from(view.exit)
    }

    fn print_and_exit(text: &str, exit: u8) -> ExitCode {
        match print(text) {
            Ok(()) => ExitCode::from(exit),
            Err(error) => {
                print_error(&error.to_string(), &[]);
                ExitCode::from(Exit::Failed as u8)
            }
        }
    }
}

fn print_error(message: &str, hints: &[String]) {
    // If this fails too, there is no other stream to report it on.
    let _ = std::io::stderr().write_all(error_message(message, hints).as_bytes());
}

fn write(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Whether the program was started with stdout closed. If so, Rust opens the null device for reading and writing before
/// `main`, whereas a shell redirection opens it only for writing.
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

fn write_error(error: &std::io::Error) -> AppError {
    AppError::System(format!("cannot write to stdout: {error}"))
}

/// Prints to stdout. Ignores a closed pipe: the reader has read enough.
pub(crate) fn print(text: &str) -> Result<(), AppError> {
    match write(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(write_error(&error)),
        _ => Ok(()),
    }
}
