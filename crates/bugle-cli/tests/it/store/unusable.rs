//! Unusable stores: each error says why and what to do, and nothing is lost.

use std::fs;

use rusqlite::Connection;

use super::{Kept, both, fold, intact, settled};

#[test]
fn a_file_that_is_not_a_database_is_left_unchanged() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    for garbage in [
        b"not a database, but a text of some length".repeat(300),
        vec![0xa5; 8192],
        b"short".to_vec(),
    ] {
        fs::write(sandbox.database(), &garbage).unwrap();
        for answer in both(&sandbox, &second) {
            let failed = answer.fails(1, "is damaged or is not a Bugle database");
            assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
        }
        sandbox
            .run(&["store", "verify"])
            .fails(1, "is damaged or is not a Bugle database");
        assert_eq!(fs::read(sandbox.database()).unwrap(), garbage);
        let failed = sandbox.run(&["runs", "--json"]).exits(1).json();
        assert_eq!(failed["data"]["exit"], 1);
    }
    // Commands that need no store still work.
    sandbox.run(&["skill", "check", "three"]).ok();
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_truncated_file_is_detected_and_left_unchanged() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let page = 4096;
    assert!(kept.0.len() > 4 * page, "{}", kept.0.len());
    for length in [100, page / 2, page, 2 * page, kept.0.len() - page] {
        kept.put_back(&sandbox);
        fs::write(sandbox.database(), &kept.0[..length]).unwrap();
        let verified = sandbox.run(&["store", "verify"]);
        assert_eq!(verified.code, Some(1), "cut to {length}: {verified:?}");
        for answer in both(&sandbox, &second) {
            assert!(matches!(answer.code, Some(0 | 1)), "cut to {length}: {answer:?}");
            if answer.code == Some(1) {
                answer.fails(1, "is damaged or is not a Bugle database");
            }
        }
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn rows_changed_outside_bugle_are_reported() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let run = &second.run;
    for (statement, fault) in [
        (
            "UPDATE run SET step = 'third'",
            format!("run {run}: the row and the events differ in the step"),
        ),
        (
            "UPDATE run SET status = 'completed'",
            format!("run {run}: the row and the events differ in the status"),
        ),
        ("DELETE FROM event WHERE seq = 2", run.clone()),
        ("UPDATE event SET body = '{}' WHERE seq = 2", run.clone()),
        (
            "UPDATE blob SET content = x'00'",
            "the bytes do not match the hash".to_owned(),
        ),
        ("DELETE FROM compiled", format!("run {run}: ")),
    ] {
        kept.put_back(&sandbox);
        let connection = Connection::open(sandbox.database()).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        connection.execute(statement, []).unwrap();
        drop(connection);
        let verified = sandbox.run(&["store", "verify"]).exits(1);
        assert_eq!(verified.err, "");
        let fault_line = format!("error: {fault}");
        assert!(
            verified
                .out
                .lines()
                .any(|line| line.starts_with("error: ") && line.contains(&fault)),
            "{statement}: {fault_line:?} is not in:\n{}",
            verified.out
        );
        assert!(
            verified.out.ends_with("nothing was changed\n"),
            "{}",
            verified.out
        );
        let document = sandbox.run(&["store", "verify", "--json"]).exits(1).json();
        assert_eq!(document["kind"], "store");
        let step = sandbox.run(&["step", run]);
        assert!(matches!(step.code, Some(0 | 1)), "{statement}: {step:?}");
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_store_of_a_newer_version_is_left_unchanged() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    let connection = Connection::open(sandbox.database()).unwrap();
    connection.execute_batch("PRAGMA user_version = 999").unwrap();
    drop(connection);
    fold(&sandbox);
    let newer = fs::read(sandbox.database()).unwrap();
    for answer in both(&sandbox, &second) {
        let failed = answer.fails(1, "has schema 999; this bugle supports schemas up to");
        assert!(
            failed
                .err
                .contains("Install a bugle version at least as new as the version that wrote the database"),
            "{}",
            failed.err
        );
    }
    assert_eq!(fs::read(sandbox.database()).unwrap(), newer);
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn a_database_of_another_program_is_not_used() {
    let (sandbox, second) = settled();
    let kept = Kept::from(&sandbox);
    for schema in [0, 1] {
        kept.put_back(&sandbox);
        fs::remove_file(sandbox.database()).unwrap();
        let connection = Connection::open(sandbox.database()).unwrap();
        let statements = format!("CREATE TABLE run (other TEXT); PRAGMA user_version = {schema}");
        connection.execute_batch(&statements).unwrap();
        drop(connection);
        for answer in both(&sandbox, &second) {
            answer.fails(1, "bugle.db");
        }
        let connection = Connection::open(sandbox.database()).unwrap();
        let tables: i64 = connection
            .query_row(
                "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(tables, 1, "nothing was added");
    }
    kept.put_back(&sandbox);
    intact(&sandbox, &second);
}

#[test]
fn during_a_long_write_readers_proceed_and_writers_wait() {
    let (sandbox, second) = settled();
    let mut connection = Connection::open(sandbox.database()).unwrap();
    let held = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)
        .unwrap();
    assert_eq!(
        sandbox.run(&["step"]).ok().step(),
        second,
        "a reader does not wait"
    );
    let failed = sandbox
        .printed(second.command())
        .fails(1, "is locked by another process");
    assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
    assert!(second.result_file().exists(), "the result is still there");
    held.rollback().unwrap();
    intact(&sandbox, &second);
}
