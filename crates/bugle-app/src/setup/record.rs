//! Records how setup changed files, so that setup can restore them byte for byte. If the record is lost or a file has
//! changed, Bugle recognises its entries by their commands.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bugle_client::Client;
use bugle_client::setup::{Splice, undo};
use bugle_core::id::ContentHash;
use serde::{Deserialize, Serialize};

use super::disk;
use crate::files::content_hash;
use crate::{AppError, Context};

/// All changes that setup made, in all projects.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    files: BTreeMap<PathBuf, FileRecord>,
    /// Folders that setup created.
    #[serde(default)]
    folders: BTreeSet<PathBuf>,
}

/// A change that setup made to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FileRecord {
    /// The clients that use this file. Several clients can read the same skills. Empty if every client was removed and
    /// the file was kept because the user had edited it.
    clients: BTreeSet<String>,
    /// Whether setup created the file.
    created: bool,
    /// The hash of the file's bytes after the edit.
    after: Option<String>,
    /// The edit; `None` if the text already contained Bugle's entries.
    splices: Option<Vec<Splice>>,
}

impl FileRecord {
    /// Merges the record of the same file under another path.
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
    /// Reads the record; empty if the record cannot be read.
    pub(super) fn read(ctx: &Context) -> Self {
        let record: Self = std::fs::read(file(ctx))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let mut files: BTreeMap<PathBuf, FileRecord> = BTreeMap::new();
        for (path, known) in record.files {
            // Earlier versions recorded a link and its target as two files.
            match files.entry(real(&path)) {
                Entry::Vacant(ctx) => {
                    ctx.insert(known);
                }
                Entry::Occupied(mut ctx) => ctx.get_mut().join(known),
            }
        }
        Self { files, ..record }
    }

    /// Writes the record if it has changed.
    pub(super) fn write(&self, ctx: &Context) -> Result<(), AppError> {
        if *self == Self::read(ctx) {
            return Ok(());
        }
        crate::fs_util::create_private_dir(&ctx.bugle_home)?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| AppError::System(error.to_string()))?;
        disk::write(&file(ctx), &text, None, disk::Readers::Owner)
    }

    /// Whether setup wrote anything below a folder.
    pub(super) fn is_below(&self, folder: &Path) -> bool {
        let folder = real(folder);
        self.files
            .iter()
            .any(|(file, known)| !known.clients.is_empty() && file.starts_with(&folder))
    }

    /// The text before setup, if the file is unchanged since setup.
    pub(super) fn before(&self, path: &Path, text: &str) -> Option<String> {
        let known = self.files.get(&real(path))?;
        if !self.is_untouched(path, text) {
            return None;
        }
        undo(text, known.splices.as_ref()?)
    }

    /// Whether a file is unchanged since setup.
    pub(super) fn is_untouched(&self, path: &Path, text: &str) -> bool {
        self.files
            .get(&real(path))
            .is_some_and(|known| known.after.as_deref() == Some(hash(text).as_str()))
    }

    /// Whether the record contains a file.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.files.contains_key(&real(path))
    }

    /// Whether setup created the file.
    pub(super) fn created(&self, path: &Path) -> bool {
        self.files.get(&real(path)).is_some_and(|known| known.created)
    }

    /// Records a file's current state. Without splices, keeps the recorded edit if it still matches.
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

    /// Whether a client uses the file.
    pub(super) fn is_used_by(&self, path: &Path, client: Client) -> bool {
        self.files
            .get(&real(path))
            .is_some_and(|known| known.clients.contains(client.as_str()))
    }

    /// Whether another client uses the file.
    pub(super) fn is_shared(&self, path: &Path, client: Client) -> bool {
        self.files
            .get(&real(path))
            .is_some_and(|known| known.clients.iter().any(|other| other != client.as_str()))
    }

    /// Removes a client from the record of an edited file. Keeps the record, so that later commands do not treat the
    /// file as setup's own.
    pub(super) fn leave_to_user(&mut self, path: &Path, client: Client) {
        if let Some(known) = self.files.get_mut(&real(path)) {
            known.clients.remove(client.as_str());
        }
    }

    /// Removes a client from a file's record, and removes the record with its last client.
    pub(super) fn forget(&mut self, path: &Path, client: Client) {
        let path = real(path);
        if let Some(known) = self.files.get_mut(&path)
            && known.clients.remove(client.as_str())
            && known.clients.is_empty()
        {
            self.files.remove(&path);
        }
    }

    /// Records created folders.
    pub(super) fn note_folders(&mut self, made: Vec<PathBuf>) {
        self.folders.extend(made);
    }

    /// Removes the empty parent folders of a deleted file that setup created, and their records.
    pub(super) fn remove_folders(&mut self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            if !self.folders.contains(folder) {
                return;
            }
            // Keep a folder that is not empty.
            if std::fs::remove_dir(folder).is_err() {
                return;
            }
            self.folders.remove(folder);
        }
    }
}

/// A file's path with links resolved.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}

fn file(ctx: &Context) -> PathBuf {
    ctx.bugle_home.join("setup.json")
}

fn hash(text: &str) -> ContentHash {
    content_hash(text.as_bytes())
}
