//! The files of pinned skills, stored by content hash, and the skills' compiled form.

use bugle_core::id::ContentHash;

use crate::chain::compiled_hash;
use crate::row::Value;
use crate::{Store, StoreError};

impl Store {
    /// Stores a skill's files under their content hashes.
    pub fn keep_blobs(&mut self, blobs: &[(ContentHash, Vec<u8>)]) -> Result<(), StoreError> {
        self.connection.transaction(|db| {
            for (hash, bytes) in blobs {
                db.execute(
                    "INSERT INTO blob (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    &[hash.as_str().into(), Value::Blob(bytes.clone())],
                )?;
            }
            Ok(())
        })
    }

    /// The blob with this hash.
    pub fn blob(&mut self, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let source = self.connection.engine().blob_by_hash();
        let statement = format!("SELECT content FROM {source}");
        let rows = self.connection.query(&statement, &[hash.as_str().into()])?;
        rows.first().map(|row| row.bytes("content")).transpose()
    }

    /// The hashes of all blobs.
    pub fn blobs(&mut self) -> Result<Vec<ContentHash>, StoreError> {
        let rows = self
            .connection
            .query("SELECT hash FROM blob ORDER BY hash", &[])?;
        rows.iter()
            .map(|row| row.text("hash").map(ContentHash::from_stored))
            .collect()
    }

    /// Stores the compiled form of a pinned skill.
    pub fn keep_compiled(&mut self, pin: &ContentHash, compiler: i64, body: &str) -> Result<(), StoreError> {
        self.connection
            .execute(
                "INSERT INTO compiled (pin, compiler, body, hash) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                &[
                    pin.as_str().into(),
                    compiler.into(),
                    body.into(),
                    compiled_hash(pin.as_str(), compiler, body).as_str().into(),
                ],
            )
            .map(|_| ())
    }

    /// The compiled form of a pinned skill.
    pub fn compiled(&mut self, pin: &ContentHash, compiler: i64) -> Result<Option<String>, StoreError> {
        let source = self.connection.engine().compiled_by_hash();
        let statement = format!("SELECT body, hash FROM {source}");
        let rows = self
            .connection
            .query(&statement, &[pin.as_str().into(), compiler.into()])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let body = row.text("body")?;
        if compiled_hash(pin.as_str(), compiler, &body) != row.text("hash")? {
            return Err(StoreError::Edited(format!(
                "the compiled form of the pinned skill {}",
                pin.short()
            )));
        }
        Ok(Some(body))
    }
}
