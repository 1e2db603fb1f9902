//! Opens a file in the user's browser on any operating system.

use std::path::Path;
use std::process::{Command, Stdio};

/// The program that opens a file with the user's default application.
#[cfg(target_os = "macos")]
const OPENER: (&str, &[&str]) = ("open", &[]);
#[cfg(windows)]
const OPENER: (&str, &[&str]) = ("rundll32", &["url.dll,FileProtocolHandler"]);
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: (&str, &[&str]) = ("xdg-open", &[]);

/// Starts the program that opens a file, without waiting for the program. Returns whether the program started.
pub(crate) fn open(file: &Path) -> bool {
    let (program, words) = OPENER;
    Command::new(program)
        .args(words)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .is_ok()
}
