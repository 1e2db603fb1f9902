//! What setup did to files, kept beside the store, so that it can be taken back to the last byte. Where the record is
//! lost or a file has changed since, Bugle's entries are still known by what they run; only what a file looked like
//! around them is then a guess.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bugle_core::id::ContentHash;
use bugle_wire::setup::{Client, Splice, undo};
use serde::{Deserialize, Serialize};

use super::disk;
use crate::files::content_hash;
use crate::{AppError, Place};

/// Everything that is remembered, for all projects.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    files: BTreeMap<PathBuf, FileRecord>,
    /// Folders that setup made.
    #[serde(default)]
    folders: BTreeSet<PathBuf>,
}

/// What is remembered of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FileRecord {
    /// The clients that were set up with it; several read the same skills.
    clients: BTreeSet<String>,
    /// Whether setup made it.
    created: bool,
    /// The hash of its bytes after the edit.
    after: Option<String>,
    /// The edit; none if what was there before held entries of Bugle's already.
    splices: Option<Vec<Splice>>,
}

impl FileRecord {
    /// Adds what is remembered of the same file under another name.
    fn join(&mut self, other: Self) {
        self.clients.extend(other.clients);
        self.created |= other.created;
        if self.splices.is_none() {
            self.splices = other.splices;
            self.after = other.after;
        }
    }
}

impl Record {
    /// Reads what is remembered. What cannot be read is as good as nothing.
    pub(super) fn read(place: &Place) -> Self {
        let record: Self = std::fs::read(file(place))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let mut files: BTreeMap<PathBuf, FileRecord> = BTreeMap::new();
        for (path, known) in record.files {
            // Earlier versions remembered a link and the file that it leads to as two files.
            match files.entry(real(&path)) {
                Entry::Vacant(place) => {
                    place.insert(known);
                }
                Entry::Occupied(mut place) => place.get_mut().join(known),
            }
        }
        Self { files, ..record }
    }

    /// Keeps it, if it says something new.
    pub(super) fn write(&self, place: &Place) -> Result<(), AppError> {
        if *self == Self::read(place) {
            return Ok(());
        }
        crate::folder::make_private(&place.bugle_home)?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| AppError::System(error.to_string()))?;
        disk::write(&file(place), &text, None, disk::Readers::Owner)
    }

    /// Whether something was written below a folder.
    pub(super) fn is_below(&self, folder: &Path) -> bool {
        let folder = real(folder);
        self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// The text as it was before setup, if it is as setup left it.
    pub(super) fn before(&self, path: &Path, text: &str) -> Option<String> {
        let known = self.files.get(&real(path))?;
        if !self.is_untouched(path, text) {
            return None;
        }
        undo(text, known.splices.as_ref()?)
    }

    /// Whether a file is as setup left it.
    pub(super) fn is_untouched(&self, path: &Path, text: &str) -> bool {
        self.files
            .get(&real(path))
            .is_some_and(|known| known.after.as_deref() == Some(hash(text).as_str()))
    }

    /// Whether anything is known of a file.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.files.contains_key(&real(path))
    }

    /// Whether setup made the file.
    pub(super) fn made(&self, path: &Path) -> bool {
        self.files.get(&real(path)).is_some_and(|known| known.created)
    }

    /// Remembers a file as it is now. Without splices, what was remembered of its edit is kept if it still holds.
    pub(super) fn note(
        &mut self,
        path: &Path,
        client: Client,
        created: bool,
        text: &str,
        splices: Option<&[Splice]>,
    ) {
        let known = self.files.entry(real(path)).or_default();
        known.clients.insert(client.as_str().to_owned());
        known.created = created;
        let after = hash(text).to_string();
        if splices.is_some() || known.after.as_ref() != Some(&after) {
            known.splices = splices.map(<[Splice]>::to_vec);
        }
        known.after = Some(after);
    }

    /// Whether another client was set up with the file.
    pub(super) fn is_shared(&self, path: &Path, client: Client) -> bool {
        self.files
            .get(&real(path))
            .is_some_and(|known| known.clients.iter().any(|other| other != client.as_str()))
    }

    /// Forgets that a client was set up with a file; nothing is left of it if that was the last.
    pub(super) fn forget(&mut self, path: &Path, client: Client) {
        let path = real(path);
        if let Some(known) = self.files.get_mut(&path) {
            known.clients.remove(client.as_str());
            if known.clients.is_empty() {
                self.files.remove(&path);
            }
        }
    }

    /// Remembers folders that were made.
    pub(super) fn note_folders(&mut self, made: Vec<PathBuf>) {
        self.folders.extend(made);
    }

    /// Removes the folders above a deleted file that setup made and that are empty, and forgets them.
    pub(super) fn remove_folders(&mut self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            if !self.folders.contains(folder) {
                return;
            }
            // A folder that is not empty is somebody's, and stays.
            if std::fs::remove_dir(folder).is_err() {
                return;
            }
            self.folders.remove(folder);
        }
    }
}

/// A file as it is known: several names may lead to it.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}

fn file(place: &Place) -> PathBuf {
    place.bugle_home.join("setup.json")
}

fn hash(text: &str) -> ContentHash {
    content_hash(text.as_bytes())
}
