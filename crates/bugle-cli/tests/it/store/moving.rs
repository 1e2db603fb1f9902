//! Moving a store between engines.

use std::fs;

use bugle_testkit::postgres::{PASSWORD, USER};
use rusqlite::Connection;
use serde_json::json;

use super::{intact, settled, without_machine};
use crate::support::kills::{killed_after, survived};
use crate::support::sandbox::{Sandbox, answer};
use crate::support::test_store::{database, sandbox_with_store};

fn settings(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.bugle_home().join("config.yaml")).unwrap_or_default()
}

/// An export without the projects' names, which only a shared store records.
fn export(sandbox: &Sandbox) -> String {
    let export = sandbox.run(&["store", "export"]).ok().out;
    without_machine(sandbox, &export).replace("\"name\":\"project\"", "\"name\":null")
}

/// The export of the file in Bugle's home, regardless of the settings.
fn export_file(sandbox: &Sandbox) -> String {
    let home = sandbox.root().join("file-home");
    fs::create_dir_all(&home).unwrap();
    for ending in ["", "-wal"] {
        let name = format!("bugle.db{ending}");
        let _ = fs::copy(sandbox.bugle_home().join(&name), home.join(&name));
    }
    answer(sandbox.bugle(&["store", "export"]).env("BUGLE_HOME", &home))
        .ok()
        .out
}

#[test]
fn a_store_moves_to_postgres_and_back_with_all_history() {
    let Some((server, database)) = database() else {
        return;
    };
    let (sandbox, second) = settled();
    sandbox.run(&["task", "add", "Write the tests"]).ok();
    sandbox.run(&["say", "@backend ready", "--as", "lead"]).ok();
    sandbox.write(&sandbox.bugle_home().join("config.yaml"), "# mine\nnotify: []\n");
    let before = export(&sandbox);
    let url = server.url(&database);
    let moved = sandbox.run(&["store", "move", &url]).ok().out;
    assert!(
        moved.contains("The stores are identical, and no errors were found."),
        "{moved}"
    );
    assert_eq!(settings(&sandbox), format!("# mine\nnotify: []\nstore: {url}\n"));
    assert_eq!(export(&sandbox), before);
    assert_eq!(export_file(&sandbox), before, "the source has changed");
    intact(&sandbox, &second);
    // The old file is still there, and is not overwritten.
    let refused = sandbox
        .run(&["store", "move", "sqlite"])
        .fails(1, "already contains a store");
    assert!(refused.err.contains("Rename"), "{}", refused.err);
    for name in ["bugle.db", "bugle.db-wal"] {
        let old = sandbox.bugle_home().join(name);
        let _ = fs::rename(&old, old.with_extension("old"));
    }
    let later = export(&sandbox);
    assert_ne!(later, before);
    sandbox.run(&["store", "move", "sqlite"]).ok();
    assert_eq!(settings(&sandbox), "# mine\nnotify: []\n");
    assert_eq!(export(&sandbox), later);
    sandbox.verify();
}

#[test]
fn a_store_moves_to_a_database_that_has_a_team() {
    let Some((server, database)) = database() else {
        return;
    };
    let url = server.url(&database);
    let owner = sandbox_with_store(url.clone());
    owner.run_as_person(&["store", "init"]).ok();
    let carol = format!("carol_of_{database}");
    let add = ["team", "add", carol.as_str(), "--role", "member"];
    owner.run_as_person(&add).ok();
    let (sandbox, second) = settled();
    let before = export(&sandbox);
    sandbox.run(&["store", "move", &url]).ok();
    let team = sandbox.run(&["team", "list"]).ok().out;
    assert!(team.contains(&carol), "{team}");
    let rows = |text: &str| -> Vec<String> {
        let is_history = |line: &&str| !line.contains("\"member\"");
        text.lines().filter(is_history).map(str::to_owned).collect()
    };
    assert_eq!(rows(&export(&sandbox)), rows(&before));
    intact(&sandbox, &second);
    let seen = server
        .sql_as(&carol, &database, "SELECT COUNT(*) FROM run")
        .unwrap();
    assert_ne!(seen, "0");
    // A database with a store is still refused.
    let (other, _) = settled();
    other
        .run(&["store", "move", &url])
        .fails(1, "already contains a store");
}

#[test]
fn a_killed_move_switches_nothing_and_continues() {
    const KILLS: u64 = 20;
    let Some((server, database)) = database() else {
        return;
    };
    let (sandbox, second) = settled();
    for number in 0..5 {
        sandbox.run(&["task", "add", &format!("Task {number}")]).ok();
    }
    let before = export(&sandbox);
    let url = server.url(&database);
    let mut is_moved = false;
    for number in 1..=KILLS {
        let mut command = killed_after(number * 250, &sandbox, &["store", "move", &url]);
        if survived(&answer(&mut command)) {
            is_moved = true;
            break;
        }
        if settings(&sandbox).is_empty() {
            assert_eq!(export(&sandbox), before);
        }
    }
    if !is_moved && settings(&sandbox).is_empty() {
        sandbox.run(&["store", "move", &url]).ok();
    }
    assert_eq!(settings(&sandbox), format!("store: {url}\n"));
    assert_eq!(export(&sandbox), before);
    intact(&sandbox, &second);
}

#[test]
fn a_move_is_refused_while_agents_run_and_for_a_target_that_cannot_be_used() {
    let Some((server, database)) = database() else {
        return;
    };
    let (sandbox, _) = settled();
    sandbox.run(&["say", "@backend ready", "--as", "lead"]).ok();
    let before = export(&sandbox);
    let with_password = server.network_url(USER, PASSWORD, &database);
    let refused = sandbox.run(&["store", "move", &with_password]);
    let refused = refused.fails(2, "the URL contains a password");
    assert!(!refused.err.contains(PASSWORD), "{}", refused.err);
    sandbox
        .run(&["store", "move", "elsewhere"])
        .fails(2, "cannot move the store to `elsewhere`");
    sandbox
        .run(&["store", "move", &server.url("missing")])
        .fails(1, "cannot open the database");
    let other = server.create_database();
    server.sql(&other, "CREATE TABLE run (id INT)");
    sandbox
        .run(&["store", "move", &server.url(&other)])
        .fails(1, "tables that are not Bugle's");
    Connection::open(sandbox.database())
        .unwrap()
        .execute(
            "UPDATE agent SET pid = 1, process_started = 1 WHERE name = 'lead'",
            [],
        )
        .unwrap();
    let refused = sandbox.run(&["store", "move", &server.url(&database)]);
    let refused = refused.fails(2, "agents are running");
    assert!(refused.err.contains("agent kill"), "{}", refused.err);
    Connection::open(sandbox.database())
        .unwrap()
        .execute("UPDATE agent SET pid = NULL, process_started = NULL", [])
        .unwrap();
    assert_eq!(settings(&sandbox), "");
    assert_eq!(export(&sandbox), before);
    // An agent may move the store only after its user has typed something.
    let agent = sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "s", &["store", "move", "sqlite"]);
    agent.refused("user-not-heard");
}

#[test]
fn the_password_of_a_moved_store_comes_from_the_environment() {
    let Some((server, database)) = database() else {
        return;
    };
    let (sandbox, second) = settled();
    let url = server.network_url(USER, "", &database).replace(":@", "@");
    let with_password = |arguments: &[&str]| {
        let mut command = sandbox.bugle(arguments);
        answer(command.env("PGPASSWORD", PASSWORD)).ok()
    };
    let moved = with_password(&["store", "move", &url]);
    assert!(!moved.out.contains(PASSWORD), "{}", moved.out);
    let third = with_password(&["step", &second.run]).step();
    assert_eq!(third.visit, second.visit);
    assert_eq!(json!(third.step), json!("second"));
}
