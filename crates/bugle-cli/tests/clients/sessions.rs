//! Client behaviour that the other tests rely on: clients talk only to the scripted model, run its tool calls, keep
//! their session, and compact it.

use std::time::Duration;

use bugle_testkit::clients::{CROWDED, Client, Finished, ROOMY};
use bugle_testkit::model_server::{Protocol, Reply, turns};

use crate::sandbox;

/// How long a client may take to reach the point that a test waits for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Asserts that the client sent requests to the model only.
fn asked_only_the_model(finished: &Finished) {
    for request in finished.requests() {
        assert!(request.protocol.is_some(), "{} {}", request.method, request.path);
    }
}

fn one_turn(client: Client, protocol: Protocol) {
    let Some(sandbox) = sandbox(client) else { return };
    let model = turns("", [Reply::text("Hello to you.")]);
    let finished = sandbox.launch("Say hello.").run(model).ok();
    assert_eq!(finished.answer(), "Hello to you.");
    asked_only_the_model(&finished);
    let requests = finished.requests();
    assert_eq!(requests.len(), 1, "{finished}");
    assert_eq!(requests[0].protocol, Some(protocol));
    assert!(requests[0].news().contains("Say hello."), "{finished}");
    assert_eq!(requests[0].session(), Some(finished.session().as_str()));
}

#[test]
fn claude_answers_with_what_the_model_says() {
    one_turn(Client::Claude, Protocol::Messages);
}

#[test]
fn codex_answers_with_what_the_model_says() {
    one_turn(Client::Codex, Protocol::Responses);
}

/// The client's shell finds the program under test, has no network, and knows the session.
fn shell(client: Client, variable: &str) {
    let Some(sandbox) = sandbox(client) else { return };
    let devices = "$(tail -n +3 /proc/net/dev | cut -d : -f 1 | xargs)";
    let facts = format!("echo \"session: ${variable}; devices: {devices};\"");
    let model = turns("", [Reply::shell("bugle skill list"), Reply::shell(facts)]);
    let finished = sandbox.launch("Which skills are there?").run(model).ok();
    asked_only_the_model(&finished);
    let requests = finished.requests();
    assert_eq!(requests.len(), 3, "{finished}");
    let listed = requests[1].last_tool_result().unwrap();
    assert!(listed.contains("decision-critic"), "{finished}");
    let told = requests[2].last_tool_result().unwrap();
    let wanted = format!("session: {}; devices: lo;", finished.session());
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn claude_runs_bugle_in_its_session() {
    shell(Client::Claude, "CLAUDE_CODE_SESSION_ID");
}

#[test]
fn codex_runs_bugle_in_its_session() {
    shell(Client::Codex, "CODEX_THREAD_ID");
}

/// A session continues in another process, with its history.
fn resume(client: Client) {
    let Some(sandbox) = sandbox(client) else { return };
    let first = sandbox
        .launch("Remember this.")
        .run(turns("", [Reply::text("I do.")]))
        .ok();
    let session = first.session();
    let model = turns("", [Reply::shell("echo again"), Reply::text("Still here.")]);
    let second = sandbox.launch("Go on.").resume(&session).run(model).ok();
    assert_eq!(second.session(), session);
    assert_eq!(second.answer(), "Still here.");
    let request = second.requests()[0];
    assert!(request.shown().contains("Remember this."), "{second}");
    assert!(request.news().contains("Go on."), "{second}");
}

#[test]
fn claude_continues_a_session() {
    resume(Client::Claude);
}

#[test]
fn codex_continues_a_session() {
    resume(Client::Codex);
}

/// A client compacts its session in the middle of its work: only the model's summary is left.
fn compaction(client: Client) {
    let Some(sandbox) = sandbox(client) else { return };
    let summary = "<summary>The word is nightingale.</summary>";
    let model = turns(
        summary,
        [
            Reply::shell("echo forgotten-1").at(ROOMY / 2),
            Reply::shell("echo forgotten-2").at(ROOMY),
            Reply::shell("echo forgotten-3").at(CROWDED),
            Reply::shell("echo kept"),
            Reply::text("Done."),
        ],
    );
    let finished = sandbox
        .launch("Work for long.")
        .compacting_early()
        .run(model)
        .ok();
    assert_eq!(finished.answer(), "Done.");
    asked_only_the_model(&finished);
    let requests = finished.requests();
    let summaries: Vec<usize> = requests
        .iter()
        .filter(|request| request.asks_for_summary())
        .map(|request| request.number)
        .collect();
    assert_eq!(summaries, [4], "{finished}");
    assert!(requests[3].shown().contains("forgotten-1"), "{finished}");
    assert_eq!(requests.len(), 6, "{finished}");
    assert!(requests[4].shown().contains("nightingale"), "{finished}");
    assert!(!requests[4].shown().contains("forgotten-1"), "{finished}");
    assert!(
        requests[5].last_tool_result().unwrap().contains("kept"),
        "{finished}"
    );
    let session = finished.session();
    for request in requests {
        assert_eq!(request.session(), Some(session.as_str()), "{finished}");
    }
}

#[test]
fn claude_compacts_in_the_middle_of_its_work() {
    compaction(Client::Claude);
}

#[test]
fn codex_compacts_in_the_middle_of_its_work() {
    compaction(Client::Codex);
}

/// A client is killed in the middle of a command, and its session continues.
fn kill(client: Client) {
    let Some(sandbox) = sandbox(client) else { return };
    let commands = ["echo before", "echo between", "tail -f /dev/null"];
    let running = sandbox
        .launch("Work.")
        .start(turns("", commands.map(Reply::shell)));
    let third = running
        .log()
        .wait_for(|exchange| exchange.request.number == 3, PATIENCE);
    assert!(third.is_some(), "{:?}", running.log());
    let killed = running.kill();
    assert_eq!(killed.code, None, "{killed}");
    let again = sandbox
        .launch("Go on.")
        .resume(&killed.session())
        .run(turns("", []))
        .ok();
    assert!(again.requests()[0].shown().contains("before"), "{again}");
}

#[test]
fn claude_can_be_killed_and_its_session_continues() {
    kill(Client::Claude);
}

#[test]
fn codex_can_be_killed_and_its_session_continues() {
    kill(Client::Codex);
}

#[test]
fn claude_stays_for_more_than_one_turn() {
    let Some(sandbox) = sandbox(Client::Claude) else {
        return;
    };
    let model = turns("", [Reply::text("One."), Reply::text("Two.")]);
    let mut running = sandbox.launch("First.").resident().start(model);
    let first = running
        .log()
        .wait_for(|exchange| exchange.request.number == 1, PATIENCE);
    assert!(first.is_some(), "{:?}", running.log());
    running.say("Second.");
    let finished = running.finish().ok();
    assert_eq!(finished.answer(), "Two.");
    let requests = finished.requests();
    assert_eq!(requests.len(), 2, "{finished}");
    assert!(requests[1].news().contains("Second."), "{finished}");
    assert_eq!(requests[0].session(), requests[1].session());
}
