//! Copies of the store for safekeeping.

use std::fs;
use std::path::Path;

use bugle_store::{Durability, Store};

use bugle_core::count::counted;

use crate::{App, AppError, verify};

/// Writes a verified backup into a new file: one consistent state, while other processes go on. The backup is a store
/// in a file, whichever engine the store is on. Returns a sentence for the user.
pub fn back_up(app: &mut App, file: &Path, report: &mut dyn FnMut(&str)) -> Result<String, AppError> {
    let file = app.context.directory.join(file);
    if fs::symlink_metadata(&file).is_ok() {
        return Err(AppError::Usage {
            what: format!("{} already exists", file.display()),
            hints: vec!["Nothing was changed. Choose a new file for the backup.".to_owned()],
        });
    }
    // The name is private to this process, so two backups at once do not meet.
    let mut part = file.clone().into_os_string();
    part.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let done = write_verified(app, part, report).and_then(|check| {
        Store::settle_backup(part, &file)?;
        Ok(format!(
            "Backed up {check} to {}. No faults found.",
            file.display()
        ))
    });
    if done.is_err() {
        // The copy is incomplete or faulty. If it cannot be removed, its name still says that it is partial.
        let _ = fs::remove_file(part);
    }
    done
}

/// Writes the backup under its temporary name; returns what it contains.
fn write_verified(app: &mut App, part: &Path, report: &mut dyn FnMut(&str)) -> Result<String, AppError> {
    app.store.back_up_to(part, report)?;
    report("Verifying the backup ...");
    let check = verify::verify(&mut Store::open(part, Durability::Full)?)?;
    match check.faults.first() {
        None => Ok(format!(
            "{} and {}",
            counted(check.runs, "run"),
            counted(check.tasks, "task")
        )),
        Some(first) => Err(AppError::Failed {
            what: format!("the backup has faults, the first: {first}"),
            hints: vec![format!(
                "No backup was kept. To see the faults of the store: {}",
                app.context.command(&["store", "verify"])
            )],
        }),
    }
}

/// Passes the whole store to `write`, one JSON object per line.
pub fn export(app: &mut App, write: impl FnMut(&str) -> Result<(), AppError>) -> Result<(), AppError> {
    app.store.export(write)
}
