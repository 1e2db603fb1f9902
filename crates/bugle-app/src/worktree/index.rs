//! Parses `git ls-files -t -s -o -z --debug`: index entries with their stat data, and untracked files.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// A path, with its index entry if it is tracked.
pub(super) struct Listed<'a> {
    pub path: &'a [u8],
    pub entry: Option<Entry>,
}

/// An index entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub mode: u32,
    /// The hash of the file's content.
    pub blob: String,
    stage: u8,
    stat: Option<Stat>,
}

/// A file's stat data from when git last read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

/// Parses the output of `git ls-files`. A malformed line becomes an entry without stat data.
pub(super) fn entries(output: &[u8]) -> impl Iterator<Item = Listed<'_>> {
    let mut rest = output;
    std::iter::from_fn(move || {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let line = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(path) = line.strip_prefix(b"? ") {
            return Some(Listed { path, entry: None });
        }
        let (about, path) = match line.iter().position(|byte| *byte == b'\t') {
            Some(tab) => (&line[..tab], &line[tab + 1..]),
            None => (line, line),
        };
        let mut stat_lines = Vec::new();
        while rest.starts_with(b"  ") {
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len() - 1);
            stat_lines.push(String::from_utf8_lossy(&rest[..end]).into_owned());
            rest = &rest[end + 1..];
        }
        let about = String::from_utf8_lossy(about).into_owned();
        let mut fields = about.split(' ').skip(1);
        let mode = fields.next().and_then(|mode| u32::from_str_radix(mode, 8).ok());
        let entry = Entry {
            mode: mode.unwrap_or(0),
            blob: fields.next().unwrap_or_default().to_owned(),
            stage: fields.next().and_then(|stage| stage.parse().ok()).unwrap_or(0),
            stat: Stat::parse(&stat_lines),
        };
        Some(Listed {
            path,
            entry: Some(entry),
        })
    })
}

impl Stat {
    fn parse(lines: &[String]) -> Option<Self> {
        let value = |name: &str| {
            lines
                .iter()
                .flat_map(|line| line.split('\t'))
                .find_map(|field| field.trim().strip_prefix(name)?.strip_prefix(": "))
        };
        let time = |name: &str| {
            let (seconds, rest) = value(name)?.split_once(':')?;
            Some((seconds.parse().ok()?, rest.parse().ok()?))
        };
        Some(Self {
            changed: time("ctime")?,
            modified: time("mtime")?,
            inode: value("ino")?.parse().ok()?,
            size: value("size")?.parse().ok()?,
        })
    }

    /// Whether the file still has this stat data.
    #[cfg(unix)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "git keeps the lower 32 bits"
    )]
    fn matches(self, now: &Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let now = Self {
            changed: (now.ctime() as u32, now.ctime_nsec() as u32),
            modified: (now.mtime() as u32, now.mtime_nsec() as u32),
            inode: now.ino() as u32,
            size: now.size() as u32,
        };
        self == now
    }

    #[cfg(not(unix))]
    fn matches(self, _: &Metadata) -> bool {
        false
    }
}

impl Entry {
    /// Whether the stat data proves that the file is unchanged. The data must be the same as when git read the file.
    /// The timestamps must also be older than the index, because a write shortly after git's read may leave them
    /// unchanged.
    pub(super) fn is_unchanged(&self, now: &Metadata, index: Option<&Metadata>) -> bool {
        let Some(stat) = self.stat.filter(|stat| stat.matches(now)) else {
            return false;
        };
        let written = index
            .and_then(|index| index.modified().ok())
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let is_older = written.is_some_and(|written| {
            let written = (written.as_secs(), written.subsec_nanos());
            let before = |(seconds, rest): (u32, u32)| (u64::from(seconds), rest) < written;
            before(stat.modified) && before(stat.changed)
        });
        let has_same_kind = match self.mode {
            0o120_000 => now.is_symlink(),
            _ => now.is_file() && self.is_executable() == is_executable(now),
        };
        self.is_merged() && is_older && has_same_kind
    }

    /// Whether the path has no merge conflict.
    pub(super) fn is_merged(&self) -> bool {
        self.stage == 0
    }

    pub(super) fn is_executable(&self) -> bool {
        self.mode == 0o100_755
    }
}

#[cfg(unix)]
pub(super) fn is_executable(now: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    now.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
pub(super) fn is_executable(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_untracked_files_are_parsed() {
        let output = b"? a b\0H 100644 5626abf 0\tx\ty\0  ctime: 5:6\n  mtime: 7:8\n  dev: 1\tino: 9\n  uid: 0\tgid: 0\n  size: 4\tflags: 0\n? z\0M 100755 00ff 2\tm\0";
        let found: Vec<(Vec<u8>, Option<Entry>)> = entries(output)
            .map(|listed| (listed.path.to_vec(), listed.entry))
            .collect();
        let paths: Vec<&[u8]> = found.iter().map(|(path, _)| path.as_slice()).collect();
        assert_eq!(paths, [b"a b".as_slice(), b"x\ty", b"z", b"m"]);
        let stat = found[1].1.as_ref().unwrap().stat.unwrap();
        assert_eq!((stat.changed, stat.modified), ((5, 6), (7, 8)));
        assert_eq!((stat.inode, stat.size), (9, 4));
        let unmerged = found[3].1.as_ref().unwrap();
        assert!(unmerged.is_executable() && !unmerged.is_merged() && unmerged.stat.is_none());
    }
}
