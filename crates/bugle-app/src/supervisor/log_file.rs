//! The log file of an agent's client. The file is rotated to bound its size.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bugle_core::message::AgentAddress;
use bugle_store::ProjectId;

use crate::{AppError, Context, fs_util};

/// The size at which the log is rotated. Rotation replaces the previously rotated file and begins a new log.
const LONGEST: u64 = 32 * 1024 * 1024;
/// Maximum number of bytes to read from the end of each file. A single line can make a file larger than [`LONGEST`].
const MAX_READ: u64 = LONGEST;

/// A log that is open for writing.
#[derive(Debug)]
pub struct AgentLog {
    path: PathBuf,
    file: File,
    length: u64,
    longest: u64,
}

impl AgentLog {
    /// Opens a log for appending.
    pub fn open(path: &Path) -> Result<Self, AppError> {
        Self::bounded(path, LONGEST).map_err(|source| AppError::File {
            what: "cannot write",
            path: path.to_owned(),
            source,
        })
    }

    fn bounded(path: &Path, longest: u64) -> io::Result<Self> {
        let file = fs_util::private_options().create(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            length,
            longest,
        })
    }

    /// Appends a line. Drops the line if the write fails: a full disk must not stop an agent.
    pub fn keep(&mut self, line: &str) {
        let line = format!("{line}\n");
        let added = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.length > 0
            && self.length.saturating_add(added) > self.longest
            && fs::rename(&self.path, older(&self.path)).is_ok()
            && let Ok(log) = Self::bounded(&self.path, self.longest)
        {
            *self = log;
        }
        if self.file.write_all(line.as_bytes()).is_ok() {
            self.length = self.length.saturating_add(added);
        }
    }
}

/// The path of the rotated file.
fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

/// Reads a log, including the rotated file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = read_end(&older(path))?;
    bytes.extend(read_end(path)?);
    Ok(bytes)
}

fn read_end(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_READ)))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The path of an agent's log. It contains the project and the branch, because names are unique only within a branch.
pub(super) fn log_path(ctx: &Context, project: &ProjectId, agent: &AgentAddress) -> PathBuf {
    let branch = agent.branch().replace('%', "%25").replace('/', "%2F");
    ctx.bugle_home
        .join("logs")
        .join(&project.0)
        .join(branch)
        .join(format!("{}.jsonl", agent.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_uses_at_most_two_files_and_keeps_its_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("star.jsonl");
        for _turn in 0..3 {
            let mut log = AgentLog::bounded(&path, 100).unwrap();
            for number in 0..50 {
                log.keep(&format!("line {number}"));
            }
            log.keep(&"x".repeat(500));
            log.keep("the last line");
        }
        let names = fs::read_dir(folder.path()).unwrap();
        let mut lengths: Vec<u64> = names
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [14, 501]);
        let text = String::from_utf8(read(&path).unwrap()).unwrap();
        assert!(text.ends_with("xx\nthe last line\n"), "{text}");
    }

    #[test]
    fn a_missing_log_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&folder.path().join("star.jsonl")).unwrap(), b"");
        assert!(read(folder.path()).is_err());
    }
}
