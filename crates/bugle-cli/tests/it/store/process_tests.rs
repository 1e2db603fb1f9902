//! Runs a selection of the process tests on Postgres. `BUGLE_TEST_STORE=postgres cargo test -p bugle-cli --test it`
//! runs all of them.

use std::process::Command;

use bugle_testkit::postgres;

use crate::support::test_store::STORE_VARIABLE;

/// The selected tests, by the beginning of their names.
const TESTS: &[&str] = &[
    "runs::exactly_once",
    "tasks::claims::sixty_four_processes_share_forty",
    "tasks::claims::the_tree_stays_consistent_when_many_processes_finish",
    "plans::order",
    "messages::questions::sixty_four_agents",
    "messages::delivery::sixty_four_processes",
    "agents::identity::a_session_is_an_agent",
    "agents::identity::agents_are_shown",
    "hooks::messages::at_an_open_step",
    "hooks::messages::many_short_messages",
    "supervisor::turns",
];

#[test]
fn process_tests_of_every_subject_pass_on_postgres() {
    if !postgres::is_available() || std::env::var_os(STORE_VARIABLE).is_some() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().unwrap());
    let output = tests
        .args(TESTS)
        .env(STORE_VARIABLE, "postgres")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for test in TESTS {
        assert!(text.contains(&format!("test {test}")), "no test is named {test}");
    }
}
