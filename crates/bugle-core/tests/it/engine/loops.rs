//! The engine counts loop iterations and ends each loop at its limit.

use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::{Fail, Iterate, Ok, Skip};
use bugle_core::shape::Shape;
use bugle_core::workflow::{AtLimit, StepDef, Workflow};
use bugle_testkit::run::TestRun;
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, done, gave_up, step, workflow};

fn digging(at_limit: AtLimit) -> Workflow {
    let mut dig = step("dig")
        .returns("sure", Shape::Boolean)
        .until("result.sure", 3)
        .to("tell")
        .on(Iterate, "dig")
        .on(Fail, "give_in");
    if let Some(repeat) = &mut dig.repeat {
        repeat.at_limit = at_limit;
    }
    workflow([dig, step("tell"), step("give_in")])
}

fn say(run: &mut TestRun<'_>, sure: bool) {
    run.accept(brought(run.number(), json!({ "sure": sure })));
}

/// Each ended visit's outcome, and whether the loop's limit ended the visit.
fn endings(run: &TestRun<'_>) -> Vec<(String, bool)> {
    let endings = run
        .state
        .visits()
        .iter()
        .filter_map(|visit| visit.ending.as_ref());
    endings
        .map(|ending| (ending.outcome.to_string(), ending.exhausted))
        .collect()
}

fn iteration(run: &TestRun<'_>) -> u32 {
    bugle_core::engine::iteration(&run.state, run.workflow, VisitNumber(run.number()))
}

#[test]
fn a_loop_ends_when_its_guard_is_true() {
    let workflow = digging(AtLimit::Ok);
    let mut run = begun(&workflow);
    say(&mut run, false);
    assert_eq!((run.at().as_str(), iteration(&run)), ("dig", 2));
    say(&mut run, true);
    assert_eq!(run.at(), "tell");
    assert_eq!(
        endings(&run),
        [("iterate".to_owned(), false), ("ok".to_owned(), false)]
    );
}

#[test]
fn a_loop_at_its_limit_ends_as_exhausted() {
    for (at_limit, next, outcome) in [(AtLimit::Ok, "tell", "ok"), (AtLimit::Fail, "give_in", "fail")] {
        let workflow = digging(at_limit);
        let mut run = begun(&workflow);
        for _ in 0..3 {
            say(&mut run, false);
        }
        assert_eq!(run.at(), next);
        assert_eq!(endings(&run).last(), Some(&(outcome.to_owned(), true)));
    }
}

#[test]
fn a_true_guard_at_the_limit_is_not_exhausted() {
    let workflow = digging(AtLimit::Fail);
    let mut run = begun(&workflow);
    for sure in [false, false, true] {
        say(&mut run, sure);
    }
    assert_eq!(run.at(), "tell");
    assert_eq!(endings(&run).last(), Some(&("ok".to_owned(), false)));
}

#[test]
fn a_limit_of_one_never_repeats() {
    let workflow = workflow([step("a").until("visit.iteration > 5", 1).on(Iterate, "a")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    assert_eq!(run.at(), "end");
    assert_eq!(endings(&run), [("ok".to_owned(), true)]);
}

#[test]
fn a_step_can_fail_in_the_middle_of_a_loop() {
    let workflow = digging(AtLimit::Ok);
    let mut run = begun(&workflow);
    say(&mut run, false);
    run.accept(gave_up(2, "the lead is gone"));
    assert_eq!(run.at(), "give_in");
}

#[test]
fn a_loop_counts_iterations_in_every_step_of_its_body() {
    let workflow = workflow([
        step("find").to("judge"),
        step("judge").until("visit.iteration >= 3", 5).on(Iterate, "find"),
    ]);
    let mut run = begun(&workflow);
    let mut trace = Vec::new();
    while run.state.current().is_some() {
        trace.push((run.at(), iteration(&run)));
        run.accept(done(run.number()));
    }
    let expected = [
        ("find", 1),
        ("judge", 1),
        ("find", 1),
        ("judge", 2),
        ("find", 1),
        ("judge", 3),
    ];
    assert_eq!(trace, expected.map(|(step, round)| (step.to_owned(), round)));
}

#[test]
fn an_inner_loop_restarts_in_each_iteration_of_the_outer_one() {
    let workflow = workflow([
        step("inner")
            .until("visit.iteration >= 2", 4)
            .on(Iterate, "inner")
            .to("outer"),
        step("outer")
            .until("visit.iteration >= 3", 4)
            .on(Iterate, "inner"),
    ]);
    let mut run = begun(&workflow);
    let mut trace = Vec::new();
    while run.state.current().is_some() {
        trace.push(format!("{}{}", run.at(), iteration(&run)));
        run.accept(done(run.number()));
    }
    let round = ["inner1", "inner2"];
    let expected: Vec<&str> = [&round[..], &["outer1"], &round, &["outer2"], &round, &["outer3"]].concat();
    assert_eq!(trace, expected);
}

#[test]
fn a_loop_restarts_when_the_run_enters_it_again() {
    let workflow = workflow([
        step("dig")
            .until("visit.iteration >= 2", 3)
            .on(Iterate, "dig")
            .to("judge"),
        step("judge")
            .returns("sure", Shape::Boolean)
            .until("result.sure", 3)
            .on(Iterate, "dig"),
    ]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    run.accept(done(2));
    run.accept(brought(3, json!({ "sure": false })));
    assert_eq!((run.at().as_str(), iteration(&run)), ("dig", 1));
}

#[test]
fn a_route_is_checked_before_the_loop_and_obeys_its_limit() {
    let routed = |outcome| -> StepDef {
        let base = step("a")
            .returns("sure", Shape::Boolean)
            .until("result.sure", 2)
            .on(Iterate, "a");
        base.when("visit.number > 0", outcome)
    };
    // The loop's limit also bounds a route that always iterates.
    let round = workflow([routed(Iterate)]);
    let mut run = begun(&round);
    say(&mut run, true);
    assert_eq!((run.at().as_str(), iteration(&run)), ("a", 2));
    say(&mut run, true);
    assert_eq!(run.at(), "end");
    assert_eq!(
        endings(&run),
        [("iterate".to_owned(), false), ("ok".to_owned(), true)]
    );

    let out = workflow([routed(Skip).on(Skip, "end")]);
    let mut run = begun(&out);
    say(&mut run, false);
    assert_eq!(endings(&run), [("skip".to_owned(), false)]);

    let straight = workflow([routed(Ok)]);
    let mut run = begun(&straight);
    say(&mut run, false);
    assert_eq!(endings(&run), [("ok".to_owned(), false)]);
}
