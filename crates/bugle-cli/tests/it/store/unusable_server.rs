//! Servers that cannot be used: each error explains the reason and the fix, the exit code is right, and nothing is
//! half-written.

use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use bugle_store::{Durability, Store, StoreError};
use bugle_testkit::postgres::{self, SMALL_DISK, Server};
use serde_json::json;

use super::{both, intact};
use crate::support::reply::Step;
use crate::support::sandbox::{Answer, Sandbox, answer_with_input, skip};
use crate::support::test_store::sandbox_with_store;
use crate::support::workflows::THREE;

/// A run at its second step, on this server.
fn settled_on(server: &Server, database: &str) -> (Sandbox, Step) {
    let sandbox = sandbox_with_store(server.url(database));
    sandbox.skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    fs::write(second.result_file(), "{\"word\": \"two\"}").unwrap();
    (sandbox, second)
}

/// Calls a client's hook.
fn hook(sandbox: &Sandbox) -> Answer {
    let call = json!({ "session_id": "s", "cwd": sandbox.project(), "hook_event_name": "Stop" });
    let mut hook = sandbox.bugle(&["hook", "Stop", "--client", "claude"]);
    answer_with_input(&mut hook, call.to_string().as_bytes())
}

/// Asserts an error after which nothing has changed.
#[track_caller]
fn fails_unchanged(answer: Answer, code: i32, words: &str) {
    let failed = answer.fails(code, words);
    assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
}

#[test]
fn a_newer_schema_is_left_unchanged() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let database = server.create_database();
    let (sandbox, second) = settled_on(server, &database);
    let version = server.sql(&database, "SELECT version FROM bugle_schema");
    server.sql(&database, "UPDATE bugle_schema SET version = 999");
    for answer in both(&sandbox, &second) {
        fails_unchanged(answer, 1, "has schema 999; this bugle supports schemas up to");
    }
    assert_eq!(hook(&sandbox).ok().out, "");
    fs::remove_file(sandbox.bugle_home().join("hook.log")).unwrap();
    let restore = format!("UPDATE bugle_schema SET version = {version}");
    server.sql(&database, &restore);
    intact(&sandbox, &second);
}

#[test]
fn a_replica_shows_the_run_and_refuses_changes() {
    if !postgres::is_available() {
        return;
    }
    let server = Server::start();
    let database = server.create_database();
    let (mut sandbox, second) = settled_on(&server, &database);
    let replica = server.start_replica();
    sandbox.use_store(replica.url(&database));
    assert_eq!(sandbox.run(&["step", &second.run]).ok().step(), second);
    let failed = sandbox.printed(second.command());
    assert!(failed.err.contains("the primary server"), "{}", failed.err);
    fails_unchanged(failed, 1, "is read-only");
    fails_unchanged(sandbox.run(&["task", "add", "Task"]), 1, "is read-only");
    assert_eq!(hook(&sandbox).ok().out, "");
    let _ = fs::remove_file(sandbox.bugle_home().join("hook.log"));
    sandbox.use_store(server.url(&database));
    intact(&sandbox, &second);
}

#[test]
fn a_database_user_without_rights_is_refused() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let database = server.create_database();
    let user = format!("stranger_to_{database}");
    server.sql(&database, &format!("CREATE ROLE {user} LOGIN"));
    let stranger = || sandbox_with_store(server.url_as(&user, &database));
    // The first command would create the tables.
    let create = "REVOKE CREATE ON SCHEMA public FROM PUBLIC";
    server.sql(&database, create);
    fails_unchanged(stranger().run(&["run", "list"]), 3, "denied permission");
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(server.sql(&database, tables), "0");
    let (sandbox, second) = settled_on(server, &database);
    for arguments in [["run", "list"].as_slice(), &["task", "add", "Task"]] {
        fails_unchanged(stranger().run(arguments), 3, "denied permission");
    }
    intact(&sandbox, &second);
}

#[test]
fn a_full_disk_on_the_server_loses_nothing() {
    if !postgres::is_available() {
        return;
    }
    let Some(server) = Server::start_with_small_disk() else {
        return skip("mounting a file system is not permitted");
    };
    let database = server.create_database_on_small_disk();
    let (sandbox, second) = settled_on(&server, &database);
    let fill = |rows: u32| {
        let filler = format!("{SMALL_DISK}/filler");
        let rows = format!("SELECT repeat('x', 1000) FROM generate_series(1, {rows})");
        server.sql_as(postgres::USER, &database, &format!("COPY ({rows}) TO '{filler}'"))
    };
    let error = fill(100_000).unwrap_err();
    assert!(error.contains("No space left on device"), "{error}");
    let say = || {
        let mut command = sandbox.bugle(&["say", "-", "--as", "star"]);
        answer_with_input(&mut command, incompressible(200_000).as_bytes())
    };
    // A few writes still fit into free pages of existing files.
    let failed = (0..20).map(|_| say()).find(|answer| answer.code != Some(0));
    fails_unchanged(failed.unwrap(), 1, "the disk is full");
    let said = server.sql(&database, "SELECT COUNT(*) FROM message");
    assert_eq!(sandbox.run(&["step", &second.run]).ok().step(), second);
    fill(1).unwrap();
    assert_eq!(server.sql(&database, "SELECT COUNT(*) FROM message"), said);
    say().ok();
    intact(&sandbox, &second);
}

/// Text that the server cannot compress.
fn incompressible(length: usize) -> String {
    let mut text = String::with_capacity(length);
    let mut state: u64 = 1;
    while text.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        write!(text, "{:08x}", state >> 32).unwrap();
    }
    text
}

#[test]
fn a_server_that_restarts_during_a_command_loses_nothing() {
    if !postgres::is_available() {
        return;
    }
    let server = Server::start();
    let database = server.create_database();
    let (sandbox, second) = settled_on(&server, &database);
    let url = server.url(&database);
    let mut store = Store::open_url(&url, &|_: &str| None, Durability::Full, &mut |_| ()).unwrap();
    let mut command = sandbox.bugle(&["done", &second.visit]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = None;
    // The command waits for this transaction when the server stops.
    let _ = store.transaction(|tx| {
        tx.schema()?;
        child = Some(command.spawn().unwrap());
        while server.sql(&database, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") == "0" {}
        server.crash();
        Ok::<_, StoreError>(())
    });
    let output = child.unwrap().wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the database postgres://"), "{errors}");
    assert!(errors.contains("Nothing was changed."), "{errors}");
    server.restart();
    intact(&sandbox, &second);
}
