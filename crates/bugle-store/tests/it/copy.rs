//! Copies of whole stores between engines: complete, resumable, and never over another store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_store::{Durability, MachineId, Store, StoreError};
use bugle_testkit::postgres::{self, Server};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::postgres::{no_variables, open};

/// The number of rows that the tests put into each table.
const ROWS: i64 = 40;

/// A file with rows in every table, read from the schema so that a new table is filled too.
fn full_store() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bugle.db");
    drop(Store::open(&file, Durability::Full).unwrap());
    let raw = Connection::open(&file).unwrap();
    raw.execute_batch("PRAGMA foreign_keys = OFF; BEGIN").unwrap();
    for table in tables(&raw) {
        for number in 1..=ROWS {
            insert(&raw, &table, number);
        }
    }
    raw.execute_batch("COMMIT").unwrap();
    (folder, file)
}

fn tables(raw: &Connection) -> Vec<String> {
    let statement = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let mut prepared = raw.prepare(statement).unwrap();
    let names = prepared.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// Inserts a row. Every fourth row is null where that is allowed; foreign keys refer to the row with the same number.
fn insert(raw: &Connection, table: &str, number: i64) {
    let mut prepared = raw
        .prepare("SELECT name, type, \"notnull\" = 0 AND pk = 0 FROM pragma_table_info(?1)")
        .unwrap();
    let columns: Vec<(String, String, bool)> = prepared
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let values = columns.iter().map(|(column, kind, is_nullable)| {
        if *is_nullable && number % 4 == 0 {
            return rusqlite::types::Value::Null;
        }
        match kind.as_str() {
            "BIGINT" => number.into(),
            "BLOB" => vec![0xff, 0, u8::try_from(number).unwrap()].into(),
            _ => text(raw, table, column, number).into(),
        }
    });
    let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let statement = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
    raw.execute(&statement, rusqlite::params_from_iter(values))
        .unwrap();
}

/// The text for a column. A foreign key gets the same text as the column that it refers to.
fn text(raw: &Connection, table: &str, column: &str, number: i64) -> String {
    let statement = "SELECT \"table\", \"to\" FROM pragma_foreign_key_list(?1) WHERE \"from\" = ?2";
    let reference = raw.query_row(statement, [table, column], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    match reference {
        Ok((other, to)) if (other.as_str(), to.as_str()) != (table, column) => text(raw, &other, &to, number),
        _ => format!("{table}.{column} ü-{number}"),
    }
}

fn counts(raw: &Connection) -> BTreeMap<String, i64> {
    let count = |table: &String| {
        let statement = format!("SELECT COUNT(*) FROM {table}");
        raw.query_row(&statement, [], |row| row.get(0)).unwrap()
    };
    tables(raw)
        .into_iter()
        .map(|table| (table.clone(), count(&table)))
        .collect()
}

fn exported(store: &mut Store) -> String {
    let mut lines = String::new();
    store
        .export(|line| {
            lines.push_str(line);
            Ok::<_, StoreError>(())
        })
        .unwrap();
    lines
}

/// Copies a store and finishes the copy.
fn copy(source: &mut Store, target: &mut Store) {
    copy_rows(source, target);
    assert_eq!(source.first_difference(target).unwrap(), None);
    target
        .finish_copy(&MachineId::default(), &MachineId::default())
        .unwrap();
}

fn copy_rows(source: &mut Store, target: &mut Store) -> u64 {
    target.begin_copy().unwrap();
    source.begin_snapshot().unwrap();
    let copied = target.copy_from(source, &mut |_| ()).unwrap();
    source.end_snapshot().unwrap();
    target.check_copy().unwrap();
    copied.iter().map(|table| table.changes).sum()
}

fn source(file: &Path) -> Store {
    Store::open(file, Durability::Full).unwrap()
}

/// A new database on the server.
fn database() -> (&'static Server, String, String) {
    let server = postgres::shared();
    let name = server.create_database();
    let url = server.url(&name);
    (server, name, url)
}

fn target(url: &str) -> Store {
    Store::open_copy_url(url, &no_variables).unwrap()
}

#[test]
fn every_row_of_every_table_survives_a_copy_to_postgres_and_back() {
    if !postgres::is_available() {
        return;
    }
    let (folder, file) = full_store();
    let (server, name, url) = database();
    copy(&mut source(&file), &mut target(&url));
    let before = counts(&Connection::open(&file).unwrap());
    assert!(before.values().all(|rows| *rows >= ROWS), "{before:?}");
    for (table, rows) in &before {
        let found = server.sql(&name, &format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(found, rows.to_string(), "{table}");
    }
    let foreign_keys = "SELECT COUNT(*) FROM pg_constraint WHERE contype = 'f'";
    let (fresh, other, other_url) = database();
    drop(open(&other_url).unwrap());
    assert_eq!(server.sql(&name, foreign_keys), fresh.sql(&other, foreign_keys));
    let back = folder.path().join("back.db");
    let mut moved = open(&url).unwrap();
    copy(&mut moved, &mut Store::open_copy(&back).unwrap());
    assert_eq!(counts(&Connection::open(&back).unwrap()), before);
    let lines = exported(&mut source(&file));
    assert_eq!(exported(&mut moved), lines);
    assert_eq!(exported(&mut source(&back)), lines);
    let rows = before.values().sum::<i64>();
    assert_eq!(i64::try_from(lines.lines().count()).unwrap(), rows + 1);
}

#[test]
fn an_interrupted_copy_continues_and_brings_over_later_changes() {
    if !postgres::is_available() {
        return;
    }
    let (_folder, file) = full_store();
    let (server, name, url) = database();
    let mut from = source(&file);
    let all = copy_rows(&mut from, &mut target(&url));
    // As if the copy had been killed: some rows are missing, and meanwhile the source has changed.
    server.sql(&name, "DELETE FROM wakeup; DELETE FROM notice");
    let raw = Connection::open(&file).unwrap();
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF; DELETE FROM exchange WHERE turns = 7;
         UPDATE agent SET session = 'swap' WHERE tokens = 1;
         UPDATE message SET body = 'edited' WHERE link = 5",
    )
    .unwrap();
    let error = open(&url).unwrap_err();
    assert!(matches!(error, StoreError::Unfinished(_)), "{error}");
    let mut to = target(&url);
    assert!(from.first_difference(&mut to).unwrap().is_some());
    let rest = copy_rows(&mut from, &mut to);
    let changed = u64::try_from(2 * ROWS).unwrap() + 1 + 2 + 2;
    assert_eq!(rest, changed, "of {all}");
    assert_eq!(from.first_difference(&mut to).unwrap(), None);
    to.finish_copy(&MachineId::default(), &MachineId::default())
        .unwrap();
    assert_eq!(exported(&mut open(&url).unwrap()), exported(&mut from));
}

#[test]
fn a_copy_that_would_miss_hidden_rows_fails() {
    if !postgres::is_available() {
        return;
    }
    let (folder, file) = full_store();
    let (server, name, url) = database();
    copy(&mut source(&file), &mut target(&url));
    let role = format!("reader_{name}");
    server.sql(
        &name,
        &format!(
            "CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};
             ALTER TABLE run ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON run USING (id LIKE '%1')"
        ),
    );
    let mut reader = open(&url.replace("bugle@", &format!("{role}@"))).unwrap();
    let part = folder.path().join("backup.db");
    let error = reader.back_up_to(&part, &mut |_| ()).unwrap_err();
    assert!(matches!(error, StoreError::NoRights { .. }), "{error}");
    let exported = reader.export(|_| Ok::<_, StoreError>(()));
    assert!(
        matches!(exported, Err(StoreError::NoRights { .. })),
        "{exported:?}"
    );
    // The owner sees all rows.
    open(&url).unwrap().export(|_| Ok::<_, StoreError>(())).unwrap();
}

#[test]
fn a_store_is_never_the_target_of_a_copy() {
    let (folder, file) = full_store();
    let taken = folder.path().join("taken.db");
    std::fs::copy(&file, &taken).unwrap();
    let before = counts(&Connection::open(&taken).unwrap());
    let error = Store::open_copy(&taken).unwrap().begin_copy().unwrap_err();
    assert!(matches!(error, StoreError::NoCopy { .. }), "{error}");
    assert_eq!(counts(&Connection::open(&taken).unwrap()), before);
    source(&taken);
    // A store without rows may be the target.
    let empty = folder.path().join("empty.db");
    drop(source(&empty));
    copy(&mut source(&file), &mut Store::open_copy(&empty).unwrap());
    assert_eq!(exported(&mut source(&empty)), exported(&mut source(&file)));
}
