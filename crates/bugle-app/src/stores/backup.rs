//! Backups and exports of the store.

use std::fs;
use std::path::Path;

use bugle_core::reply::{BackupView, StoreCheck};
use bugle_store::{Durability, Store};

use crate::{App, AppError, verify};

/// Writes a verified snapshot of the store to a new file; other processes can keep writing. The backup is a `SQLite`
/// file, even if the store is on Postgres.
pub fn back_up(app: &mut App, file: &Path, report: &mut dyn FnMut(&str)) -> Result<BackupView, AppError> {
    let file = app.context.directory.join(file);
    if fs::symlink_metadata(&file).is_ok() {
        return Err(AppError::Usage {
            what: format!("{} already exists", file.display()),
            hints: vec!["Nothing was changed. Choose a new file for the backup.".to_owned()],
        });
    }
    // The name contains this process's id, so that concurrent backups do not overwrite each other.
    let mut part = file.clone().into_os_string();
    part.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let done = write_verified(app, part, report).and_then(|check| {
        Store::settle_backup(part, &file)?;
        Ok(BackupView {
            file: file.display().to_string(),
            runs: check.runs,
            tasks: check.tasks,
        })
    });
    if done.is_err() {
        // The copy is incomplete or failed verification. If the file cannot be removed, its name still marks it as
        // partial.
        let _ = fs::remove_file(part);
    }
    done
}

/// Writes the backup to a temporary file and verifies it.
fn write_verified(app: &mut App, part: &Path, report: &mut dyn FnMut(&str)) -> Result<StoreCheck, AppError> {
    app.store.back_up_to(part, report)?;
    report("Verifying the backup ...");
    let check = verify::verify(&mut Store::open(part, Durability::Full)?)?;
    match check.faults.first() {
        None => Ok(check),
        Some(first) => Err(AppError::Failed {
            what: format!("the backup failed verification; first error: {first}"),
            hints: vec![format!(
                "No backup was kept. To list all errors in the store, run: {}",
                app.context.command(&["store", "verify"])
            )],
        }),
    }
}

/// Passes the whole store to `write`, one JSON object per line.
pub fn export(app: &mut App, write: impl FnMut(&str) -> Result<(), AppError>) -> Result<(), AppError> {
    app.store.export(write)
}
