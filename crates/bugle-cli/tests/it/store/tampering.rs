//! `store verify` reports exactly the rows that were changed outside Bugle.

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use crate::support::sandbox::{Sandbox, all_at_once};
use crate::support::workflows::THREE;

/// A workflow with two sub-agents, evidence and a question.
const WORKED: &str = "
version: 1
steps:
  first:
    title: Begin
    do: Begin.
    result:
      word: { type: string, min: 1 }
    next: look
  look:
    title: Have it looked at
    do: Have it looked at.
    dispatch: { role: explore, workflow: agents/look.yaml, for_each: \"['a', 'b']\", as: target, limit: 2 }
    next: prove
  prove:
    title: Prove it
    do: Prove it.
    expect:
      - command: 'true'
    next: confirm
  confirm:
    title: Confirm it
    do: Ask.
    ask: { question: Go on?, choices: [go, stop] }
    next: last
  last:
    title: End it
    do: End it.
    next: end
";
const LOOK: &str = "
version: 1
params:
  target: { type: string, required: true }
steps:
  look:
    title: Look
    do: 'Look at {{ params.target }}.'
    result:
      seen: { type: string, min: 1 }
    next: end
";

/// A store with a bit of everything; returns the run and its first sub-agent's run.
fn worked() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let folder = sandbox.skill("worked", WORKED);
    sandbox.write(&folder.join("agents/look.yaml"), LOOK);
    sandbox.run_as_person(&["trust", "worked"]).ok();
    let first = sandbox.start(&["worked"]);
    let look = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    let mut children = Vec::new();
    for start in &look.starts {
        let child = sandbox.printed(start).ok().step();
        sandbox.report(&child, &json!({ "seen": "it" })).ok();
        children.push(child.run);
    }
    let prove = sandbox.printed(look.command()).ok().step();
    sandbox.printed(prove.command()).ok().step();
    sandbox.run(&["task", "add", "Write it"]).ok();
    sandbox
        .run(&["say", "@backend look at the parser", "--as", "lead"])
        .exits(0);
    sandbox
        .run(&["say", "@backend and at the lexer", "--as", "lead"])
        .exits(0);
    sandbox.verify();
    (sandbox, first.run, children.remove(0))
}

/// The errors that `store verify` reports after these SQL statements, which are undone afterwards.
fn faults(sandbox: &Sandbox, statements: &str) -> Vec<String> {
    let copy = sandbox.root().join("kept.db");
    let connection = Connection::open(sandbox.database()).unwrap();
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    fs::copy(sandbox.database(), &copy).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection.execute_batch(statements).unwrap();
    drop(connection);
    let verified = sandbox.run(&["store", "verify"]);
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", sandbox.database().display()));
    }
    fs::copy(&copy, sandbox.database()).unwrap();
    let lines = verified.out.lines();
    lines
        .filter_map(|line| line.strip_prefix("error: "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_forgery_is_reported() {
    let (sandbox, run, child) = worked();
    let forgeries = [
        (format!("DELETE FROM event WHERE run_id = '{child}'"), child.clone()),
        (
            format!("DELETE FROM event WHERE run_id = '{child}'; DELETE FROM run WHERE id = '{child}'"),
            format!("the sub-agent run {child} is missing"),
        ),
        (
            format!(
                "INSERT INTO event (run_id, seq, happened_at, actor, body) SELECT run_id, seq + 1, happened_at, actor, \
                 '\"completed\"' FROM event WHERE run_id = '{run}' ORDER BY seq DESC LIMIT 1; \
                 UPDATE run SET status = 'completed', step = NULL, visit = NULL, version = version + 1 WHERE id = '{run}'"
            ),
            format!("of run {run} was changed"),
        ),
        (
            format!("UPDATE event SET actor = '{{\"person\":\"root\"}}' WHERE run_id = '{run}' AND seq = 3"),
            format!("event 3 of run {run} was changed"),
        ),
        (
            format!("UPDATE event SET happened_at = happened_at + 1 WHERE run_id = '{run}' AND seq = 4"),
            format!("event 4 of run {run} was changed"),
        ),
        (
            format!(
                "UPDATE event SET seq = -1 WHERE run_id = '{run}' AND seq = 3; UPDATE event SET seq = 3 WHERE \
                 run_id = '{run}' AND seq = 4; UPDATE event SET seq = 4 WHERE run_id = '{run}' AND seq = -1"
            ),
            format!("event 3 of run {run} was changed"),
        ),
        (
            format!(
                "DELETE FROM event WHERE run_id = '{run}' AND seq = (SELECT version FROM run WHERE id = '{run}'); \
                 UPDATE run SET version = version - 1 WHERE id = '{run}'"
            ),
            format!("run {run} does not end with event"),
        ),
        (
            format!("UPDATE run SET task_id = (SELECT id FROM task LIMIT 1) WHERE id = '{run}'"),
            format!("run {run}: the row and the events differ in the task"),
        ),
        (
            "UPDATE compiled SET body = replace(body, '\"Prove it', '\"Skip it')".to_owned(),
            "the compiled form of the pinned skill".to_owned(),
        ),
        (
            "UPDATE message SET body = 'look elsewhere' WHERE link = 1".to_owned(),
            "was changed: it does not match its hash".to_owned(),
        ),
        (
            "DELETE FROM message WHERE link = 2; DELETE FROM delivery WHERE seq = 2; UPDATE mailbox SET delivered = 1 \
             WHERE delivered = 2"
                .to_owned(),
            "messages were removed from or added to the end of the log".to_owned(),
        ),
        (
            "DELETE FROM delivery WHERE seq = 1; UPDATE delivery SET seq = 1; UPDATE mailbox SET delivered = 1 WHERE \
             delivered = 2"
                .to_owned(),
            "a delivery of message".to_owned(),
        ),
        (
            "UPDATE mailbox SET taken = 1 WHERE delivered = 2".to_owned(),
            "disagree on whether the message was read".to_owned(),
        ),
        (
            "INSERT INTO trust (pin, skill, given_by, given_at) SELECT hash, 'evil', '\"program\"', 1 FROM blob \
             WHERE hash NOT IN (SELECT pin FROM trust) LIMIT 1".to_owned(),
            "skill evil is trusted".to_owned(),
        ),
        (
            "DELETE FROM trust".to_owned(),
            "was removed without a recorded decision".to_owned(),
        ),
        (
            "DELETE FROM trust; DELETE FROM trust_event".to_owned(),
            "trust decisions at the end of the log were added or removed outside Bugle".to_owned(),
        ),
        (
            "UPDATE task_event SET actor = '{\"person\":\"root\"}'".to_owned(),
            "of task".to_owned(),
        ),
    ];
    for (statements, fault) in forgeries {
        let found = faults(&sandbox, &statements);
        assert!(
            found.iter().any(|line| line.contains(&fault)),
            "{statements}\n{fault:?} is not in {found:#?}"
        );
    }
    sandbox.verify();
}

#[test]
fn an_edited_compiled_form_is_not_used() {
    let (sandbox, run, _) = worked();
    let connection = Connection::open(sandbox.database()).unwrap();
    connection
        .execute(
            "UPDATE compiled SET body = replace(body, 'End it', 'Skip it')",
            [],
        )
        .unwrap();
    drop(connection);
    let failed = sandbox.run(&["step", &run]).fails(1, "was changed outside Bugle");
    assert!(failed.err.contains("bugle store verify"), "{}", failed.err);
}

#[test]
fn a_history_that_the_workflow_could_not_have_produced_is_found_by_the_rules() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.report(&first, &json!({ "word": "one" })).ok().step();
    // In the changed events, the run enters `third` instead of `second`.
    let found = faults(
        &sandbox,
        &format!(
            "UPDATE event SET body = replace(body, '\"step\":\"second\"', '\"step\":\"third\"') WHERE run_id = '{}'; \
             UPDATE run SET step = 'third' WHERE id = '{}'",
            first.run, first.run
        ),
    );
    let expected = format!(
        "run {}: event 4 is impossible: replaying the rules gives a different event",
        second.run
    );
    assert!(found.contains(&expected), "{found:#?}");
}

#[test]
fn a_store_is_verified_in_one_snapshot_while_others_write() {
    const WRITERS: usize = 4;
    const ROUNDS: usize = 6;
    let (sandbox, ..) = worked();
    for round in 0..ROUNDS {
        let mut commands = Vec::new();
        for writer in 0..WRITERS {
            let text = format!("@backend round {round} of {writer}");
            commands.push(sandbox.bugle(&["say", &text, "--as", "lead"]));
            commands.push(sandbox.bugle(&["start", "worked"]));
            commands.push(sandbox.bugle(&["task", "add", &text]));
            commands.push(sandbox.bugle(&["messages", "--unread", "--take", "--for", "backend"]));
            commands.push(sandbox.bugle(&["store", "verify"]));
        }
        for answer in all_at_once(commands) {
            let answer = answer.exits(0);
            assert!(!answer.out.contains("error: "), "{}", answer.out);
        }
    }
    sandbox.verify();
}
