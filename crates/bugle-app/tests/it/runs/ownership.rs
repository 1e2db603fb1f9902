//! Run ownership: no session silently takes a run from another session that may still work on it.

use bugle_app::RunSelector;
use bugle_core::reply::StepView;
use serde_json::{Value, json};

use super::{notices, run_of, started};
use crate::hooks::GUARDED;
use crate::project::{Project, refused};
use crate::reviewed::{step, visit};
use crate::sessions::git;

const FIRST: &str = "session-one";
const NEXT: &str = "session-two";

/// The result of the guarded step.
fn seen() -> Value {
    json!({ "seen": "all" })
}

/// A project with a run of [`GUARDED`] that the first session has started.
fn begun() -> (Project, StepView) {
    let mut project = Project::new();
    project.write_skill("guarded", GUARDED);
    project.act_as(Some(FIRST));
    let first = project.start_skill("guarded");
    (project, first)
}

fn take_over(step: &StepView) -> String {
    format!("bugle run resume {}", step.position.run)
}

impl Project {
    /// Whether the guarded step restricts a session: the session's tools are denied, and the session may not stop.
    /// Acts as the session from now on.
    #[track_caller]
    fn is_held(&mut self, session: &str) -> bool {
        self.act_as(Some(session));
        let denied = !self
            .denied("Edit", &json!({ "file_path": "src/a.rs" }))
            .is_empty();
        let kept = self.stop().is_some();
        assert_eq!(denied, kept, "both or neither");
        denied
    }

    /// Ends a session, and acts as another session from now on.
    fn end_and_act_as(&mut self, ended: &str, session: &str) {
        self.act_as(Some(ended));
        self.end_session("other");
        self.act_as(Some(session));
    }

    /// Rewinds a run as a person.
    fn rewind_as_person(&mut self, at: &StepView) {
        self.act_as(None);
        self.rewind(&visit(at)).unwrap();
    }
}

#[test]
fn a_run_whose_session_ended_continues_in_the_next_and_restricts_it() {
    for source in ["startup", "clear", "resume"] {
        let (mut project, first) = begun();
        project.end_and_act_as(FIRST, NEXT);
        let told = project.woken(source);
        for part in [
            first.command.as_ref().unwrap(),
            "@session-one, whose session has ended",
            &format!("bugle run pause {}", first.position.run),
        ] {
            assert!(told.contains(part), "{source}: {part}: {told}");
        }
        assert!(!told.contains("only if that one is over"), "{told}");
        assert!(project.is_held(NEXT), "{source}");
        assert!(!project.is_held(FIRST), "the old session has no run left");
        // The notice appears once.
        let again = project.begin_session(NEXT, "compact");
        assert!(!again.contains("whose session has ended"), "{again}");
    }
}

#[test]
fn a_run_started_outside_a_session_is_offered_to_the_next_session_in_one_line() {
    for source in ["startup", "resume", "clear", "compact"] {
        let (mut project, first) = started("guarded", GUARDED);
        let told = project.begin_session(NEXT, source);
        let run = first.position.run.as_str();
        let lines: Vec<&str> = told.lines().filter(|line| line.contains(run)).collect();
        assert_eq!(lines.len(), 1, "{told}");
        assert!(lines[0].contains("was started outside any session"), "{told}");
        assert!(lines[0].contains(&take_over(&first)), "{told}");
        assert!(!told.contains(first.command.as_ref().unwrap()), "{told}");
        assert!(!project.is_held(NEXT), "{source}");
    }
}

#[test]
fn a_run_started_outside_a_session_goes_to_the_agent_that_continues_it() {
    for command in ["step", "done", "resume"] {
        let (mut project, first) = started("guarded", GUARDED);
        assert!(!project.is_held(NEXT), "no session has it yet");
        let run = run_of(&first);
        match command {
            "done" => {
                refused(
                    project.end_visit_with(&visit(&first), &json!({})),
                    "result-mismatch",
                );
            }
            "step" => assert_eq!(step(project.current(&run)).notices, []),
            _ => assert_eq!(step(project.resume(&run)).notices, []),
        }
        assert!(project.is_held(NEXT), "{command}");
    }
}

#[test]
fn a_session_that_continues_an_ended_sessions_run_is_restricted_by_it() {
    for command in ["step", "done", "resume"] {
        let (mut project, first) = begun();
        // The other session existed before and is working on something else.
        project.begin_session(NEXT, "startup");
        project.end_and_act_as(FIRST, NEXT);
        assert!(
            !project.is_held(NEXT),
            "the session has not continued the run yet"
        );
        let run = run_of(&first);
        let continued = match command {
            "done" => step(project.end_visit_with(&visit(&first), &seen())),
            "step" => step(project.current(&run)),
            _ => step(project.resume(&run)),
        };
        let shown = notices(&continued);
        assert!(
            shown[0].contains("@session-one, whose session has ended"),
            "{command}: {shown:?}"
        );
        if command == "done" {
            project.rewind_as_person(&first);
        }
        assert!(project.is_held(NEXT), "{command}");
    }
}

#[test]
fn a_session_that_may_be_active_keeps_its_run_until_a_takeover() {
    let (mut project, first) = begun();
    project.woken("startup");
    project.begin_session(NEXT, "startup");
    assert!(!project.is_held(NEXT) && project.is_held(FIRST));
    let (run, take) = (run_of(&first), take_over(&first));
    project.act_as(Some(NEXT));
    let shown = notices(&step(project.current(&RunSelector::Here)));
    assert!(shown[0].contains("belongs to @session-one"), "{shown:?}");
    assert!(shown[0].contains(&take), "{shown:?}");
    assert!(!project.is_held(NEXT), "viewing a run does not take it");
    let done = notices(&step(project.end_visit_with(&visit(&first), &seen())));
    assert!(done[0].contains(&take), "{done:?}");
    project.rewind_as_person(&first);
    assert!(
        !project.is_held(NEXT) && project.is_held(FIRST),
        "a report takes no run from its session"
    );
    project.act_as(Some(NEXT));
    let taken = notices(&step(project.resume(&run)));
    assert!(taken[0].contains("belonged to @session-one"), "{taken:?}");
    assert!(!project.is_held(FIRST) && project.is_held(NEXT));
    assert_eq!(step(project.current(&RunSelector::Here)).notices, []);
    let told = project.begin_session(FIRST, "resume");
    assert!(told.contains("@session-two") && told.contains(&take), "{told}");
}

#[test]
fn a_busy_session_does_not_get_an_ended_sessions_run() {
    let (mut project, first) = begun();
    project.woken("startup");
    project.begin_session(NEXT, "startup");
    project.end_and_act_as(FIRST, NEXT);
    // In the middle of other work, the session sees a notice and is not restricted.
    let told = project.woken("compact");
    assert!(told.contains(&take_over(&first)), "{told}");
    assert!(!told.contains(first.command.as_ref().unwrap()), "{told}");
    assert!(!project.is_held(NEXT));
}

#[test]
fn a_paused_run_is_selected_for_no_session() {
    let (mut project, first) = begun();
    let run = run_of(&first);
    project.act_as(None);
    project.pause(&run, None).unwrap();
    project.end_and_act_as(FIRST, NEXT);
    project.woken("startup");
    project.act_as(None);
    project.resume(&run).unwrap();
    assert!(!project.is_held(NEXT), "a person resumed it outside a session");
    assert_eq!(step(project.resume(&run)).position.run, first.position.run);
    assert!(project.is_held(NEXT));
}

#[test]
fn a_run_in_another_worktree_is_named_and_not_handed_over() {
    let mut project = Project::new();
    project.write_skill("guarded", GUARDED);
    project.git_init("main");
    let here = project.app.context.directory.clone();
    let tree = here.with_file_name("tree");
    git(&here, &["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    project.act_as(Some(FIRST));
    let first = project.start_skill("guarded");
    project.end_session("other");
    project.enter(&tree, Some(NEXT));
    let told = project.woken("startup");
    assert!(told.contains(&take_over(&first)), "{told}");
    assert!(!told.contains(first.command.as_ref().unwrap()), "{told}");
    assert!(!project.is_held(NEXT));
    // A new session in the run's own worktree receives the run.
    project.enter(&here, None);
    let told = project.begin_session("session-three", "startup");
    assert!(told.contains(first.command.as_ref().unwrap()), "{told}");
}

#[test]
fn a_person_at_a_terminal_takes_no_run_from_a_session() {
    let (mut project, first) = begun();
    project.woken("startup");
    let run = run_of(&first);
    for command in ["step", "resume"] {
        project.act_as(None);
        let shown = if command == "step" {
            step(project.current(&run))
        } else {
            step(project.resume(&run))
        };
        assert_eq!(shown.notices, [], "no notice at a terminal");
        assert!(project.is_held(FIRST), "{command}");
    }
}

#[test]
fn a_session_that_crashed_does_not_hide_its_run() {
    for source in ["startup", "clear", "resume", "compact"] {
        let (mut project, first) = begun();
        project.woken("startup");
        project.set_clock(3 * 24 * 60 * 60 * 1000);
        let told = project.begin_session(NEXT, source);
        let line = format!(
            "Run {} of guarded is open here. The run belongs to @session-one, last active 3 days ago. If that session is gone, \
             take the run over: `{}`.",
            first.position.run,
            take_over(&first)
        );
        assert!(told.contains(&line), "{source}: {told}");
        assert!(
            !told.contains("Nothing is open") && !told.contains("other run"),
            "{source}: {told}"
        );
        assert!(!project.is_held(NEXT), "age alone does not transfer a run");
        let taken = step(project.resume(&run_of(&first)));
        assert_eq!(
            taken.position.visit, first.position.visit,
            "the run continues at the same step"
        );
        assert!(project.is_held(NEXT), "{source}");
    }
}

#[test]
fn one_of_several_runs_of_other_sessions_is_named_and_the_rest_are_counted() {
    let mut project = Project::new();
    project.write_skill("guarded", GUARDED);
    for session in [FIRST, NEXT, "session-three"] {
        project.begin_session(session, "startup");
        project.start_skill("guarded");
    }
    let told = project.begin_session("session-four", "startup");
    assert_eq!(told.matches("bugle run resume r-").count(), 1, "{told}");
    assert!(
        told.contains("2 other runs are open here: `bugle run list --open`"),
        "{told}"
    );
}

#[test]
fn an_agent_that_bugle_started_keeps_its_run_between_two_turns() {
    let (mut project, first) = begun();
    project.woken("startup");
    project.end_session("other");
    // Marks the agent as started by `bugle agent spawn`, so that a message resumes it.
    project.sql(
        "INSERT INTO launch (project_id, agent, arguments, state, is_new_session, told_after, told_up_to, changed_at) \
         SELECT project_id, address, '[]', 'settled', 0, 0, 0, 0 FROM agent WHERE session = 'session-one'",
    );
    let told = project.begin_session(NEXT, "startup");
    assert!(
        told.contains("The run belongs to @session-one, last active less than a minute ago"),
        "{told}"
    );
    assert!(!told.contains(first.command.as_ref().unwrap()), "{told}");
    assert!(!project.is_held(NEXT));
}
