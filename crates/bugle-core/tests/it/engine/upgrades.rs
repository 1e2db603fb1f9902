//! A run moves to another version of its skill only if the version fits.

use std::collections::BTreeMap;

use bugle_core::engine::{Command, Decision, Event, Refusal, RunStatus};
use bugle_core::id::{ChildToken, ContentHash};
use bugle_core::name::StepId;
use bugle_core::outcome::Outcome::Fail;
use bugle_core::role::AgentRole;
use bugle_core::shape::Shape;
use bugle_core::workflow::{
    Arg, Decider, Dispatch, DispatchWork, GateConfig, StepDef, Workflow, WorkflowDef,
};
use bugle_testkit::run::{TestRun, review};
use bugle_testkit::world::World;
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
    assert_eq!(
        run.accept(upgrade(&new)),
        [Event::Upgraded {
            decides: Decider::Project,
            pin: newer(),
            params: Map::new()
        }]
    );
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
fn a_new_param_gets_its_default() {
    let old = workflow([step("a")]);
    let mut run = begun(&old);
    let depth = Arg::with_default("depth", Shape::Boolean, json!(true)).unwrap();
    let new = sound(WorkflowDef::new([step("a")]).param(depth));
    run.accept(upgrade(&new));
    assert_eq!(Value::from(run.state.params.clone()), json!({ "depth": true }));
}

/// A step whose sub-agent gets the step's text as its brief.
fn briefed(id: &str) -> StepDef {
    let mut step = step(id);
    step.dispatch = Some(Dispatch::new(AgentRole::QualityReviewer, DispatchWork::Brief));
    step
}

fn gate(id: &str) -> StepDef {
    let mut gate = briefed(id).on(Fail, "work");
    gate.gate = Some(GateConfig {
        name: "Soundness".to_owned(),
        rework: bugle_testkit::spelling::step_id("work"),
        limit: 5,
        blocks: bugle_core::review::Severity::default(),
    });
    gate
}

/// Upgrades a run to a workflow with another dispatch, after the run's own dispatch has ended with this result.
fn upgraded_after(dispatch: StepDef, result: Value, newer_dispatch: StepDef) -> Decision {
    let all = |dispatch: StepDef| {
        let id = dispatch.id.to_string();
        workflow([step("work").to(&id), dispatch.to("tell"), step("tell")])
    };
    let mut world = World::start(all(dispatch), BTreeMap::new(), Map::new()).unwrap();
    let main = world.main().clone();
    world.submit(&main, done(1)).unwrap();
    let parent = world.state(&main).current_token().unwrap();
    let child = world.start_child(&ChildToken { parent, slot: 1 }).unwrap();
    world.submit(&child, brought(1, result)).unwrap();
    world.submit(&main, done(2)).unwrap();
    assert_eq!(world.state(&main).current().unwrap().step.as_str(), "tell");
    let new = all(newer_dispatch);
    world.submit(&main, upgrade(&new)).unwrap()
}

#[test]
fn a_run_is_upgraded_after_a_gate() {
    let decision = upgraded_after(gate("review"), review(false), gate("review"));
    assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
}

#[test]
fn a_run_is_upgraded_after_a_dispatch() {
    let dispatch = || briefed("list").returns("things", Shape::text());
    let decision = upgraded_after(dispatch(), json!({ "things": "many" }), dispatch());
    assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
}

#[test]
fn the_results_of_sub_agents_must_fit_the_new_version() {
    let dispatch = |shape| briefed("list").returns("things", shape);
    let refused = upgraded_after(
        dispatch(Shape::text()),
        json!({ "things": "many" }),
        dispatch(one_of(&["few"])),
    );
    let Decision::Refuse(Refusal::DoesNotFit { what, mismatches }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(what, "the result of step list");
    assert_eq!(mismatches[0].path, "children[0].result.things");
}

#[test]
fn a_result_does_not_fit_a_dispatch() {
    let old = workflow(scanning(Shape::text()));
    let new = workflow([
        briefed("scan").returns("found", Shape::text()).to("tell"),
        step("tell"),
    ]);
    let Refusal::DoesNotFit { mismatches, .. } = telling(&old).refusal(upgrade(&new)) else {
        panic!("the run has no sub-agents");
    };
    assert_eq!(mismatches[0].path, "children");
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
