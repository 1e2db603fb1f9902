//! Counts the entries that setup wrote, by kind.

use bugle_client::setup::{EntryName, Presence};
use bugle_core::doctor::{EntryKind, Seen};
use bugle_core::reply::FileState;

use crate::setup::Inspected;

/// Counts of the valid, wrong, edited and foreign entries of one kind.
pub(super) struct EntryGroup {
    kind: EntryKind,
    pub all: usize,
    right: usize,
    wrong: Vec<String>,
    edited: Vec<String>,
    foreign: usize,
    /// Whether any file contains an entry.
    pub any: bool,
}

impl EntryGroup {
    pub(super) fn new(kind: EntryKind) -> Self {
        Self {
            kind,
            all: 0,
            right: 0,
            wrong: Vec::new(),
            edited: Vec::new(),
            foreign: 0,
            any: false,
        }
    }

    /// Counts an entry.
    pub(super) fn entry(&mut self, name: EntryName, presence: Presence) {
        self.all += 1;
        self.any |= presence != Presence::Missing;
        match presence {
            Presence::Present => self.right += 1,
            Presence::Outdated => self.wrong.push(format!("{name} is outdated")),
            Presence::Missing => self.wrong.push(format!("{name} is missing")),
        }
    }

    /// Counts a file that consists of one entry.
    pub(super) fn file(&mut self, file: &Inspected) {
        self.all += 1;
        self.any |= !matches!(file.state, FileState::Missing | FileState::Foreign);
        let name = file.path.display();
        match file.state {
            FileState::Foreign => self.foreign += 1,
            FileState::Kept => self.edited.push(name.to_string()),
            state if state.is_in_order() => self.right += 1,
            state => self.wrong.push(format!("{name} is {}", state.as_str())),
        }
    }

    /// Adds a problem that does not come from an entry in a file.
    pub(super) fn problem(&mut self, sentence: &str) {
        self.wrong.push(sentence.trim_end_matches('.').to_owned());
    }

    pub(super) fn seen(self) -> Seen {
        Seen::Entries {
            kind: self.kind,
            right: self.right,
            wrong: self.wrong,
            edited: self.edited,
            foreign: self.foreign,
        }
    }
}
