//! A gate's reviews count only until the run leaves the loop of gate and rework.

use bugle_core::engine::{iteration, review_iteration, rework};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::{Fail, Iterate};
use bugle_core::role::AgentRole;
use bugle_core::shape::Shape;
use bugle_core::workflow::{Dispatch, DispatchWork, GateConfig, StepDef, Workflow};
use bugle_testkit::run::review;
use bugle_testkit::world::World;
use serde_json::{Map, json};

use crate::support::{Build, brought, done, step, workflow};

fn gate(id: &str, rework: &str) -> StepDef {
    let mut gate = step(id).on(Fail, rework);
    gate.dispatch = Some(Dispatch::new(AgentRole::QualityReviewer, DispatchWork::Brief));
    gate.gate = Some(GateConfig {
        name: "Soundness".to_owned(),
        rework: bugle_testkit::spelling::step_id(rework),
        limit: 5,
        blocks: bugle_core::review::Severity::default(),
    });
    gate
}

/// A loop that builds and reviews each task, and skips a task that cannot be fixed.
fn tasks() -> Workflow {
    workflow([
        step("pick").returns("left", Shape::Boolean).to("build"),
        step("build").to("review"),
        gate("review", "fix").to("next"),
        step("fix")
            .returns("stuck", Shape::Boolean)
            .when("result.stuck", bugle_core::outcome::Outcome::Skip)
            .to("review")
            .on(bugle_core::outcome::Outcome::Skip, "next"),
        step("next").until("!state.pick.left", 9).on(Iterate, "pick"),
    ])
}

struct Run(World);

impl Run {
    fn at(&self) -> (String, u32) {
        let visit = self.0.state(self.0.main()).current().unwrap();
        (visit.step.to_string(), visit.number.0)
    }

    fn say(&mut self, command: bugle_core::engine::Command<'_>) {
        let main = self.0.main().clone();
        let decision = self.0.submit(&main, command).unwrap();
        assert!(
            matches!(decision, bugle_core::engine::Decision::Accept(_)),
            "{decision:?}"
        );
    }

    fn done(&mut self) {
        let (_, number) = self.at();
        self.say(done(number));
    }

    fn bring(&mut self, result: serde_json::Value) {
        let (_, number) = self.at();
        self.say(brought(number, result));
    }

    fn review(&mut self, objects: bool) {
        let parent = self.0.state(self.0.main()).current_token().unwrap();
        let child = self
            .0
            .start_child(&bugle_core::id::ChildToken { parent, slot: 1 })
            .unwrap();
        self.0.submit(&child, brought(1, review(objects))).unwrap();
        self.done();
    }

    fn facts(&self) -> (u32, bool) {
        let main = self.0.main();
        let workflow = self.0.workflow(main);
        let number = VisitNumber(self.at().1);
        let state = self.0.state(main);
        (
            review_iteration(state, &workflow, number),
            rework(state, &workflow, number).is_some(),
        )
    }
}

#[test]
fn the_next_task_starts_with_a_first_review() {
    let world = World::start(tasks(), std::collections::BTreeMap::new(), Map::new()).unwrap();
    let mut run = Run(world);
    run.bring(json!({ "left": true }));
    run.done();
    run.review(true);
    assert_eq!((run.at().0.as_str(), run.facts().1), ("fix", true));
    run.bring(json!({ "stuck": false }));
    assert_eq!(run.facts().0, 2, "this is the second review");
    run.review(true);
    run.bring(json!({ "stuck": true }));
    for expected in ["next", "pick", "build"] {
        assert_eq!(
            (run.at().0.as_str(), run.facts().1),
            (expected, false),
            "the first task leaves nothing to fix"
        );
        match expected {
            "pick" => run.bring(json!({ "left": false })),
            _ => run.done(),
        }
    }
    assert_eq!(
        (run.at().0.as_str(), run.facts().0),
        ("review", 1),
        "the next task's review is its first"
    );
}

#[test]
fn a_loop_restarts_after_the_run_left_it() {
    let workflow = workflow([
        step("pick").to("try"),
        step("try")
            .returns("good", Shape::Boolean)
            .until("result.good", 2)
            .to("judge")
            .on(Iterate, "fix"),
        step("fix")
            .returns("hopeless", Shape::Boolean)
            .when("result.hopeless", bugle_core::outcome::Outcome::Skip)
            .to("try")
            .on(bugle_core::outcome::Outcome::Skip, "judge"),
        step("judge").until("visit.iteration > 2", 3).on(Iterate, "pick"),
    ]);
    let world = World::start(workflow.clone(), std::collections::BTreeMap::new(), Map::new()).unwrap();
    let mut run = Run(world);
    run.done();
    run.bring(json!({ "good": false }));
    run.bring(json!({ "hopeless": true }));
    run.done();
    run.done();
    let (step, number) = run.at();
    let state = run.0.state(run.0.main());
    assert_eq!(
        (step.as_str(), iteration(state, &workflow, VisitNumber(number))),
        ("try", 1)
    );
}
