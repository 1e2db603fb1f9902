//! Opening a file in the user's browser. What differs by system is here.

use std::path::Path;
use std::process::{Command, Stdio};

/// The program that opens what it is given as the user has set that up.
#[cfg(target_os = "macos")]
const OPENER: (&str, &[&str]) = ("open", &[]);
#[cfg(windows)]
const OPENER: (&str, &[&str]) = ("rundll32", &["url.dll,FileProtocolHandler"]);
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: (&str, &[&str]) = ("xdg-open", &[]);

/// Whether a browser was asked to open a file. Nobody waits for it.
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
