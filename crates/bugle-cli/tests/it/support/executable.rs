//! Writes programs that a test then runs.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file. Another process writes it: while this process has the file open for writing, a test in
/// another thread can start a process that inherits the open file, and the system then refuses to run it.
pub(crate) fn write_executable(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut install = Command::new("install")
        .args(["-m", "755", "/dev/stdin"])
        .arg(file)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    install.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(install.wait().unwrap().success(), "{}", file.display());
}
