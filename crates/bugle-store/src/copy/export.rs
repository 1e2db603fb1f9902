//! Writes the whole store as text: one JSON object per row, ordered by table and key, so that two exports can be
//! compared with `diff`. Both engines export a store as the same bytes.

use serde_json::{Map, Value as Json, json};

use super::table::{Cursor, Table};
use crate::row::Value;
use crate::{Store, StoreError};

/// The version of the format.
const FORMAT: i64 = 1;

impl Store {
    /// Passes the store's rows to `write`, one line at a time, from one snapshot.
    pub fn export<E: From<StoreError>>(
        &mut self,
        mut write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.begin_snapshot()?;
        let done = self.export_snapshot(&mut write);
        let ended = self.end_snapshot();
        done?;
        Ok(ended?)
    }

    fn export_snapshot<E: From<StoreError>>(
        &mut self,
        write: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let schema = self.schema()?;
        write(&line(&json!({ "bugle_export": FORMAT, "schema": schema })))?;
        for table in Table::all(&mut self.connection)? {
            let mut cursor = Cursor::new(&table);
            while let Some(row) = cursor.next(&mut self.connection)? {
                let fields: Map<String, Json> = table
                    .columns
                    .iter()
                    .zip(row.values())
                    .map(|(column, value)| (column.clone(), exported(value)))
                    .collect();
                write(&line(&json!({ "table": table.name, "row": fields })))?;
            }
        }
        Ok(())
    }
}

fn line(value: &Json) -> String {
    format!("{value}\n")
}

/// A value as JSON. Bytes become an object, so that they differ from text. The object contains UTF-8 text or
/// hexadecimal digits.
fn exported(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Int(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::Blob(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => json!({ "utf8": text }),
            Err(_) => json!({ "hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
        },
    }
}
