//! Trust in pinned skills: the list of it, and revoking it.

use bugle_core::id::{Actor, ContentHash, Timestamp};

use crate::StoreError;
use crate::chaining::link_trust;
use crate::sql::{Sql, transaction};
use crate::store::SqlStore;

/// A pinned skill whose commands may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRow {
    /// Its exact bytes.
    pub pin: ContentHash,
    /// Its name.
    pub skill: String,
    /// Who trusts it; the program itself for skills that the user installed or that are built in.
    pub by: Actor,
    /// Since when.
    pub at: Timestamp,
}

/// What Bugle needs of a store to show and revoke trust.
pub trait TrustStore {
    /// All pinned skills whose commands may be run, by name, the latest first.
    fn trusted(&mut self) -> Result<Vec<TrustRow>, StoreError>;
    /// Revokes the trust in a pinned skill, and records who did. False if there was none.
    fn revoke_trust(
        &mut self,
        pin: &ContentHash,
        skill: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}

impl<S: Sql> TrustStore for SqlStore<S> {
    fn trusted(&mut self) -> Result<Vec<TrustRow>, StoreError> {
        let rows = self.sql.query(
            "SELECT pin, skill, given_by, given_at FROM trust ORDER BY skill, given_at DESC, pin",
            &[],
        )?;
        rows.iter()
            .map(|row| {
                let by = serde_json::from_str(&row.text(2)?)
                    .map_err(|error| StoreError::Unreadable(error.to_string()))?;
                Ok(TrustRow {
                    pin: ContentHash::from_stored(row.text(0)?),
                    skill: row.text(1)?,
                    by,
                    at: Timestamp(row.int(3)?),
                })
            })
            .collect()
    }

    fn revoke_trust(
        &mut self,
        pin: &ContentHash,
        skill: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let by = serde_json::to_string(by).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        transaction(&mut self.sql, |sql| {
            let gone = sql.execute("DELETE FROM trust WHERE pin = $1", &[pin.as_str().into()])?;
            if gone > 0 {
                link_trust(sql, pin.as_str(), skill, (now.0, &by), false)?;
            }
            Ok(gone > 0)
        })
    }
}
