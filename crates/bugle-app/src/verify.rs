//! Checks the store in one snapshot: verifies hash chains, compares rows with the replayed runs and tasks, verifies
//! blob hashes, and compares compiled skills with their pinned files.

mod run_check;
mod task_check;

use bugle_core::reply::StoreCheck;
use bugle_store::Store;

use crate::AppError;
use crate::files::content_hash;
use crate::pinning::COMPILER;

/// Checks the store without changing it. Ignores concurrent writes.
pub fn verify(store: &mut Store) -> Result<StoreCheck, AppError> {
    store.begin_snapshot()?;
    let checked = verify_snapshot(store);
    store.end_snapshot()?;
    checked
}

fn verify_snapshot(store: &mut Store) -> Result<StoreCheck, AppError> {
    let mut check = StoreCheck {
        file: store.name(),
        schema: store.schema()?,
        runs: 0,
        events: 0,
        tasks: 0,
        task_events: 0,
        blobs: 0,
        only_own_projects: store.is_limited_to_projects()?,
        faults: store.integrity()?,
    };
    run_check::verify_runs(store, &mut check)?;
    task_check::verify_tasks(store, &mut check)?;
    check.faults.extend(store.message_faults()?);
    check.faults.extend(store.trust_faults()?);
    for pin in store.compiled_pins(COMPILER)? {
        let fault = match crate::pinning::load(store, &pin) {
            Err(error) => Some(error.to_string()),
            Ok(compiled) => match crate::pinning::is_as_pinned(store, &pin, &compiled) {
                Ok(true) => None,
                Ok(false) => Some(format!(
                    "pinned skill {}: the compiled form does not match the files",
                    pin.short()
                )),
                Err(error) => Some(error.to_string()),
            },
        };
        check.faults.extend(fault);
    }
    for hash in store.blobs()? {
        check.blobs += 1;
        let bytes = store.blob(&hash)?.unwrap_or_default();
        if content_hash(&bytes) != hash {
            check
                .faults
                .push(format!("blob {}: the bytes do not match the hash", hash.short()));
        }
    }
    Ok(check)
}
