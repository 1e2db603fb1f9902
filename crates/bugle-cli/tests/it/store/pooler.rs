//! A `PgBouncer` on the user's machine, with the configuration that Bugle prints.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use bugle_testkit::pooler::{self, Pooler};
use bugle_testkit::postgres::{self, PASSWORD, Server, USER};
use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// A store on a new database that asks for a password.
fn sandbox() -> Option<(Sandbox, &'static Server, String)> {
    let is_available = postgres::is_available() && pooler::is_available();
    is_available.then(|| {
        let server = postgres::shared();
        let url = server.network_url(USER, PASSWORD, &server.create_database());
        let sandbox = Sandbox::with_skill("three", THREE);
        sandbox.write(&settings(&sandbox), format!("store: {url}\n"));
        (sandbox, server, url)
    })
}

fn settings(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.bugle_home().join("config.yaml")
}

/// Follows the instructions in the configuration: writes its files and starts the pooler.
fn start(sandbox: &Sandbox, config: &str) -> Pooler {
    let folder = sandbox.bugle_home().join("pooler");
    sandbox.write(&folder.join("pgbouncer.ini"), config);
    sandbox.write(&folder.join("users.txt"), format!("\"{USER}\" \"{PASSWORD}\"\n"));
    // PgBouncer runs as another user if the tests run as root.
    for path in [sandbox.root().to_owned(), sandbox.bugle_home()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    pooler::hand_over(&folder);
    Pooler::start(&folder.join("pgbouncer.ini"))
}

/// The settings that the configuration asks for.
fn printed_settings(config: &str) -> String {
    let lines = config.lines().filter_map(|line| line.strip_prefix(";   "));
    let lines = lines.filter(|line| line.starts_with("store: ") || line.starts_with("listen: "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_printed_configuration_runs_and_passes_the_check() {
    let Some((sandbox, _server, url)) = sandbox() else {
        return;
    };
    let first = sandbox.start(&["three"]);
    let unpooled = sandbox.run(&["store", "pooler", "--check"]);
    unpooled.fails(1, "is not a pooler in transaction mode");
    let config = sandbox.run(&["store", "pooler"]).ok().out;
    assert!(config.contains("pool_mode = transaction"), "{config}");
    assert!(!config.contains(PASSWORD), "{config}");
    let _pooler = start(&sandbox, &config);
    // Bugle finds the pooler at its usual location, even though the settings do not contain its URL yet.
    sandbox.run(&["store", "pooler", "--check"]).ok();
    let lines = printed_settings(&config);
    assert_eq!(lines.lines().count(), 2, "{config}");
    let listen = format!("listen: {url}");
    let lines: Vec<&str> = lines
        .lines()
        .map(|line| if line.starts_with("listen") { &listen } else { line })
        .collect();
    fs::write(settings(&sandbox), lines.join("\n")).unwrap();
    let checked = sandbox.run(&["store", "pooler", "--check"]).ok().out;
    for words in [
        "answers",
        "transaction mode",
        "Transactions work",
        "Notifications arrive",
    ] {
        assert!(checked.contains(words), "{words}: {checked}");
    }
    // With the settings in place, the configuration stays the same.
    let again = sandbox.run(&["store", "pooler"]).ok().out;
    assert_eq!(again, config);
    let second = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    assert_eq!(second.step, "second");
    sandbox.verify();
    let doctor = sandbox.run(&["doctor"]).out;
    assert!(doctor.contains("through the pooler"), "{doctor}");
}

#[test]
fn doctor_says_how_long_a_connection_takes_without_a_pooler() {
    let Some((sandbox, ..)) = sandbox() else {
        return;
    };
    let doctor = sandbox.run(&["doctor"]).out;
    assert!(doctor.contains("store pooler"), "{doctor}");
    let file = Sandbox::new();
    file.run(&["task", "add", "Task"]).ok();
    let doctor = file.run(&["doctor"]).out;
    assert!(!doctor.contains("pooler"), "{doctor}");
    file.run(&["store", "pooler"]).fails(2, "needs no pooler");
}
