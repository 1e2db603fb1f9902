//! Writes programs that a test then runs.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file. Uses a separate process, because a test in another thread could start a child that
/// inherits this process's open files. While any process has the file open for writing, the system refuses to execute
/// the file.
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
