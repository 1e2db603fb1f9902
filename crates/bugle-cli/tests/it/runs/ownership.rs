//! Run ownership: no session silently takes a run from another session that may still work on it.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;

fn file() -> Value {
    json!({ "file_path": "src/a.rs" })
}

/// Whether the guarded step restricts a session: the session's tools are denied, and the session may not stop.
fn is_held(client: Client<'_>) -> bool {
    let denied = !client.denied("Edit", &file()).is_empty();
    let kept = !client.stop(false).is_empty();
    assert_eq!(denied, kept, "both or neither");
    denied
}

/// A run that session-one has started.
fn begun(sandbox: &Sandbox) -> (Client<'_>, Client<'_>, Step) {
    let first = Client::claude(sandbox);
    let step = first.start(&["guarded"]);
    (first, first.session("session-two"), step)
}

#[test]
fn a_run_whose_session_ended_continues_in_the_next_and_restricts_it() {
    for source in ["startup", "clear", "resume"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        first.end_session("other");
        let told = next.begin_session(source);
        assert!(told.contains(step.command()), "{source}: {told}");
        assert!(
            told.contains("@session-one, whose session has ended"),
            "{source}: {told}"
        );
        assert!(
            told.contains(&format!("bugle run pause {}", step.run)),
            "the text names the way out: {told}"
        );
        assert!(!told.contains("only if that one is over"), "{told}");
        assert!(is_held(next), "{source}");
        assert_eq!(
            first.denied("Edit", &file()),
            "",
            "the old session has no run left"
        );
        // The notice appears once.
        assert!(!next.begin_session("compact").contains("whose session has ended"));
    }
}

#[test]
fn a_run_started_outside_a_session_is_offered_to_the_next_session_in_one_line() {
    for source in ["startup", "resume", "clear", "compact"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let step = sandbox.start(&["guarded"]);
        let client = Client::claude(&sandbox);
        let told = client.begin_session(source);
        let lines: Vec<&str> = told.lines().filter(|line| line.contains(&step.run)).collect();
        assert_eq!(lines.len(), 1, "{told}");
        assert!(lines[0].contains("was started outside any session"), "{told}");
        assert!(
            lines[0].contains(&format!("bugle run resume {}", step.run)),
            "{told}"
        );
        assert!(!told.contains(step.command()), "{told}");
        // The run does not restrict the session.
        assert!(!is_held(client), "{source}");
        assert_eq!(client.stop(false), "");
    }
}

#[test]
fn a_run_started_outside_a_session_goes_to_the_agent_that_continues_it() {
    for command in ["step", "done", "resume"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let step = sandbox.start(&["guarded"]);
        let client = Client::claude(&sandbox);
        assert_eq!(client.denied("Edit", &file()), "", "no session has it yet");
        match command {
            "done" => {
                client
                    .run(&["done", &step.visit, "--result", "{}"])
                    .refused("result-mismatch");
            }
            other => assert!(client.run(&[other, &step.run]).ok().step().notices.is_empty()),
        }
        assert!(is_held(client), "{command}");
    }
}

#[test]
fn a_session_that_continues_an_ended_sessions_run_is_restricted_by_it() {
    for words in [vec!["step"], vec!["done"], vec!["resume"]] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        // The other session existed before and is working on something else.
        next.begin_session("startup");
        first.end_session("other");
        assert!(!is_held(next), "the session has not continued the run yet");
        let notices = if words == ["done"] {
            let result = json!({ "seen": "all" }).to_string();
            let next_step = next.run(&["done", &step.visit, "--result", &result]).ok().step();
            sandbox.run_as_person(&["rewind", &step.visit]).ok();
            next_step.notices
        } else {
            next.run(&[words[0], &step.run]).ok().step().notices
        };
        assert!(
            notices[0].contains("@session-one, whose session has ended"),
            "{words:?}: {notices:?}"
        );
        assert!(is_held(next), "{words:?}");
    }
}

#[test]
fn a_session_that_may_be_active_keeps_its_run_until_a_takeover() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    first.begin_session("startup");
    next.begin_session("startup");
    assert!(!is_held(next) && is_held(first));
    let take = format!("bugle run resume {}", step.run);
    let shown = next.run(&["step"]).ok().step();
    assert!(
        shown.notices[0].contains("belongs to @session-one"),
        "{:?}",
        shown.notices
    );
    assert!(shown.notices[0].contains(&take), "{:?}", shown.notices);
    assert!(!is_held(next), "viewing a run does not take it");
    let result = json!({ "seen": "all" }).to_string();
    let done = next.run(&["done", &step.visit, "--result", &result]).ok().step();
    assert!(done.notices[0].contains(&take), "{:?}", done.notices);
    sandbox.run_as_person(&["rewind", &step.visit]).ok();
    assert!(
        !is_held(next) && is_held(first),
        "a report takes no run from its session"
    );
    let taken = next.run(&["resume", &step.run]).ok().step();
    assert!(
        taken.notices[0].contains("belonged to @session-one"),
        "{:?}",
        taken.notices
    );
    assert!(is_held(next) && !is_held(first));
    assert_eq!(next.run(&["step"]).ok().step().notices, [""; 0]);
    let told = first.begin_session("resume");
    assert!(told.contains("@session-two") && told.contains(&take), "{told}");
}

#[test]
fn a_busy_session_does_not_get_an_ended_sessions_run() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    first.begin_session("startup");
    next.begin_session("startup");
    first.end_session("other");
    // In the middle of other work, the session sees a notice and is not restricted.
    let told = next.begin_session("compact");
    assert!(told.contains(&format!("bugle run resume {}", step.run)), "{told}");
    assert!(!told.contains(step.command()), "{told}");
    assert!(!is_held(next));
}

#[test]
fn a_paused_run_is_selected_for_no_session() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    sandbox.run_as_person(&["pause", &step.run]).ok();
    first.end_session("other");
    next.begin_session("startup");
    sandbox.run(&["resume", &step.run]).ok();
    assert!(!is_held(next), "a person resumed it outside a session");
    assert!(next.run(&["resume", &step.run]).ok().step().run == step.run);
    assert!(is_held(next));
}

#[test]
fn a_run_in_another_worktree_is_named_and_not_handed_over() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    sandbox.git_init();
    let tree = sandbox.work_tree("other");
    let (first, next, step) = begun(&sandbox);
    first.end_session("other");
    let there = json!({ "source": "startup", "cwd": tree });
    let told = next.context("SessionStart", &there);
    assert!(told.contains(&format!("bugle run resume {}", step.run)), "{told}");
    assert!(!told.contains(step.command()), "{told}");
    assert_eq!(next.denied("Edit", &file()), "");
    // A new session in the run's own worktree receives the run.
    assert!(
        next.session("session-three")
            .begin_session("startup")
            .contains(step.command())
    );
}

#[test]
fn a_person_at_a_terminal_takes_no_run_from_a_session() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, _, step) = begun(&sandbox);
    first.begin_session("startup");
    for words in [["step", &step.run], ["resume", &step.run]] {
        let shown = sandbox.run(&words).ok().step();
        assert_eq!(shown.notices, [""; 0], "no notice at a terminal");
        assert!(is_held(first), "{words:?}");
    }
}

#[test]
fn a_session_that_crashed_does_not_hide_its_run() {
    for source in ["startup", "clear", "resume", "compact"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let (first, next, step) = begun(&sandbox);
        first.begin_session("startup");
        let three_days = 3 * 24 * 60 * 60 * 1000_i64;
        for (table, column) in [
            ("session", "seen_at"),
            ("agent", "changed_at"),
            ("run", "changed_at"),
        ] {
            let statement = format!("UPDATE {table} SET {column} = {column} - {three_days}");
            sandbox.sql(&statement);
        }
        let told = next.begin_session(source);
        let line = format!(
            "Run {} of guarded is open here. The run belongs to @session-one, last active 3 days ago. If that session is gone, \
             take the run over: `bugle run resume {}`.",
            step.run, step.run
        );
        assert!(told.contains(&line), "{source}: {told}");
        assert!(
            !told.contains("Nothing is open") && !told.contains("other run"),
            "{source}: {told}"
        );
        assert!(!is_held(next), "age alone does not transfer a run");
        let taken = next.run(&["resume", &step.run]).ok().step();
        assert_eq!(taken.visit, step.visit, "the run continues at the same step");
        assert!(is_held(next), "{source}");
    }
}

#[test]
fn one_of_several_runs_of_other_sessions_is_named_and_the_rest_are_counted() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    for session in ["session-one", "session-two", "session-three"] {
        client.session(session).begin_session("startup");
        client.session(session).start(&["guarded"]);
    }
    let told = client.session("session-four").begin_session("startup");
    assert_eq!(told.matches("bugle run resume r-").count(), 1, "{told}");
    assert!(
        told.contains("2 other runs are open here: `bugle run list --open`"),
        "{told}"
    );
}

#[test]
fn an_agent_that_bugle_started_keeps_its_run_between_two_turns() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let (first, next, step) = begun(&sandbox);
    first.begin_session("startup");
    first.end_session("other");
    // Marks the agent as started by `bugle agent spawn`, so that a message resumes it.
    sandbox.sql(
        "INSERT INTO launch (project_id, agent, arguments, state, is_new_session, told_after, told_up_to, changed_at) \
         SELECT project_id, address, '[]', 'settled', 0, 0, 0, 0 FROM agent WHERE session = 'session-one'",
    );
    let told = next.begin_session("startup");
    assert!(
        told.contains("The run belongs to @session-one, last active less than a minute ago"),
        "{told}"
    );
    assert!(!told.contains(step.command()), "{told}");
    assert!(!is_held(next));
}
