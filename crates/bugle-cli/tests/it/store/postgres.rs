//! A store on a Postgres server that several machines share.

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Stdio};

use bugle_testkit::postgres::{PASSWORD, USER};
use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::test_store::{database, sandbox_with_store};
use crate::support::workflows::THREE;

#[test]
fn a_run_that_one_machine_started_is_continued_on_another() {
    let Some((server, database)) = database() else {
        return;
    };
    let url = || server.network_url(USER, PASSWORD, &database);
    let (one, other) = (sandbox_with_store(url()), sandbox_with_store(url()));
    one.skill("three", THREE);
    let first = one.start(&["three"]);
    let second = one.report(&first, &json!({ "word": "one" })).ok().step();
    let there = other.run(&["step", &second.run]).ok().step();
    assert_eq!((&there.visit, &there.action), (&second.visit, &second.action));
    let third = other.report(&there, &json!({ "word": "two" })).ok().step();
    assert_eq!(third.step, "third");
    assert_eq!(one.run(&["step", &second.run]).ok().step().visit, third.visit);
    // Repeating the report returns the same answer.
    fs::write(second.result_file(), json!({ "word": "two" }).to_string()).unwrap();
    assert_eq!(one.printed(second.command()).ok().step().visit, third.visit);
    other.verify();
    assert!(!one.database().exists() && !other.database().exists());
}

#[test]
fn the_users_settings_name_the_store_and_a_projects_settings_cannot() {
    let Some((server, database)) = database() else {
        return;
    };
    let sandbox = Sandbox::new();
    let url = server.network_url(USER, PASSWORD, &database);
    sandbox.write(
        &sandbox.bugle_home().join("config.yaml"),
        format!("store: {url}\n"),
    );
    let verified = sandbox.run(&["store", "verify"]).ok();
    assert!(verified.out.contains("postgres://"), "{}", verified.out);
    assert!(!verified.out.contains(PASSWORD), "{}", verified.out);
    let careless = Sandbox::with_skill("three", THREE);
    careless.write(
        &careless.project().join(".bugle/config.yaml"),
        format!("store: {url}\n"),
    );
    careless
        .run(&["start", "three"])
        .fails(2, "`store` is allowed only in the settings in Bugle's home");
    assert_eq!(server.sql(&database, "SELECT COUNT(*) FROM run"), "0");
}

#[test]
fn many_processes_on_two_machines_claim_each_task_once() {
    const PROCESSES: usize = 16;
    let Some((server, database)) = database() else {
        return;
    };
    let one = sandbox_with_store(server.url(&database));
    for number in 0..PROCESSES {
        one.run(&["task", "add", &format!("Task {number}")]).ok();
    }
    // The same project with another home: another machine with the same files.
    let home = one.root().join("other-home");
    let claims: Vec<Child> = (0..PROCESSES)
        .map(|number| {
            let name = format!("agent-{number}");
            let mut command = one.bugle(&["--as", &name, "task", "claim", "--json"]);
            if number % 2 == 0 {
                command.env("BUGLE_HOME", &home);
            }
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for claim in claims {
        let output = claim.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    }
    let active = "SELECT COUNT(*) FROM task WHERE standing = 'active'";
    assert_eq!(server.sql(&database, active), PROCESSES.to_string());
    let started = "SELECT COUNT(*) FROM task_event WHERE seq > 1";
    assert_eq!(server.sql(&database, started), PROCESSES.to_string());
    one.verify();
}

#[test]
fn a_server_that_cannot_be_used_is_a_plain_error_and_hooks_let_the_client_continue() {
    let Some((server, database)) = database() else {
        return;
    };
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // The kernel accepts connections, but no program answers.
    let stalled = TcpListener::bind("127.0.0.1:0").unwrap();
    let stalled = format!(
        "postgres://{USER}:{PASSWORD}@{}/team",
        stalled.local_addr().unwrap()
    );
    for (url, words) in [
        (
            server.network_url(USER, "wr0ng", &database),
            "cannot sign in to the database",
        ),
        (
            server.network_url(USER, PASSWORD, "elsewhere"),
            "cannot open the database",
        ),
        (
            format!("postgres://{USER}:{PASSWORD}@{closed}/team"),
            "cannot connect to the database",
        ),
        ("file:///tmp/bugle.db".to_owned(), "cannot use the database URL"),
    ] {
        let sandbox = sandbox_with_store(url);
        let failed = sandbox.run(&["run", "list"]).fails(1, words);
        assert!(failed.err.contains("Nothing was changed."), "{}", failed.err);
        assert!(
            !failed.err.contains(PASSWORD) && !failed.err.contains("wr0ng"),
            "{}",
            failed.err
        );
        assert!(!sandbox.database().exists());
    }
    let sandbox = sandbox_with_store(stalled);
    let call = json!({ "session_id": "s", "cwd": sandbox.project(), "hook_event_name": "Stop" });
    let file = sandbox.root().join("call.json");
    fs::write(&file, call.to_string()).unwrap();
    let mut hook = sandbox.bugle(&["hook", "Stop", "--client", "claude"]);
    hook.stdin(fs::File::open(&file).unwrap());
    let output = hook.output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}
