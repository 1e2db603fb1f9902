//! Backups: a copy of the store in a `SQLite` file, for every engine.

use std::path::Path;

use crate::engine::Engine;
use crate::sqlite;
use crate::{MachineId, Store, StoreError};

impl Store {
    /// Writes a snapshot of the store to a new file. Other processes can keep writing.
    pub fn back_up_to(&mut self, part: &Path, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
        if let Engine::Sqlite(sqlite) = self.connection.engine() {
            report("Copying the database ...");
            return sqlite.back_up_to(part);
        }
        self.expect_slow_statements()?;
        let mut copy = Self::open_copy(part)?;
        copy.begin_copy()?;
        self.begin_snapshot()?;
        let copied = copy.copy_from(self, report);
        let ended = self.end_snapshot();
        copied?;
        ended?;
        copy.check_copy()?;
        copy.finish_copy(&self.machine, &MachineId::default())
    }

    /// Syncs a backup and gives it its final name.
    pub fn settle_backup(part: &Path, file: &Path) -> Result<(), StoreError> {
        sqlite::finish_backup(part, file)
    }
}
