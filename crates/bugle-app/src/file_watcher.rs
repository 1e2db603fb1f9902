//! Watches a folder for written files.

use std::path::Path;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::AppError;

/// Watches the files in a folder until dropped.
#[derive(Debug)]
pub struct FileWatcher {
    _watcher: notify::RecommendedWatcher,
}

impl FileWatcher {
    /// Calls `on_write` when a file whose name has this prefix is written.
    pub fn of(folder: &Path, prefix: &str, on_write: impl Fn() + Send + 'static) -> Result<Self, AppError> {
        let cannot =
            |error: notify::Error| AppError::System(format!("cannot watch {}: {error}", folder.display()));
        let prefix = prefix.to_owned();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let matters = event.is_ok_and(|event| {
                // Ignore events for reading, but not the close of a file that was open for writing.
                let closed = AccessKind::Close(AccessMode::Write);
                let is_read = matches!(&event.kind, EventKind::Access(access) if *access != closed);
                !is_read
                    && event.paths.iter().any(|path| {
                        let name = path.file_name().unwrap_or_default();
                        name.to_string_lossy().starts_with(&prefix)
                    })
            });
            if matters {
                on_write();
            }
        })
        .map_err(cannot)?;
        watcher
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(cannot)?;
        Ok(Self { _watcher: watcher })
    }
}
