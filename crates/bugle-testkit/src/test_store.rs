//! The engine that tests use: a file, or with `BUGLE_TEST_STORE=postgres` a database on a server that the tests start.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a failed test panics"
)]

use std::process::Command;
use std::sync::OnceLock;

use crate::postgres;

/// The variable that selects the engine.
const STORE_VARIABLE: &str = "BUGLE_TEST_STORE";

/// Tests that always use a file: the reason, and the beginnings of their names.
pub type FileOnly = &'static [(&'static str, &'static [&'static str])];

fn is_postgres_selected() -> bool {
    std::env::var(STORE_VARIABLE).is_ok_and(|store| store == "postgres")
}

/// The URL of a new store for the current test; `None` if the store is a file. `create` creates an empty store at a
/// URL.
pub fn url(file_only: FileOnly, create: fn(&str)) -> Option<String> {
    if !is_postgres_selected() {
        return None;
    }
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let is_named = |names: &[&str]| names.iter().any(|name| test.starts_with(name));
    if let Some((why, _)) = file_only.iter().find(|(_, names)| is_named(names)) {
        eprintln!("on SQLite: {why}");
        return None;
    }
    let server = postgres::shared();
    Some(server.url(&server.copy_database(template(create))))
}

/// The name of the database in a URL of [`url`].
pub fn database_in(url: &str) -> Option<&str> {
    let (_, name) = url.split_once("@/")?;
    name.split('?').next()
}

/// A database with an empty store: copying it is faster than creating the tables.
fn template(create: fn(&str)) -> &'static str {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let server = postgres::shared();
        let name = server.create_database();
        create(&server.url(&name));
        name
    })
}

/// Runs this test program's tests of these subjects again, on Postgres.
#[track_caller]
pub fn assert_pass_on_postgres(subjects: &[&str]) {
    if !postgres::is_available() || is_postgres_selected() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().expect("a test program"));
    tests.args(subjects).env(STORE_VARIABLE, "postgres");
    let output = tests.output().expect("the tests run");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for subject in subjects {
        assert!(
            text.contains(&format!("test {subject}")),
            "no test of {subject} ran"
        );
    }
}
