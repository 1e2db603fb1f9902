//! Runs the process tests on Postgres. `BUGLE_TEST_STORE=postgres cargo test -p bugle-cli --test it` runs all of them.

use std::process::Command;

use bugle_testkit::postgres;

use crate::support::test_store::STORE_VARIABLE;

/// The tests of these subjects run on both engines.
const SUBJECTS: &[&str] = &[
    "runs::",
    "tasks::",
    "plans::",
    "messages::",
    "agents::",
    "hooks::",
    "supervisor::",
];

#[test]
fn process_tests_of_every_subject_pass_on_postgres() {
    if !postgres::is_available() || std::env::var_os(STORE_VARIABLE).is_some() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().unwrap());
    let output = tests
        .args(SUBJECTS)
        .env(STORE_VARIABLE, "postgres")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for subject in SUBJECTS {
        assert!(
            text.contains(&format!("test {subject}")),
            "no test of {subject} ran"
        );
    }
}
