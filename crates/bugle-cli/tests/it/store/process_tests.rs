//! Runs the process tests on Postgres. `BUGLE_TEST_STORE=postgres cargo test -p bugle-cli --test it` runs all of them.

use bugle_testkit::test_store::assert_pass_on_postgres;

#[test]
fn process_tests_of_every_subject_pass_on_postgres() {
    assert_pass_on_postgres(&[
        "runs::",
        "tasks::",
        "plans::",
        "messages::",
        "agents::",
        "hooks::",
        "supervisor::",
    ]);
}
