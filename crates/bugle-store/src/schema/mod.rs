//! The store's schema and its migrations.

mod chains;
mod failed_runs;
mod machines;
mod migrations;
mod people;

pub(crate) use chains::{link_trust, stored_event};
pub(crate) use migrations::MIGRATIONS;

use crate::StoreError;
use crate::connection::Connection;
use crate::write_scope::WriteScope;

/// The store's schema version if it is older than this program's; 0 for an empty file.
pub(crate) fn pending(db: &mut Connection, migrations: &[&str]) -> Result<Option<i64>, StoreError> {
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let found = db.engine().schema_version()?;
    if found < 0 {
        return Err(StoreError::Unfinished(db.engine().name()));
    }
    if found > known {
        return Err(StoreError::Newer {
            database: db.engine().name(),
            found,
            known,
        });
    }
    Ok((found < known).then_some(found))
}

/// Upgrades the schema in one transaction. The same transaction backs up an older store, so that the backup contains
/// exactly the data that is migrated.
pub(crate) fn migrate(
    db: &mut Connection,
    migrations: &[&str],
    report: &mut dyn FnMut(&str),
) -> Result<(), StoreError> {
    db.transaction_in(WriteScope::Store, |db| {
        // Another process may have upgraded the store first.
        let Some(found) = pending(db, migrations)? else {
            return Ok(());
        };
        if found > 0 {
            // Do not touch another program's tables.
            if db
                .query("SELECT id, created_at FROM project LIMIT 1", &[])
                .is_err()
            {
                return Err(StoreError::Corrupt(db.engine().name()));
            }
            db.engine().back_up(found, report)?;
            report("Upgrading the store ...");
        }
        for migration in migrations.iter().skip(usize::try_from(found).unwrap_or(0)) {
            let definition = db.engine().definition(migration);
            db.engine().batch(&definition)?;
            if *migration == chains::SCHEMA {
                chains::chain_everything(db, report)?;
            }
            if *migration == failed_runs::SCHEMA {
                failed_runs::mark_failed_runs(db)?;
            }
        }
        db.engine()
            .set_schema_version(i64::try_from(migrations.len()).unwrap_or(i64::MAX))
    })
}
