//! A run moves to another version of its skill only if the version fits.

use bugle_core::engine::{Command, Event, Refusal, RunStatus};
use bugle_core::id::ContentHash;
use bugle_core::name::StepId;
use bugle_core::shape::Shape;
use bugle_core::workflow::{Arg, Workflow, WorkflowDef};
use bugle_testkit::run::TestRun;
use serde_json::{Map, Value, json};

use crate::support::{Build, Drive, begun, brought, done, one_of, sound, step, workflow};

fn newer() -> ContentHash {
    ContentHash::from_digest([2; 32])
}

fn upgrade(workflow: &Workflow) -> Command<'_> {
    Command::Upgrade {
        pin: newer(),
        workflow,
    }
}

fn scanning(shape: Shape) -> [bugle_core::workflow::StepDef; 2] {
    [step("scan").returns("found", shape).to("tell"), step("tell")]
}

/// A run at its second step.
fn telling(workflow: &Workflow) -> TestRun<'_> {
    let mut run = begun(workflow);
    run.accept(brought(1, json!({ "found": "much" })));
    run
}

#[test]
fn an_upgrade_keeps_the_position() {
    let old = workflow(scanning(Shape::text()));
    let [scan, tell] = scanning(Shape::text());
    let new = workflow([scan, tell.to("end")]);
    let mut run = telling(&old);
    assert_eq!(run.accept(upgrade(&new)), [Event::Upgraded { pin: newer() }]);
    assert_eq!(run.state.pin, newer());
    assert_eq!((run.at().as_str(), run.state.status), ("tell", RunStatus::Active));
}

#[test]
fn an_upgraded_run_follows_the_new_graph() {
    let old = workflow(scanning(Shape::text()));
    let [scan, tell] = scanning(Shape::text());
    let new = workflow([scan, tell.to("thank"), step("thank")]);
    let mut run = telling(&old);
    run.accept(upgrade(&new));
    run.workflow = &new;
    run.accept(done(2));
    assert_eq!(run.at(), "thank");
}

#[test]
fn the_same_version_is_refused() {
    let workflow = workflow(scanning(Shape::text()));
    let mut run = telling(&workflow);
    run.accept(upgrade(&workflow));
    assert_eq!(run.refusal(upgrade(&workflow)), Refusal::SameVersion);
}

#[test]
fn a_missing_step_is_refused() {
    let old = workflow(scanning(Shape::text()));
    let new = workflow([step("scan").returns("found", Shape::text())]);
    let run = telling(&old);
    assert_eq!(
        run.refusal(upgrade(&new)),
        Refusal::StepGone(StepId::new("tell").unwrap())
    );
}

#[test]
fn a_result_must_fit_the_new_version() {
    let old = workflow(scanning(Shape::text()));
    let new = workflow(scanning(one_of(&["little", "nothing"])));
    let run = telling(&old);
    let Refusal::DoesNotFit { what, mismatches } = run.refusal(upgrade(&new)) else {
        panic!("what does not fit is refused");
    };
    assert_eq!(what, "the result of step scan");
    assert_eq!(mismatches[0].path, "found");
}

#[test]
fn params_must_fit_the_new_version() {
    let with = |arg: Arg| sound(WorkflowDef::new([step("a")]).param(arg));
    let old = with(Arg::required("mode", one_of(&["quick", "full"])).unwrap());
    let mut params = Map::new();
    params.insert("mode".to_owned(), Value::from("quick"));
    let run = TestRun::start(&old, params).unwrap();
    let misfits = [
        (
            Arg::required("mode", one_of(&["slow"])).unwrap(),
            "expected one of slow, found \"quick\"",
        ),
        (
            Arg::required("depth", Shape::Boolean).unwrap(),
            "missing; expected true or false",
        ),
        (
            Arg::with_default("depth", Shape::Boolean, json!(true)).unwrap(),
            "missing; expected true or false",
        ),
    ];
    for (arg, message) in misfits {
        let what = format!("param {}", arg.name);
        let new = with(arg);
        let refusal = run.refusal(upgrade(&new));
        let Refusal::DoesNotFit {
            what: named,
            mismatches,
        } = refusal
        else {
            panic!("{refusal:?}");
        };
        assert_eq!(named, what);
        assert_eq!(mismatches[0].message, message);
    }
}

#[test]
fn a_step_that_asks_in_only_one_version_is_refused() {
    let works = workflow([step("a")]);
    let asks = workflow([step("a").asks(&[])]);
    for (old, new) in [(&works, &asks), (&asks, &works)] {
        let run = begun(old);
        assert_eq!(run.refusal(upgrade(new)).code(), "does-not-fit");
    }
}

#[test]
fn a_finished_run_is_not_upgraded() {
    let workflow = workflow([step("a")]);
    let mut run = begun(&workflow);
    run.accept(done(1));
    assert_eq!(
        run.refusal(upgrade(&workflow)),
        Refusal::WrongStatus(RunStatus::Completed)
    );
}

#[test]
fn a_paused_run_is_upgraded_and_stays_paused() {
    let workflow = workflow([step("a")]);
    let mut run = begun(&workflow);
    run.accept(Command::Pause { reason: None });
    run.accept(upgrade(&workflow));
    assert_eq!(run.state.status, RunStatus::Paused);
}
