//! Bugle, not the agent, decides the outcome: routes, defaults, and transitions after a failure.

use bugle_core::outcome::Outcome::{Fail, Ok, Skip};
use bugle_core::shape::{Range, Shape};
use bugle_core::workflow::{Arg, WorkflowDef};
use bugle_testkit::run::TestRun;
use serde_json::{Map, Value, json};

use crate::support::{Build, Drive, begun, brought, done, gave_up, one_of, sound, step, workflow};

fn whole() -> Shape {
    Shape::Integer(Range::default())
}

#[test]
fn the_first_true_guard_decides() {
    let choose = step("choose")
        .returns("count", whole())
        .when("result.count > 10", Fail)
        .when("result.count > 5", Skip)
        .when("result.count > 0", Fail)
        .to("few")
        .on(Skip, "some")
        .on(Fail, "many");
    let workflow = workflow([choose, step("few"), step("some"), step("many")]);
    for (count, next) in [(11, "many"), (6, "some"), (1, "many"), (0, "few"), (-3, "few")] {
        let mut run = begun(&workflow);
        run.accept(brought(1, json!({ "count": count })));
        assert_eq!(run.at(), next, "{count}");
    }
}

#[test]
fn an_outcome_without_a_transition_takes_the_default() {
    let a = step("a").when("visit.number > 0", Skip).to("b").otherwise("c");
    let workflow = workflow([a, step("b"), step("c")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    assert_eq!(run.at(), "c");
    let mut run = begun(&workflow);
    run.accept(gave_up(1, "no"));
    assert_eq!(run.at(), "c");
}

#[test]
fn a_failure_follows_fail_then_on_error_then_default() {
    let a = || step("a").to("b").failing_to("c");
    let steps = |a| [a, step("b"), step("c"), step("d")];
    let own = sound(WorkflowDef::new(steps(
        a().on(Fail, "d").when("visit.number > 9", Skip).on(Skip, "c"),
    )));
    let mut run = begun(&own);
    run.accept(gave_up(1, "no"));
    assert_eq!(run.at(), "d");

    let error = sound(WorkflowDef::new(steps(
        a().when("visit.number > 9", Skip).otherwise("d"),
    )));
    let mut run = begun(&error);
    run.accept(gave_up(1, "no"));
    assert_eq!(run.at(), "c");
}

#[test]
fn a_failure_has_a_reason_and_no_result() {
    let a = step("a").returns("count", whole()).to("b").failing_to("b");
    let workflow = workflow([a, step("b").when("has(state.a.count)", Skip).on(Skip, "end")]);
    let mut run = begun(&workflow);
    run.accept(gave_up(1, "no access"));
    let ending = run.state.visits()[0].ending.clone().unwrap();
    assert_eq!(
        (ending.outcome, ending.reason.as_deref()),
        (Fail, Some("no access"))
    );
    assert_eq!(ending.result, None);
    assert!(
        run.state
            .results_before(run.state.head().unwrap().number)
            .is_empty()
    );
    run.accept(done(2));
    assert_eq!(run.state.visits()[1].ending.as_ref().unwrap().outcome, Ok);
}

#[test]
fn a_route_sees_params_and_the_latest_results() {
    let mode = Arg::required("mode", one_of(&["quick", "full"])).unwrap();
    let definition = WorkflowDef::new([
        step("count").returns("count", whole()).to("plan"),
        step("plan")
            .when("params.mode == 'quick' && state.count.count < 5", Skip)
            .to("design")
            .on(Skip, "tell"),
        step("design").to("tell"),
        step("tell"),
    ]);
    let workflow = sound(definition.param(mode));
    for (mode, count, next) in [
        ("quick", 1, "tell"),
        ("quick", 5, "design"),
        ("full", 1, "design"),
    ] {
        let mut params = Map::new();
        params.insert("mode".to_owned(), Value::from(mode));
        let mut run = TestRun::start(&workflow, params).unwrap();
        run.accept(brought(1, json!({ "count": count })));
        run.accept(done(2));
        assert_eq!(run.at(), next, "{mode} {count}");
    }
}

#[test]
fn a_number_has_its_declared_type_in_any_notation() {
    let ratio = Shape::Number(Range::default());
    let a = step("a")
        .returns("count", whole())
        .returns("ratio", ratio)
        .when("result.count / 2 == 2 && result.ratio / 2.0 == 2.5", Skip)
        .on(Skip, "b");
    let workflow = workflow([a, step("b")]);
    for result in [
        json!({ "count": 5.0, "ratio": 5 }),
        json!({ "count": 5, "ratio": 5.0 }),
    ] {
        let mut run = begun(&workflow);
        run.accept(brought(1, result.clone()));
        assert_eq!(run.at(), "b", "{result}");
    }
}
