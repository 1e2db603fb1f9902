//! The files of pinned skills, stored by content hash, and the skills' compiled form.

use bugle_core::id::ContentHash;

use crate::chain::compiled_hash;
use crate::multi_row::write_rows;
use crate::row::Value;
use crate::{Store, StoreError};

impl Store {
    /// Stores a skill's files under their content hashes.
    pub fn keep_blobs(&mut self, blobs: &[(ContentHash, Vec<u8>)]) -> Result<(), StoreError> {
        let rows: Vec<[Value; 2]> = blobs
            .iter()
            .map(|(hash, bytes)| [hash.as_str().into(), Value::Blob(bytes.clone())])
            .collect();
        self.connection
            .transaction(|db| write_rows(db, "blob", "hash, content", &rows, "ON CONFLICT DO NOTHING"))
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
        self.keep_compiled_parts(pin, &[(compiler, body)])
    }

    /// Stores the parts of a compiled form, each under its own number.
    pub fn keep_compiled_parts(
        &mut self,
        pin: &ContentHash,
        parts: &[(i64, &str)],
    ) -> Result<(), StoreError> {
        let rows: Vec<[Value; 4]> = parts
            .iter()
            .map(|(compiler, body)| {
                let hash = compiled_hash(pin.as_str(), *compiler, body);
                [
                    pin.as_str().into(),
                    (*compiler).into(),
                    (*body).into(),
                    hash.as_str().into(),
                ]
            })
            .collect();
        let columns = "pin, compiler, body, hash";
        write_rows(
            &mut self.connection,
            "compiled",
            columns,
            &rows,
            "ON CONFLICT DO NOTHING",
        )
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
