//! Only the current visit can end, and only once.

use bugle_core::engine::{Command, Decision, Event, Refusal, Report, RunStatus};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::shape::Shape;
use bugle_core::workflow::Workflow;
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, done, gave_up, step, workflow};

fn three_steps() -> Workflow {
    workflow([step("a").to("b").failing_to("end"), step("b").to("c"), step("c")])
}

#[test]
fn a_run_starts_at_the_first_step_and_ends_after_the_last() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    let mut seen = vec![run.at()];
    for visit in 1..=3 {
        run.accept(done(visit));
        seen.push(run.at());
    }
    assert_eq!(seen, ["a", "b", "c", "end"]);
    assert_eq!(run.state.status, RunStatus::Completed);
    assert_eq!(run.state.current_token(), None);
}

#[test]
fn done_returns_the_events_in_order() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    let events = run.accept(done(1));
    assert!(matches!(
        events.as_slice(),
        [
            Event::Ended {
                visit: VisitNumber(1),
                outcome: Outcome::Ok,
                merged: None,
                exhausted: false,
                no_progress: false,
                ..
            },
            Event::Entered {
                visit: VisitNumber(2),
                after: Some(VisitNumber(1)),
                ..
            },
        ]
    ));
    run.accept(done(2));
    assert!(matches!(
        run.accept(done(3)).as_slice(),
        [Event::Ended { .. }, Event::Completed]
    ));
}

#[test]
fn done_twice_advances_once() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    let before = run.state.clone();
    assert_eq!(run.submit(done(1)).unwrap(), Decision::Already);
    assert_eq!(run.state, before);
    assert_eq!(run.at(), "b");
}

#[test]
fn repeating_the_last_done_changes_nothing() {
    let workflow = workflow([step("a")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    assert_eq!(run.decide(done(1)), Decision::Already);
}

#[test]
fn the_same_result_again_is_accepted_and_another_one_refused() {
    let workflow = workflow([step("a").to("b").returns("sure", Shape::Boolean), step("b")]);
    let mut run = begun(&workflow);
    run.accept(brought(1, json!({ "sure": true })));
    assert_eq!(run.decide(brought(1, json!({ "sure": true }))), Decision::Already);
    assert_eq!(run.decide(done(1)), Decision::Already);
    let stale = Refusal::StaleVisit {
        visit: VisitNumber(1),
        ended: Some(Outcome::Ok),
    };
    assert_eq!(run.refusal(brought(1, json!({ "sure": false }))), stale);
    assert_eq!(run.refusal(gave_up(1, "too late")), stale);
}

#[test]
fn an_equivalent_result_counts_as_the_same() {
    let noting = step("a")
        .to("b")
        .returns("sure", Shape::Boolean)
        .may_bring("note", Shape::text());
    let workflow = workflow([noting, step("b").to("c"), step("c")]);
    let mut run = begun(&workflow);
    let with_null = json!({ "sure": true, "note": null });
    run.accept(brought(1, with_null.clone()));
    assert_eq!(run.decide(brought(1, with_null)), Decision::Already);
    assert_eq!(run.decide(brought(1, json!({ "sure": true }))), Decision::Already);
    run.accept(brought(2, json!({})));
    assert_eq!(run.decide(brought(2, json!({}))), Decision::Already);
}

#[test]
fn repeating_a_failure_changes_nothing() {
    let workflow = workflow([step("a").to("b").failing_to("c"), step("b"), step("c")]);
    let mut run = begun(&workflow);
    run.accept(gave_up(1, "no access"));
    assert_eq!(run.at(), "c");
    assert_eq!(run.decide(gave_up(1, "no access at all")), Decision::Already);
    assert_eq!(run.refusal(done(1)).code(), "stale-visit");
}

#[test]
fn an_ended_visit_of_a_cancelled_run_is_refused_because_the_run_was_cancelled() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(Command::Cancel { reason: None });
    let cancelled = Refusal::WrongStatus(RunStatus::Cancelled);
    assert_eq!(run.refusal(done(1)), cancelled);
    assert_eq!(run.refusal(done(2)), cancelled);
}

#[test]
fn an_earlier_visit_is_stale() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(done(2));
    let refusal = run.refusal(done(1));
    assert_eq!(
        refusal,
        Refusal::StaleVisit {
            visit: VisitNumber(1),
            ended: Some(Outcome::Ok)
        }
    );
    assert_eq!(refusal.code(), "stale-visit");
}

#[test]
fn a_future_visit_is_unknown() {
    let workflow = three_steps();
    let run = begun(&workflow);
    for visit in [0, 2, u32::MAX] {
        assert_eq!(
            run.refusal(done(visit)),
            Refusal::UnknownVisit(VisitNumber(visit))
        );
    }
}

#[test]
fn a_paused_or_cancelled_run_accepts_no_done() {
    let workflow = three_steps();
    let cancel = Command::Cancel { reason: None };
    let pause = Command::Pause { reason: None };
    for (command, status) in [(pause, RunStatus::Paused), (cancel, RunStatus::Cancelled)] {
        let mut run = begun(&workflow);
        run.accept(command);
        assert_eq!(run.refusal(done(1)), Refusal::WrongStatus(status));
        assert_eq!(run.refusal(gave_up(1, "no")), Refusal::WrongStatus(status));
    }
}

#[test]
fn a_repeated_done_before_a_pause_is_still_accepted() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(Command::Pause { reason: None });
    assert_eq!(run.decide(done(1)), Decision::Already);
    run.accept(Command::Cancel { reason: None });
    assert_eq!(run.refusal(done(1)).code(), "wrong-status");
}

#[test]
fn a_completed_run_has_no_visit_to_end() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    for visit in 1..=3 {
        run.accept(done(visit));
    }
    assert_eq!(run.refusal(done(1)).code(), "stale-visit");
    assert_eq!(run.refusal(gave_up(3, "after all")).code(), "stale-visit");
    assert_eq!(run.refusal(done(4)).code(), "unknown-visit");
}

#[test]
fn a_failure_needs_a_reason_and_a_transition() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    assert_eq!(run.refusal(gave_up(1, " \n")), Refusal::Empty("the reason"));
    run.accept(done(1));
    assert_eq!(run.refusal(gave_up(2, "no access")), Refusal::CannotFail);
}

#[test]
fn a_note_is_recorded_only_if_the_visit_ends() {
    let workflow = three_steps();
    let mut run = begun(&workflow);
    let noting = |visit, text: &str| Command::Done {
        visit: VisitNumber(visit),
        report: Report::Done(None),
        note: Some(text.to_owned()),
    };
    assert_eq!(run.refusal(noting(2, "too early")).code(), "unknown-visit");
    run.accept(noting(1, "the tests were red before"));
    assert_eq!(
        run.decide(noting(1, "the tests were red before")),
        Decision::Already
    );
    run.accept(noting(2, "  "));
    let notes = |visit| -> Vec<String> {
        let visit = run.state.visit(VisitNumber(visit)).unwrap();
        visit.notes.iter().map(|note| note.text.clone()).collect()
    };
    assert_eq!(notes(1), ["the tests were red before"]);
    assert!(notes(2).is_empty());
}
