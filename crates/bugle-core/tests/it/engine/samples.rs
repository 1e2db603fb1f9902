//! A walk generates results that pass their steps' checks, and reports checks that no result passes.

use bugle_core::engine::{Origin, WalkReport, walk};
use bugle_core::outcome::Outcome;
use bugle_core::pattern::Pattern;
use bugle_core::shape::{Length, Shape};
use bugle_core::workflow::{StepDef, Workflow};
use bugle_testkit::spelling::{expression, skill_address, step_id};
use serde_json::json;

use crate::support::{Build, one_of, required, step, workflow};

fn walked(workflow: &Workflow) -> WalkReport {
    let child = |_: &StepDef| json!({});
    walk(&skill_address("tested"), workflow, &Origin::Fresh, &child, |_| ())
}

fn list(items: Shape) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length: Length::default(),
        unique: None,
    }
}

#[test]
fn a_walk_finds_sample_results_for_every_branch() {
    let id = || Shape::Pattern(Pattern::new("E[0-9]+").unwrap(), Length::default());
    let finding = Shape::Object(vec![required("id", id()), required("text", Shape::text())]);
    let looking = step("look")
        .returns("evidence", list(finding))
        .checked(
            expression("result.evidence.all(e, size(e.text) > 30)"),
            "Each finding is a sentence.",
        )
        .checked(
            expression("size(result.evidence) >= 2"),
            "There are two findings.",
        )
        .to("judge");
    let judging = step("judge")
        .returns("sure", one_of(&["low", "high"]))
        .returns("rests_on", list(Shape::text()))
        .checked(
            expression("result.rests_on.all(r, r in state.look.evidence.map(e, e.id))"),
            "It rests on evidence that exists.",
        )
        .checked(
            expression("result.sure == 'low' || size(result.rests_on) > 0"),
            "Nothing is sure without evidence.",
        )
        .until("result.sure == 'high'", 3)
        .on(Outcome::Iterate, "look");
    let report = walked(&workflow([looking, judging]));
    assert!(report.unmet.is_empty(), "{:?}", report.unmet);
    assert!(report.missed.is_empty(), "{:?}", report.missed);
}

#[test]
fn a_check_that_no_generated_result_passes_is_reported() {
    let riddle = step("a")
        .returns("word", Shape::text())
        .checked(expression("result.word != ''"), "It says something.")
        .checked(
            expression("result.word.matches('^q[^aeiou]{9}z$')"),
            "It is the password.",
        );
    let report = walked(&workflow([riddle.to("b"), step("b")]));
    let said: Vec<&str> = report.unmet[&step_id("a")]
        .iter()
        .map(|check| check.say.as_str())
        .collect();
    assert_eq!(said, ["It is the password."]);
    assert!(report.missed.contains(&(step_id("a"), Outcome::Ok)));
}

#[test]
fn values_that_no_guard_reads_add_no_situations() {
    let flags = |step: StepDef| (0..6).fold(step, |step, n| step.returns(&format!("f{n}"), Shape::Boolean));
    let count = 12;
    let steps = (0..count).map(|n| {
        let read: Vec<String> = (0..6).map(|flag| format!("state.s0.f{flag}")).collect();
        let guard = if n == 0 {
            "result.f0".to_owned()
        } else {
            read.join(" && ")
        };
        let next = format!("s{}", n + 1);
        let step = flags(step(&format!("s{n}"))).when(&guard, Outcome::Skip);
        if n + 1 == count {
            step.on(Outcome::Skip, "end")
        } else {
            step.to(&next).on(Outcome::Skip, &next)
        }
    });
    let report = walked(&workflow(steps));
    assert!(report.missed.is_empty(), "{:?}", report.missed);
    assert!(!report.cut, "{} situations", report.situations);
}
