//! Whose run it is, from outside: a run holds whoever goes on with it, nobody takes one silently from a session that may
//! still be at it, and everybody is told whose it is and how to take it.

use serde_json::{Value, json};

use crate::harness::{Answer, Sandbox};
use crate::hooked::{Client, GUARDED};
use crate::shown::Step;

fn file() -> Value {
    json!({ "file_path": "src/a.rs" })
}

fn begins(client: Client<'_>, source: &str) -> String {
    client.context("SessionStart", &json!({ "source": source }))
}

fn ends(client: Client<'_>, reason: &str) {
    assert_eq!(client.hook("SessionEnd", &json!({ "reason": reason })), "");
}

/// A command that the agent of a session runs.
fn by(client: Client<'_>, arguments: &[&str]) -> Answer {
    client
        .sandbox
        .run_in_session("CLAUDE_CODE_SESSION_ID", client.session, arguments)
}

/// Whether the guarded step holds a session: its tools are denied, and it does not stop.
fn is_held(client: Client<'_>) -> bool {
    let denied = !client.denied("Edit", &file()).is_empty();
    let kept = !client.stop(false).is_empty();
    assert_eq!(denied, kept, "both or neither");
    denied
}

/// A run that session-one has begun.
fn begun(sandbox: &Sandbox) -> (Client<'_>, Client<'_>, Step) {
    let first = Client::claude(sandbox);
    let step = first.start(&["guarded"]);
    (first, first.session("session-two"), step)
}

#[test]
fn a_run_whose_session_is_over_goes_on_in_the_next_and_holds_it() {
    for source in ["startup", "clear", "resume"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        ends(first, "other");
        let told = begins(next, source);
        assert!(told.contains(step.command()), "{source}: {told}");
        assert!(
            told.contains("@session-one, whose session is over"),
            "{source}: {told}"
        );
        assert!(
            told.contains(&format!("bugle pause {}", step.run)),
            "the way out: {told}"
        );
        assert!(!told.contains("only if that one is over"), "{told}");
        assert!(is_held(next), "{source}");
        assert_eq!(
            first.denied("Edit", &file()),
            "",
            "the old session has nothing left"
        );
        // It was said once.
        assert!(!begins(next, "compact").contains("whose session is over"));
    }
}

#[test]
fn a_run_that_was_started_outside_a_session_is_offered_to_the_next_one_in_a_line() {
    for source in ["startup", "resume", "clear", "compact"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let step = sandbox.start(&["guarded"]);
        let client = Client::claude(&sandbox);
        let told = begins(client, source);
        let lines: Vec<&str> = told.lines().filter(|line| line.contains(&step.run)).collect();
        assert_eq!(lines.len(), 1, "{told}");
        assert!(lines[0].contains("was started outside a session"), "{told}");
        assert!(lines[0].contains(&format!("bugle resume {}", step.run)), "{told}");
        assert!(!told.contains(step.command()), "{told}");
        // The session is not held to it.
        assert!(!is_held(client), "{source}");
        assert_eq!(client.stop(false), "");
    }
}

#[test]
fn a_run_that_was_started_outside_a_session_goes_to_the_agent_that_continues_it() {
    for command in ["step", "done", "resume"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let step = sandbox.start(&["guarded"]);
        let client = Client::claude(&sandbox);
        assert_eq!(client.denied("Edit", &file()), "", "nobody has it yet");
        match command {
            "done" => {
                by(client, &["done", &step.visit, "--result", "{}"]).refused("result-mismatch");
            }
            other => assert!(by(client, &[other, &step.run]).ok().step().notices.is_empty()),
        }
        assert!(is_held(client), "{command}");
    }
}

#[test]
fn whoever_goes_on_with_a_run_whose_session_is_over_is_held_to_it() {
    for words in [vec!["step"], vec!["done"], vec!["resume"]] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        // The other session was there before, and is at something else.
        begins(next, "startup");
        ends(first, "other");
        assert!(!is_held(next), "it has not turned to it");
        let notices = if words == ["done"] {
            let result = json!({ "seen": "all" }).to_string();
            let next_step = by(next, &["done", &step.visit, "--result", &result]).ok().step();
            sandbox.run_as_person(&["rewind", &step.visit]).ok();
            next_step.notices
        } else {
            by(next, &[words[0], &step.run]).ok().step().notices
        };
        assert!(
            notices[0].contains("@session-one, whose session is over"),
            "{words:?}: {notices:?}"
        );
        assert!(is_held(next), "{words:?}");
    }
}

#[test]
fn a_session_that_may_be_at_its_run_keeps_it_until_somebody_takes_it_over() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    begins(first, "startup");
    begins(next, "startup");
    assert!(!is_held(next) && is_held(first));
    let take = format!("bugle resume {}", step.run);
    let shown = by(next, &["step"]).ok().step();
    assert!(
        shown.notices[0].contains("with @session-one"),
        "{:?}",
        shown.notices
    );
    assert!(shown.notices[0].contains(&take), "{:?}", shown.notices);
    assert!(!is_held(next), "looking takes nothing");
    let result = json!({ "seen": "all" }).to_string();
    let done = by(next, &["done", &step.visit, "--result", &result]).ok().step();
    assert!(done.notices[0].contains(&take), "{:?}", done.notices);
    sandbox.run_as_person(&["rewind", &step.visit]).ok();
    assert!(
        !is_held(next) && is_held(first),
        "reporting for somebody takes nothing"
    );
    let taken = by(next, &["resume", &step.run]).ok().step();
    assert!(
        taken.notices[0].contains("was with @session-one"),
        "{:?}",
        taken.notices
    );
    assert!(is_held(next) && !is_held(first));
    assert_eq!(by(next, &["step"]).ok().step().notices, [""; 0]);
    let told = begins(first, "resume");
    assert!(told.contains("@session-two") && told.contains(&take), "{told}");
}

#[test]
fn a_session_at_work_is_not_given_what_another_left() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    begins(first, "startup");
    begins(next, "startup");
    ends(first, "other");
    // In the middle of something else, it is told; it is not stopped from what it does.
    let told = begins(next, "compact");
    assert!(told.contains(&format!("bugle resume {}", step.run)), "{told}");
    assert!(!told.contains(step.command()), "{told}");
    assert!(!is_held(next));
}

#[test]
fn a_run_that_was_put_aside_is_given_to_nobody() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    sandbox.run_as_person(&["pause", &step.run]).ok();
    ends(first, "other");
    begins(next, "startup");
    sandbox.run(&["resume", &step.run]).ok();
    assert!(!is_held(next), "a person took it up, for nobody in particular");
    assert!(by(next, &["resume", &step.run]).ok().step().run == step.run);
    assert!(is_held(next));
}

#[test]
fn a_run_of_another_work_tree_is_named_and_not_handed_over() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    sandbox.git_init();
    let tree = sandbox.work_tree("other");
    let (first, next, step) = begun(&sandbox);
    ends(first, "other");
    let there = json!({ "source": "startup", "cwd": tree });
    let told = next.context("SessionStart", &there);
    assert!(told.contains(&format!("bugle resume {}", step.run)), "{told}");
    assert!(!told.contains(step.command()), "{told}");
    assert_eq!(next.denied("Edit", &file()), "");
    // In its own tree it is handed over.
    assert!(begins(next.session("session-three"), "startup").contains(step.command()));
}

#[test]
fn a_person_at_a_terminal_takes_nothing_from_anybody() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, _, step) = begun(&sandbox);
    begins(first, "startup");
    for words in [["step", &step.run], ["resume", &step.run]] {
        let shown = sandbox.run(&words).ok().step();
        assert_eq!(shown.notices, [""; 0], "nobody is told off at a terminal");
        assert!(is_held(first), "{words:?}");
    }
}

#[test]
fn a_session_that_died_without_a_word_hides_its_run_from_nobody() {
    for source in ["startup", "clear", "resume", "compact"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        begins(first, "startup");
        let three_days = 3 * 24 * 60 * 60 * 1000_i64;
        let connection = rusqlite::Connection::open(sandbox.database()).unwrap();
        for (table, column) in [
            ("session", "seen_at"),
            ("agent", "changed_at"),
            ("run", "changed_at"),
        ] {
            let statement = format!("UPDATE {table} SET {column} = {column} - {three_days}");
            connection.execute_batch(&statement).unwrap();
        }
        let told = begins(next, source);
        let line = format!(
            "Run {} of guarded is open here, with @session-one, last heard of 3 days ago. If that one is no longer at \
             it, this takes it over: `bugle resume {}`.",
            step.run, step.run
        );
        assert!(told.contains(&line), "{source}: {told}");
        assert!(
            !told.contains("Nothing is open") && !told.contains("other run"),
            "{source}: {told}"
        );
        assert!(!is_held(next), "nothing is taken by age");
        let taken = by(next, &["resume", &step.run]).ok().step();
        assert_eq!(taken.visit, step.visit, "it goes on at the same step");
        assert!(is_held(next), "{source}");
    }
}

#[test]
fn of_several_runs_that_others_have_one_is_named_and_the_rest_is_counted() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    for session in ["session-one", "session-two", "session-three"] {
        begins(client.session(session), "startup");
        client.session(session).start(&["guarded"]);
    }
    let told = begins(client.session("session-four"), "startup");
    assert_eq!(told.matches("bugle resume r-").count(), 1, "{told}");
    assert!(
        told.contains("2 other runs are open here: `bugle runs --open`"),
        "{told}"
    );
}

#[test]
fn an_agent_that_bugle_started_keeps_its_run_between_two_turns() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    begins(first, "startup");
    ends(first, "other");
    // What there is of an agent that `bugle spawn` started: it is taken up again when somebody speaks to it.
    let connection = rusqlite::Connection::open(sandbox.database()).unwrap();
    connection
        .execute_batch(
            "INSERT INTO launch (project_id, agent, arguments, state, is_new_session, told_after, told_up_to, changed_at) \
             SELECT project_id, address, '[]', 'settled', 0, 0, 0, 0 FROM agent WHERE session = 'session-one'",
        )
        .unwrap();
    let told = begins(next, "startup");
    assert!(
        told.contains("with @session-one, last heard of less than a minute ago"),
        "{told}"
    );
    assert!(!told.contains(step.command()), "{told}");
    assert!(!is_held(next));
}
