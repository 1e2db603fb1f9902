//! Hearing of it when files are written, without looking again and again: the system says so.

use std::path::Path;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::AppError;

/// Says whenever a file of a folder is written, for as long as it is kept.
#[derive(Debug)]
pub struct Writes {
    _watcher: notify::RecommendedWatcher,
}

impl Writes {
    /// Calls `tell` whenever a file whose name begins so is written.
    pub fn of(folder: &Path, begins: &str, tell: impl Fn() + Send + 'static) -> Result<Self, AppError> {
        let cannot = |error: notify::Error| {
            AppError::System(format!("{} cannot be watched: {error}", folder.display()))
        };
        let begins = begins.to_owned();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let matters = event.is_ok_and(|event| {
                // Whoever reads a file changes nothing; whoever closes one may have written it.
                let closed = AccessKind::Close(AccessMode::Write);
                let is_read = matches!(&event.kind, EventKind::Access(access) if *access != closed);
                !is_read
                    && event.paths.iter().any(|path| {
                        let name = path.file_name().unwrap_or_default();
                        name.to_string_lossy().starts_with(&begins)
                    })
            });
            if matters {
                tell();
            }
        })
        .map_err(cannot)?;
        watcher
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(cannot)?;
        Ok(Self { _watcher: watcher })
    }
}
