//! A rewind starts a new branch of history, and a fork starts a new run. Both keep the old history.

use bugle_core::engine::{Command, Decision, Event, Origin, Refusal, RunStatus, fork, iteration};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::{Iterate, Skip};
use bugle_core::shape::Shape;
use bugle_core::workflow::Workflow;
use bugle_testkit::run::TestRun;
use serde_json::{Value, json};

use crate::support::{Build, Drive, answer, begun, brought, done, step, workflow};

fn back_to(visit: u32) -> Command<'static> {
    Command::Rewind {
        to: VisitNumber(visit),
    }
}

fn counting() -> Workflow {
    workflow([
        step("a").returns("text", Shape::text()).to("b"),
        step("b").returns("text", Shape::text()).to("c"),
        step("c"),
    ])
}

fn text(run: &mut TestRun<'_>, text: &str) {
    run.accept(brought(run.number(), json!({ "text": text })));
}

fn results(run: &TestRun<'_>) -> Value {
    Value::Object(run.state.results_before(VisitNumber(run.number())))
}

/// A run at `c`, its third visit.
fn at_the_last_step(workflow: &Workflow) -> TestRun<'_> {
    let mut run = begun(workflow);
    text(&mut run, "one");
    text(&mut run, "two");
    run
}

#[test]
fn a_rewind_repeats_the_visit_and_drops_later_results() {
    let workflow = counting();
    let mut run = at_the_last_step(&workflow);
    assert_eq!(
        results(&run),
        json!({ "a": { "text": "one" }, "b": { "text": "two" } })
    );
    let events = run.accept(back_to(2));
    assert!(matches!(
        events.as_slice(),
        [
            Event::Rewound { to: VisitNumber(2) },
            Event::Entered {
                visit: VisitNumber(4),
                after: Some(VisitNumber(1)),
                ..
            }
        ]
    ));
    assert_eq!(run.at(), "b");
    assert_eq!(results(&run), json!({ "a": { "text": "one" } }));
    text(&mut run, "new");
    assert_eq!(
        results(&run),
        json!({ "a": { "text": "one" }, "b": { "text": "new" } })
    );
}

#[test]
fn rewound_visits_are_kept_outside_the_history() {
    let workflow = counting();
    let mut run = at_the_last_step(&workflow);
    run.accept(back_to(1));
    assert_eq!(run.state.visits().len(), 4);
    let kept = run.state.visit(VisitNumber(2)).unwrap().ending.as_ref().unwrap();
    assert_eq!(kept.result, Some(json!({ "text": "two" })));
    let in_history: Vec<bool> = (1..=4)
        .map(|visit| run.state.is_in_history(VisitNumber(visit)))
        .collect();
    assert_eq!(in_history, [false, false, false, true]);
    assert_eq!(run.refusal(back_to(2)), Refusal::NotInHistory(VisitNumber(2)));
    // The visit that was open at the rewind never ended.
    let stale = Refusal::StaleVisit {
        visit: VisitNumber(3),
        ended: None,
    };
    assert_eq!(run.refusal(done(3)), stale);
    assert_eq!(run.refusal(done(1)).code(), "stale-visit");
}

#[test]
fn rewinding_to_the_current_visit_changes_nothing() {
    let workflow = counting();
    let mut run = at_the_last_step(&workflow);
    assert_eq!(run.decide(back_to(3)), Decision::Already);
    assert_eq!(run.refusal(back_to(9)), Refusal::UnknownVisit(VisitNumber(9)));
    run.accept(Command::Pause { reason: None });
    run.accept(back_to(3));
    assert_eq!((run.state.status, run.number()), (RunStatus::Active, 4));
}

#[test]
fn a_completed_run_can_be_rewound() {
    let workflow = counting();
    let mut run = at_the_last_step(&workflow);
    run.accept(done(3));
    assert_eq!(run.state.status, RunStatus::Completed);
    run.accept(back_to(3));
    assert_eq!((run.state.status, run.at().as_str()), (RunStatus::Active, "c"));
    run.accept(done(4));
    assert_eq!(run.state.status, RunStatus::Completed);
}

#[test]
fn loop_rounds_are_counted_in_the_current_history() {
    let workflow = workflow([step("dig").until("visit.iteration >= 3", 3).on(Iterate, "dig")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(done(2));
    assert_eq!(iteration(&run.state, run.workflow, VisitNumber(3)), 3);
    run.accept(back_to(2));
    assert_eq!(iteration(&run.state, run.workflow, VisitNumber(run.number())), 2);
    run.accept(done(4));
    assert_eq!(iteration(&run.state, run.workflow, VisitNumber(5)), 3);
    run.accept(done(5));
    assert_eq!(run.state.status, RunStatus::Completed);
    run.accept(back_to(1));
    assert_eq!(iteration(&run.state, run.workflow, VisitNumber(6)), 1);
}

#[test]
fn rewinding_to_a_question_asks_it_again() {
    let workflow = workflow([
        step("ask")
            .asks(&["yes", "no"])
            .when("result.answer == 'no'", Skip)
            .to("b")
            .on(Skip, "end"),
        step("b"),
    ]);
    let mut run = begun(&workflow);
    run.accept(answer("yes"));
    run.accept(back_to(1));
    assert_eq!((run.state.status, run.number()), (RunStatus::Waiting, 3));
    run.accept(answer("no"));
    assert_eq!(run.state.status, RunStatus::Completed);
}

#[test]
fn a_fork_starts_where_the_visit_started() {
    let workflow = counting();
    let run = at_the_last_step(&workflow);
    let events = fork(&run.state.id, &run.events, VisitNumber(2)).unwrap();
    let mut forked = TestRun::from_events(&workflow, events).unwrap();
    let origin = Origin::Fork {
        run: run.state.id.clone(),
        visit: VisitNumber(2),
        task: None,
    };
    assert_eq!(forked.state.origin, origin);
    assert_eq!((forked.at().as_str(), forked.number()), ("b", 2));
    assert_eq!(results(&forked), json!({ "a": { "text": "one" } }));
    text(&mut forked, "other");
    assert_eq!(forked.at(), "c");
    assert_eq!(
        results(&run),
        json!({ "a": { "text": "one" }, "b": { "text": "two" } })
    );
}

#[test]
fn a_fork_at_a_question_waits_for_its_own_answer() {
    let workflow = workflow([step("a").to("ask"), step("ask").asks(&[]).to("b"), step("b")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(answer("yes"));
    let events = fork(&run.state.id, &run.events, VisitNumber(2)).unwrap();
    let mut forked = TestRun::from_events(&workflow, events).unwrap();
    assert_eq!(forked.state.status, RunStatus::Waiting);
    forked.accept(answer("no"));
    assert_eq!(forked.at(), "b");
}

#[test]
fn an_unknown_visit_cannot_be_forked() {
    let workflow = counting();
    let run = at_the_last_step(&workflow);
    assert_eq!(fork(&run.state.id, &run.events, VisitNumber(4)), None);
    assert_eq!(fork(&run.state.id, &[], VisitNumber(1)), None);
}
