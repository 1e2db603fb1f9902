//! Checking the store against itself: every run and task is replayed, every projection compared, every blob
//! hashed.

mod tasks;

use bugle_core::engine::RunState;
use bugle_store::{RunFilter, Scope, Store as _};
use bugle_wire::StoreCheck;

use crate::files::content_hash;
use crate::{App, AppError};

impl App {
    /// Checks the store; reads everything and changes nothing.
    pub fn verify(&mut self) -> Result<StoreCheck, AppError> {
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
        let filter = RunFilter {
            scope: Scope::All,
            open_only: false,
            limit: u32::MAX,
        };
        for row in self.store.runs(&filter)? {
            check.runs += 1;
            let stored = match self.store.load(&row.id) {
                Ok(Some(stored)) => stored,
                Ok(None) => continue,
                Err(error) => {
                    check.faults.push(error.to_string());
                    continue;
                }
            };
            check.events += stored.events.len() as u64;
            match RunState::replay(&row.id, &stored.events) {
                Err(error) => check.faults.push(error.to_string()),
                Ok(state) => {
                    let kept = &stored.row;
                    let current = state.current();
                    let facts = [
                        ("skill", kept.skill == state.skill.as_str()),
                        ("pinned version", kept.pin == state.pin),
                        ("status", kept.status == state.status),
                        (
                            "step",
                            kept.step.as_deref() == current.map(|visit| visit.step.as_str()),
                        ),
                        ("visit", kept.visit == current.map(|visit| visit.number)),
                        ("version", kept.version == state.version),
                        ("start", kept.started_at == state.started_at),
                        ("last change", kept.changed_at == state.changed_at),
                    ];
                    for (what, same) in facts {
                        if !same {
                            check.faults.push(format!(
                                "run {}: its row has another {what} than its events say",
                                row.id
                            ));
                        }
                    }
                    if let Err(error) = crate::pin::load(&mut self.store, &state.pin) {
                        check.faults.push(format!("run {}: {error}", row.id));
                    }
                }
            }
        }
        self.verify_tasks(&mut check)?;
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
