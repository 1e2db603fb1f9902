//! The schema of the store, and its upgrades.

mod chains;
mod migrations;

pub(crate) use chains::{link_trust, stored_event};
pub(crate) use migrations::MIGRATIONS;

use crate::StoreError;
use crate::connection::Connection;
use crate::write_scope::WriteScope;

/// The schema version of a store, if it is older than this program's; 0 for an empty file.
pub(crate) fn pending(db: &mut Connection, migrations: &[&str]) -> Result<Option<i64>, StoreError> {
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let found = db.engine().schema_version()?;
    if found > known {
        return Err(StoreError::Newer {
            database: db.engine().name(),
            found,
            known,
        });
    }
    Ok((found < known).then_some(found))
}

/// Upgrades the schema in one transaction. The backup of an older store is made inside it, so that it holds exactly
/// what is migrated.
pub(crate) fn migrate(
    db: &mut Connection,
    migrations: &[&str],
    report: &mut dyn FnMut(&str),
) -> Result<(), StoreError> {
    db.transaction_in(WriteScope::Store, |db| {
        // Another process may have upgraded it first.
        let Some(found) = pending(db, migrations)? else {
            return Ok(());
        };
        if found > 0 {
            // Tables of another program are left alone.
            if db.query("SELECT id, place FROM project LIMIT 1", &[]).is_err() {
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
        }
        db.engine()
            .set_schema_version(i64::try_from(migrations.len()).unwrap_or(i64::MAX))
    })
}
