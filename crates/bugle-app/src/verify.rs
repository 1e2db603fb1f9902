//! Checking the store against itself, in one snapshot: every chain, every run and task replayed and decided again, every
//! row compared with what its events say, every blob hashed, every compiled form compared with its pin.

mod runs;
mod tasks;

use bugle_store::{AuditStore as _, Store as _, TaskStore as _};
use bugle_wire::StoreCheck;

use crate::files::content_hash;
use crate::pin::COMPILER;
use crate::{App, AppError};

impl App {
    /// Checks the store; reads everything and changes nothing. What others write meanwhile is not seen.
    pub fn verify(&mut self) -> Result<StoreCheck, AppError> {
        self.store.hold_still()?;
        let checked = self.verify_snapshot();
        self.store.let_go()?;
        checked
    }

    fn verify_snapshot(&mut self) -> Result<StoreCheck, AppError> {
        let mut check = StoreCheck {
            file: self.place.database().display().to_string(),
            schema: self.store.schema()?,
            runs: 0,
            events: 0,
            tasks: 0,
            task_events: 0,
            blobs: 0,
            faults: self.store.integrity()?,
        };
        self.verify_runs(&mut check)?;
        self.verify_tasks(&mut check)?;
        check.faults.extend(self.store.message_faults()?);
        check.faults.extend(self.store.trust_faults()?);
        for pin in self.store.compiled_pins(COMPILER)? {
            let fault = match crate::pin::load(&mut self.store, &pin) {
                Err(error) => Some(error.to_string()),
                Ok(compiled) => match crate::pin::is_as_pinned(&mut self.store, &pin, &compiled) {
                    Ok(true) => None,
                    Ok(false) => Some(format!(
                        "the compiled form of the pinned skill {} is not what its files say",
                        pin.short()
                    )),
                    Err(error) => Some(error.to_string()),
                },
            };
            check.faults.extend(fault);
        }
        for hash in self.store.blobs()? {
            check.blobs += 1;
            let bytes = self.store.blob(&hash)?.unwrap_or_default();
            if content_hash(&bytes) != hash {
                check
                    .faults
                    .push(format!("the blob {} is not what its hash says", hash.short()));
            }
        }
        Ok(check)
    }
}
