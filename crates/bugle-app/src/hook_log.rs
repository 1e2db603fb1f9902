//! The log of hook errors, which clients do not show.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::Clock;

/// The size at which the log is rotated.
const MAX_LOG_BYTES: u64 = 256 * 1024;

/// The log file.
pub(crate) fn log_file(bugle_home: &Path) -> PathBuf {
    bugle_home.join("hook.log")
}

/// Logs a hook error. If the log cannot be written, the error is dropped.
pub fn log_hook_error(clock: Clock, bugle_home: &Path, event: &str, error: &str) {
    let file = log_file(bugle_home);
    if !bugle_home.is_dir() {
        return;
    }
    if fs::metadata(&file).is_ok_and(|found| found.len() > MAX_LOG_BYTES) {
        fs::rename(&file, bugle_home.join("hook.log.1")).ok();
    }
    let line: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Ok(mut log) = crate::fs_util::private_options()
        .create(true)
        .append(true)
        .open(&file)
    {
        writeln!(log, "{} {event}: {line}", clock.now().0).ok();
    }
}
