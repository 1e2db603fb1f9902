//! `SQLite` files: the write-ahead log stays small, damage is detected and never made worse, and waiting times out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use bugle_core::id::Timestamp;
use bugle_store::{Append, Durability, RunFilter, Scope, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::conformance::Engine;
use crate::test_run::{TestRun, hash, project};

/// A `SQLite` file in a temporary folder.
pub(crate) struct SqliteFile {
    folder: TempDir,
}

impl SqliteFile {
    fn path(&self) -> PathBuf {
        self.folder.path().join("bugle.db")
    }

    /// A plain `SQLite` connection.
    fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Checkpoints the write-ahead log into the file.
    fn settle(&self) {
        let folded = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let busy = self
            .raw()
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], folded)
            .unwrap();
        assert_eq!(busy, 0);
    }
}

impl Engine for SqliteFile {
    fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn open(&self) -> Store {
        Store::open(&self.path(), Durability::Full).unwrap()
    }
}

fn refused(file: &Path) -> StoreError {
    Store::open(file, Durability::Full).unwrap_err()
}

/// A file with a run of several hundred events.
fn with_a_run() -> (SqliteFile, TestRun) {
    let engine = SqliteFile::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let mut run = TestRun::new("r-aaaaaa", 100);
    assert_eq!(store.create(&run.as_new(&project, None)).unwrap(), Append::Done);
    for note in 0..200 {
        let update = run.noted(110, &format!("note {note} {}", "x".repeat(100)));
        assert_eq!(
            store
                .append(update.expected, &update.events, &update.state)
                .unwrap(),
            Append::Done
        );
        run.apply(update);
    }
    drop(store);
    (engine, run)
}

#[test]
fn the_log_stays_small_after_many_connections() {
    let engine = SqliteFile::fresh();
    let path = engine.path();
    let log = engine.folder.path().join("bugle.db-wal");
    let mut run = TestRun::new("r-aaaaaa", 100);
    let mut store = Store::open(&path, Durability::Normal).unwrap();
    let project = project(&mut store);
    assert_eq!(store.create(&run.as_new(&project, None)).unwrap(), Append::Done);
    drop(store);
    let mut largest = 0;
    for note in 0..2000 {
        let mut store = Store::open(&path, Durability::Normal).unwrap();
        let update = run.noted(110, &format!("note {note}"));
        let answer = store
            .append(update.expected, &update.events, &update.state)
            .unwrap();
        assert_eq!(answer, Append::Done);
        run.apply(update);
        drop(store);
        largest = largest.max(fs::metadata(&log).map_or(0, |log| log.len()));
    }
    assert!(largest < 1024 * 1024, "the log grew to {largest} bytes");
    assert_eq!(
        engine.open().load(&run.state.id).unwrap().unwrap().events,
        run.events
    );
}

#[test]
fn the_file_uses_a_write_ahead_log_and_foreign_keys() {
    let engine = SqliteFile::fresh();
    let mut store = engine.open();
    let mode: String = engine
        .raw()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    let error = store.keep_compiled(&hash(1), 1, "{}").unwrap_err();
    assert!(matches!(error, StoreError::Engine { .. }), "{error}");
}

#[test]
fn a_file_with_a_newer_schema_is_left_alone() {
    let engine = SqliteFile::fresh();
    let known = engine.open().schema().unwrap();
    engine.raw().pragma_update(None, "user_version", 99).unwrap();
    engine.settle();
    let before = fs::read(engine.path()).unwrap();
    match refused(&engine.path()) {
        StoreError::Newer {
            found, known: latest, ..
        } => assert_eq!((found, latest), (99, known)),
        other => panic!("{other}"),
    }
    assert_eq!(fs::read(engine.path()).unwrap(), before);
}

#[test]
fn a_file_that_is_not_a_database_is_left_alone() {
    let mut almost = b"SQLite format 3\0".to_vec();
    almost.extend([0xff; 4080]);
    let contents: [&[u8]; 5] = [
        b"no",
        b"hello, this is a plain text file....\n",
        &[0; 8192],
        &[0xa5; 8192],
        &almost,
    ];
    for content in contents {
        let engine = SqliteFile::fresh();
        fs::write(engine.path(), content).unwrap();
        let error = refused(&engine.path());
        assert!(
            matches!(error, StoreError::Corrupt(_)),
            "{:?}...: {error}",
            &content[..1]
        );
        assert_eq!(fs::read(engine.path()).unwrap(), content, "the file is unchanged");
        assert!(!error.hints().is_empty());
    }
}

#[test]
fn a_damaged_page_is_detected() {
    let (engine, run) = with_a_run();
    engine.settle();
    let mut bytes = fs::read(engine.path()).unwrap();
    let page = 4096;
    assert!(bytes.len() > 8 * page, "the file has pages to damage");
    bytes[page..].fill(0xa5);
    fs::write(engine.path(), &bytes).unwrap();
    let error = match Store::open(&engine.path(), Durability::Full) {
        Err(error) => error,
        Ok(mut store) => store.load(&run.state.id).unwrap_err(),
    };
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
}

#[test]
fn a_truncated_file_is_detected() {
    let (engine, run) = with_a_run();
    engine.settle();
    let bytes = fs::read(engine.path()).unwrap();
    fs::write(engine.path(), &bytes[..bytes.len() / 2]).unwrap();
    let error = match Store::open(&engine.path(), Durability::Full) {
        Err(error) => error,
        Ok(mut store) => store.load(&run.state.id).unwrap_err(),
    };
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
}

#[test]
fn the_integrity_check_finds_damage() {
    let (engine, _) = with_a_run();
    let raw = engine.raw();
    raw.pragma_update(None, "foreign_keys", false).unwrap();
    raw.execute("DELETE FROM run", []).unwrap();
    drop(raw);
    let faults = engine.open().integrity().unwrap();
    assert!(faults.iter().any(|fault| fault.contains("event")), "{faults:?}");
}

#[test]
fn an_unknown_event_is_reported_as_unreadable_not_as_damage() {
    let (engine, run) = with_a_run();
    engine
        .raw()
        .execute("UPDATE event SET body = '{\"flown\":{}}' WHERE seq = 2", [])
        .unwrap();
    let error = engine.open().load(&run.state.id).unwrap_err();
    assert!(matches!(error, StoreError::Unreadable(_)), "{error}");
    assert!(error.to_string().contains("r-aaaaaa"), "{error}");
}

#[test]
fn an_empty_file_is_a_new_store() {
    let engine = SqliteFile::fresh();
    fs::write(engine.path(), []).unwrap();
    let mut store = engine.open();
    assert_eq!(store.integrity().unwrap(), [""; 0]);
    store.project("/here", "p-1", Timestamp(1)).unwrap();
}

#[test]
fn only_a_file_can_be_opened() {
    let engine = SqliteFile::fresh();
    let folder = engine.folder.path();
    for path in [folder.to_owned(), folder.join("no/such/folder/bugle.db")] {
        let error = refused(&path);
        assert!(
            matches!(error, StoreError::CannotOpen { .. }),
            "{}: {error}",
            path.display()
        );
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    }
}

#[test]
fn waiting_for_a_locked_file_times_out() {
    let (engine, run) = with_a_run();
    let mut store = engine.open();
    let other = engine.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let everywhere = RunFilter {
        scope: Scope::All,
        open_only: false,
        limit: 10,
    };
    assert_eq!(
        store.runs(&everywhere).unwrap().len(),
        1,
        "a reader does not wait"
    );
    let update = run.noted(200, "late");
    let error = store
        .append(update.expected, &update.events, &update.state)
        .unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    let answer = store
        .append(update.expected, &update.events, &update.state)
        .unwrap();
    assert_eq!(answer, Append::Done, "the store works afterwards");
}

/// A hook's attempt to write.
fn written_by_hook(engine: &SqliteFile) -> Result<(), StoreError> {
    Store::open_for_hook(&engine.path(), Durability::Full)?.transaction(|_| Ok(()))
}

#[test]
fn only_the_first_hook_waits_for_a_stuck_lock() {
    for lock in [
        "BEGIN IMMEDIATE",
        // Other processes cannot even read.
        "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE",
    ] {
        let (engine, _) = with_a_run();
        let other = engine.raw();
        other.execute_batch(lock).unwrap();
        let first = written_by_hook(&engine).unwrap_err();
        assert!(matches!(first, StoreError::Locked(_)), "{lock}: {first}");
        for _ in 0..3 {
            let later = written_by_hook(&engine).unwrap_err();
            assert!(matches!(later, StoreError::StillLocked(_)), "{lock}: {later}");
        }
        drop(other);
        written_by_hook(&engine).unwrap();
        // The next hook waits again.
        let other = engine.raw();
        other.execute_batch(lock).unwrap();
        let first = written_by_hook(&engine).unwrap_err();
        assert!(matches!(first, StoreError::Locked(_)), "{lock}: {first}");
        drop(other);
        // A command that writes also ends the stall.
        engine.open().transaction(|_| Ok::<_, StoreError>(())).unwrap();
        let other = engine.raw();
        other.execute_batch(lock).unwrap();
        let first = written_by_hook(&engine).unwrap_err();
        assert!(matches!(first, StoreError::Locked(_)), "{lock}: {first}");
    }
}

#[test]
fn many_processes_create_the_same_file_at_once() {
    const MAKERS: usize = 8;
    for round in 0..10 {
        let engine = SqliteFile::fresh();
        let barrier = Barrier::new(MAKERS);
        thread::scope(|scope| {
            for maker in 0..MAKERS {
                let (engine, barrier) = (&engine, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut store = Store::open(&engine.path(), Durability::Full)
                        .unwrap_or_else(|error| panic!("round {round}, maker {maker}: {error}"));
                    store
                        .project(&format!("/{maker}"), &format!("p-{maker}"), Timestamp(1))
                        .unwrap();
                });
            }
        });
        let mut store = engine.open();
        assert_eq!(store.integrity().unwrap(), [""; 0]);
        for maker in 0..MAKERS {
            assert!(store.find_project(&format!("/{maker}")).unwrap().is_some());
        }
        let mode: String = engine
            .raw()
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }
}

#[test]
fn every_changed_field_of_an_event_is_detected() {
    let (engine, run) = with_a_run();
    let id = run.state.id.clone();
    let fault = || match engine.open().audited_run(&id) {
        Ok(Some(audited)) => audited.fault,
        Ok(None) => None,
        Err(error) => Some(error.to_string()),
    };
    assert_eq!(fault(), None);
    let other = [
        ("seq", "seq + 1000"),
        ("happened_at", "happened_at + 1"),
        ("actor", "'\"program\"'"),
        ("body", "replace(body, 'e', 'a')"),
        ("rules", "rules + 1"),
        ("rules", "NULL"),
        ("batch", "batch - 1"),
        ("hash", "upper(hash) || '0'"),
    ];
    for seq in [1, 2, 100, 202] {
        for (column, value) in other {
            let raw = engine.raw();
            raw.execute_batch("BEGIN").unwrap();
            raw.execute_batch(&format!(
                "CREATE TABLE kept AS SELECT * FROM event WHERE seq = {seq}"
            ))
            .unwrap();
            let changed = raw
                .execute(
                    &format!("UPDATE event SET {column} = {value} WHERE seq = {seq}"),
                    [],
                )
                .unwrap();
            assert_eq!(changed, 1);
            raw.execute_batch("COMMIT").unwrap();
            assert!(fault().is_some(), "event {seq} with {column} = {value}");
            raw.execute_batch(&format!(
                "DELETE FROM event WHERE seq IN ({seq}, {seq} + 1000); INSERT INTO event SELECT * FROM kept; DROP TABLE kept"
            ))
            .unwrap();
            assert_eq!(fault(), None, "{column} of event {seq} was restored");
        }
        let raw = engine.raw();
        raw.execute_batch(&format!(
            "CREATE TABLE kept AS SELECT * FROM event WHERE seq = {seq}; DELETE FROM event WHERE seq = {seq}"
        ))
        .unwrap();
        assert!(fault().is_some(), "event {seq} was deleted");
        raw.execute_batch("INSERT INTO event SELECT * FROM kept; DROP TABLE kept")
            .unwrap();
    }
}
