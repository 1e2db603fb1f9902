//! The store.

mod backup;
mod clock_skew;
mod machines;
mod migration;
mod moved_clones;
mod moving;
mod passwords;
mod permissions;
#[cfg(unix)]
mod pooler;
mod postgres;
mod process_tests;
mod separation;
mod server_crashes;
mod tampering;
mod team;
mod team_projects;
mod team_setup;
mod unusable;
mod unusable_server;

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use crate::support::reply::Step;
use crate::support::sandbox::{Answer, Sandbox};
use crate::support::workflows::THREE;

/// A run at its second step, with the whole store in one file.
fn settled() -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    fs::write(second.result_file(), "{\"word\": \"two\"}").unwrap();
    fold(&sandbox);
    (sandbox, second)
}

/// Checkpoints the log, so that the database file contains everything.
fn fold(sandbox: &Sandbox) {
    let connection = Connection::open(sandbox.database()).unwrap();
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
}

/// Asserts that the run is at the same step as before, and that it can continue.
fn intact(sandbox: &Sandbox, second: &Step) {
    sandbox.verify();
    assert_eq!(sandbox.run(&["step"]).ok().step(), *second);
    let third = sandbox.printed(second.command()).ok().step();
    assert_eq!(third.step, "third");
    assert_eq!(sandbox.unfinished_files(), Vec::<std::path::PathBuf>::new());
}

/// Replaces this machine's id in an export with the empty id, which a file store uses. A server's store uses the id
/// in Bugle's home.
fn without_machine(sandbox: &Sandbox, export: &str) -> String {
    match fs::read_to_string(sandbox.bugle_home().join("machine")) {
        Ok(id) => export.replace(&format!("\"machine\":\"{}\"", id.trim()), "\"machine\":\"\""),
        Err(_) => export.to_owned(),
    }
}

/// A copy of the store's file, to restore later.
struct Kept(Vec<u8>);

impl Kept {
    fn from(sandbox: &Sandbox) -> Self {
        Self(fs::read(sandbox.database()).unwrap())
    }

    fn put_back(&self, sandbox: &Sandbox) {
        for log in ["bugle.db-wal", "bugle.db-shm"] {
            let _ = fs::remove_file(sandbox.bugle_home().join(log));
        }
        fs::write(sandbox.database(), &self.0).unwrap();
    }
}

/// Runs two commands: one reads the run, and the other changes it.
fn both(sandbox: &Sandbox, second: &Step) -> [Answer; 2] {
    [
        sandbox.run(&["step", &second.run]),
        sandbox.printed(second.command()),
    ]
}
