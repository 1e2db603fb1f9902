//! Reads text from an argument, a file or stdin.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use bugle_app::{AppError, MAX_INPUT_BYTES};

use crate::output::Output;

/// Reads a file, or stdin for `-`, up to [`MAX_INPUT_BYTES`].
pub(crate) fn read_text(file: &Path) -> Result<String, AppError> {
    let read = || -> std::io::Result<String> {
        let mut bytes = Vec::new();
        let most = MAX_INPUT_BYTES as u64 + 1;
        if file == Path::new("-") {
            if std::io::stdin().is_terminal() {
                Output::progress("Type the text; end with Ctrl-D.");
            }
            std::io::stdin().take(most).read_to_end(&mut bytes)?;
        } else {
            std::fs::File::open(file)?.take(most).read_to_end(&mut bytes)?;
        }
        if bytes.len() > MAX_INPUT_BYTES {
            return Err(std::io::Error::other(format!(
                "the input is larger than {MAX_INPUT_BYTES} bytes"
            )));
        }
        String::from_utf8(bytes).map_err(|_| std::io::Error::other("the input is not valid UTF-8"))
    };
    read().map_err(|source| AppError::File {
        what: "cannot read",
        path: file.to_owned(),
        source,
    })
}

/// The argument, or stdin for `-`.
pub(crate) fn text_or_stdin(argument: String) -> Result<String, AppError> {
    if argument == "-" {
        read_text(Path::new("-"))
    } else {
        Ok(argument)
    }
}

/// The text of a message: the argument, or stdin for `-`. Empty input on stdin is an error.
pub(crate) fn message_text(argument: String) -> Result<String, AppError> {
    let is_stdin = argument == "-";
    let text = text_or_stdin(argument)?;
    if is_stdin && text.trim().is_empty() {
        return Err(AppError::Usage {
            what: "stdin is empty".to_owned(),
            hints: vec!["Pipe the text to stdin, or pass the text instead of `-`.".to_owned()],
        });
    }
    Ok(text)
}
