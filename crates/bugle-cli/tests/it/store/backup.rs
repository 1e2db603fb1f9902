//! Backups and exports of the store.

use std::fs;
use std::path::Path;

use bugle_testkit::postgres;

use super::{settled, without_machine};
use crate::support::sandbox::{Sandbox, answer};
use crate::support::test_store::sandbox_with_store;
use crate::support::workflows::THREE;

/// Uses a backup as the store of a new home, and returns its export.
fn exported_from(sandbox: &Sandbox, backup: &Path) -> String {
    let home = sandbox.root().join("restored");
    fs::create_dir(&home).unwrap();
    fs::copy(backup, home.join("bugle.db")).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.bugle(arguments);
        command.env("BUGLE_HOME", &home).env_remove("BUGLE_DATABASE_URL");
        answer(&mut command).ok().out
    };
    let verified = run(&["store", "verify"]);
    assert!(verified.contains("no errors found"), "{verified}");
    let rows = run(&["store", "export"]);
    run(&["task", "add", "Later"]);
    let has_log = fs::metadata(home.join("bugle.db-wal")).is_ok_and(|log| log.len() > 0);
    assert!(has_log, "the backup has no write-ahead log");
    rows
}

#[test]
fn a_backup_is_a_store_of_its_own() {
    let (sandbox, _) = settled();
    let rows = sandbox.run(&["store", "export"]).ok().out;
    let file = sandbox.root().join("backup.db");
    let path = file.to_str().unwrap();
    let said = sandbox.run(&["store", "backup", path]).ok().out;
    assert!(said.starts_with("Backed up 1 run and"), "{said}");
    assert_eq!(exported_from(&sandbox, &file), rows);
    let bytes = fs::read(&file).unwrap();
    sandbox.run(&["store", "backup", path]).fails(2, "already exists");
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
    let nowhere = sandbox.root().join("nowhere/backup.db");
    sandbox
        .run(&["store", "backup", nowhere.to_str().unwrap()])
        .fails(1, "cannot back up the database");
}

#[test]
fn a_backup_of_a_faulty_store_is_refused_and_not_kept() {
    let (sandbox, _) = settled();
    rusqlite::Connection::open(sandbox.database())
        .unwrap()
        .execute("UPDATE event SET body = replace(body, 'one', 'two')", [])
        .unwrap();
    let file = sandbox.root().join("backup.db");
    sandbox
        .run(&["store", "backup", file.to_str().unwrap()])
        .fails(1, "the backup failed verification");
    assert!(!file.exists());
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_backup_of_a_postgres_store_is_a_file_that_can_be_used() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let sandbox = sandbox_with_store(server.url(&server.create_database()));
    sandbox.skill("three", THREE);
    sandbox.start(&["three"]);
    let rows = without_machine(&sandbox, &sandbox.run(&["store", "export"]).ok().out);
    let file = sandbox.root().join("backup.db");
    sandbox.run(&["store", "backup", file.to_str().unwrap()]).ok();
    assert_eq!(exported_from(&sandbox, &file), rows);
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
    let beside: Vec<_> = fs::read_dir(sandbox.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("backup"))
        .collect();
    assert_eq!(beside, ["backup.db"]);
}

#[test]
fn an_export_has_one_line_per_row_with_its_hash() {
    let (sandbox, second) = settled();
    let rows = sandbox.run(&["store", "export"]).ok().out;
    let lines: Vec<serde_json::Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["bugle_export"], 1);
    let events: Vec<_> = lines.iter().filter(|line| line["table"] == "event").collect();
    assert!(events.len() > 2, "{rows}");
    for event in &events {
        assert_eq!(event["row"]["run_id"], second.run.as_str());
        assert_eq!(event["row"]["hash"].as_str().unwrap().len(), 64);
    }
    let run = lines.iter().find(|line| line["table"] == "run").unwrap();
    assert_eq!(run["row"]["head"], events.last().unwrap()["row"]["hash"]);
    assert_eq!(sandbox.run(&["store", "export"]).ok().out, rows);
}
