//! The input and output of reviewers. They receive only the fixed check list, disputed findings and deferred findings.

use std::collections::BTreeMap;

use bugle_core::engine::{Assignment, Command, Decision, GateBrief, Origin, Refusal, checked_at, context};
use bugle_core::id::{ChildToken, RunId};
use bugle_core::outcome::Outcome::Fail;
use bugle_core::review::{Severity, disputes_shape};
use bugle_core::role::AgentRole;
use bugle_core::workflow::{Dispatch, DispatchWork, GateConfig, StepDef, Workflow};
use bugle_testkit::world::World;
use serde_json::{Map, Value, json};

use crate::support::{Build, brought, done, step, workflow};

fn gate(id: &str, rework: &str, blocks: Severity) -> StepDef {
    let mut gate = step(id).on(Fail, rework);
    gate.dispatch = Some(Dispatch::new(AgentRole::QualityReviewer, DispatchWork::Brief));
    gate.gate = Some(GateConfig {
        name: format!("Gate {id}"),
        rework: bugle_testkit::spelling::step_id(rework),
        limit: 5,
        blocks,
    });
    gate
}

/// A workflow with a style review and a final review. Each has its own rework step, which may dispute findings.
fn reviewed(blocks: Severity) -> Workflow {
    workflow([
        step("write").to("form"),
        gate("form", "fix_form", blocks).to("whole"),
        step("fix_form").returns("disputes", disputes_shape()).to("form"),
        gate("whole", "fix_whole", blocks).to("present"),
        step("fix_whole")
            .returns("disputes", disputes_shape())
            .to("whole"),
        step("present"),
    ])
}

fn finding(severity: &str, category: &str, element: &str) -> Value {
    json!({
        "severity": severity, "category": category, "location": "src/lib.rs:7", "element": element,
        "problem": "it is wrong", "action": "correct it",
    })
}

fn review(checks: &[&str], findings: &[Value]) -> Value {
    json!({ "checks": checks, "findings": findings })
}

struct Run(World);

impl Run {
    fn begun(blocks: Severity) -> Self {
        let mut run = Self(World::start(reviewed(blocks), BTreeMap::new(), Map::new()).unwrap());
        run.accept(done(1));
        run
    }

    fn at(&self) -> (String, u32) {
        let visit = self.0.state(self.0.main()).current().unwrap();
        (visit.step.to_string(), visit.number.0)
    }

    fn submit(&mut self, command: Command<'_>) -> Decision {
        let main = self.0.main().clone();
        self.0.submit(&main, command).unwrap()
    }

    #[track_caller]
    fn accept(&mut self, command: Command<'_>) {
        let decision = self.submit(command);
        assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
    }

    fn reviewer(&mut self) -> (RunId, GateBrief) {
        let parent = self.0.state(self.0.main()).current_token().unwrap();
        let child = self.0.start_child(&ChildToken { parent, slot: 1 }).unwrap();
        let Origin::Child(origin) = &self.0.state(&child).origin else {
            panic!("not a sub-agent")
        };
        let Assignment::Review(brief) = origin.assignment.clone() else {
            panic!("not a reviewer")
        };
        (child, brief)
    }

    fn report(&mut self, review: Value) -> Decision {
        let (child, _) = self.reviewer();
        self.0.submit(&child, brought(1, review)).unwrap()
    }

    /// Submits a reviewer's report and lets the gate decide.
    #[track_caller]
    fn judge(&mut self, review: Value) {
        let decision = self.report(review);
        assert!(matches!(decision, Decision::Accept(_)), "{decision:?}");
        let (_, number) = self.at();
        self.accept(done(number));
    }

    fn bring(&mut self, result: Value) -> Decision {
        let (_, number) = self.at();
        self.submit(brought(number, result))
    }
}

#[test]
fn a_report_without_a_required_check_is_refused() {
    let mut run = Run::begun(Severity::Could);
    run.judge(review(
        &["errors", "naming"],
        &[finding("must", "style", "parse")],
    ));
    run.bring(json!({ "disputes": [] }));
    let refused = run.report(review(&["Naming"], &[]));
    let missing = ["errors", "style"].map(str::to_owned).to_vec();
    assert_eq!(refused, Decision::Refuse(Refusal::ChecksMissing(missing)));
    run.judge(review(
        &["naming", "errors", "style", "tests"],
        &[finding("must", "errors", "parse")],
    ));
    run.bring(json!({ "disputes": [] }));
    assert_eq!(
        run.reviewer().1.checks,
        ["errors", "naming", "style", "tests"],
        "what a later review adds is kept"
    );
}

#[test]
fn the_reported_checks_are_recorded() {
    let mut run = Run::begun(Severity::Could);
    run.judge(review(&["errors"], &[finding("must", "style", "parse")]));
    let state = run.0.state(run.0.main());
    assert_eq!(checked_at(&state.visits()[1]), ["errors", "style"]);
}

#[test]
fn a_finding_below_the_gates_level_does_not_block() {
    let mut run = Run::begun(Severity::Should);
    run.judge(review(&["style"], &[finding("could", "style", "parse")]));
    assert_eq!(run.at().0, "whole");
}

#[test]
fn the_last_gate_receives_deferred_findings() {
    let mut run = Run::begun(Severity::Should);
    let deferred = finding("could", "style", "parse");
    let grave = finding("should", "errors", "parse");
    let (_, brief) = run.reviewer();
    assert!(brief.deferred.is_empty());
    run.judge(review(&["style"], &[deferred.clone(), grave]));
    run.bring(json!({ "disputes": [] }));
    assert!(
        run.reviewer().1.deferred.is_empty(),
        "the gate's own findings stay hidden"
    );
    run.judge(review(&["style", "errors"], &[]));
    let (_, brief) = run.reviewer();
    assert_eq!(json!(brief.deferred), json!([deferred]));
    run.judge(review(&["all"], &[]));
    let main = run.0.main();
    let state = run.0.state(main);
    let values = context(state, &run.0.workflow(main), state.current().unwrap().number).for_templates();
    assert_eq!(values["deferred"][0]["element"], "parse");
    assert_eq!(values["deferred"][0]["gate"], "Gate form");
}

#[test]
fn a_deferred_finding_that_blocks_later_is_no_longer_deferred() {
    let mut run = Run::begun(Severity::Should);
    run.judge(review(
        &["style"],
        &[finding("could", "style", "parse"), finding("must", "errors", "a")],
    ));
    run.bring(json!({ "disputes": [] }));
    run.judge(review(
        &["style", "errors"],
        &[finding("should", "style", "parse")],
    ));
    run.bring(json!({ "disputes": [] }));
    run.judge(review(&["style", "errors"], &[]));
    assert!(run.reviewer().1.deferred.is_empty());
}

#[test]
fn the_next_reviewer_receives_a_disputed_finding_with_its_evidence() {
    let mut run = Run::begun(Severity::Could);
    let (first, second) = (
        finding("must", "errors", "parse"),
        finding("must", "style", "print"),
    );
    run.judge(review(&["errors"], &[first, second.clone()]));
    let disputes = json!([{ "finding": 2, "evidence": "src/print.rs:3 does it" }]);
    run.bring(json!({ "disputes": disputes }));
    let (_, brief) = run.reviewer();
    let told = json!([{ "finding": second, "evidence": "src/print.rs:3 does it" }]);
    assert_eq!(
        json!(brief.disputed),
        told,
        "the reviewer receives no other findings"
    );
    run.judge(review(
        &["errors", "style"],
        &[finding("must", "errors", "parse")],
    ));
    run.bring(json!({ "disputes": [] }));
    assert_eq!(
        json!(run.reviewer().1.disputed),
        told,
        "every later reviewer sees it"
    );
}

#[test]
fn only_a_blocking_finding_can_be_disputed() {
    let mut run = Run::begun(Severity::Could);
    run.judge(review(&["errors"], &[finding("must", "errors", "parse")]));
    let refused = run.bring(json!({ "disputes": [{ "finding": 2, "evidence": "no" }] }));
    let open = vec![1];
    assert_eq!(
        refused,
        Decision::Refuse(Refusal::UnknownDispute { finding: 2, open })
    );
}
