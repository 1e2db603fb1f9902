//! The log of what went wrong in hooks: nobody sees a hook fail, so it is written down.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A longer log is put aside.
const LONGEST: u64 = 256 * 1024;

/// Where faults of hooks are written down.
pub(crate) fn log_file(bugle_home: &Path) -> PathBuf {
    bugle_home.join("hook.log")
}

/// Writes down what went wrong. Where that cannot be done either, there is nobody left to tell.
pub fn log_fault(bugle_home: &Path, event: &str, fault: &str) {
    let file = log_file(bugle_home);
    if !bugle_home.is_dir() {
        return;
    }
    if fs::metadata(&file).is_ok_and(|found| found.len() > LONGEST) {
        fs::rename(&file, bugle_home.join("hook.log.1")).ok();
    }
    let line: String = fault.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Ok(mut log) = crate::folder::private_options()
        .create(true)
        .append(true)
        .open(&file)
    {
        writeln!(log, "{} {event}: {line}", crate::now().0).ok();
    }
}
