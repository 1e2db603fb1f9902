//! Rules about types.

use bugle_core::shape::{Length, Presence, Range, Shape};
use bugle_core::validate::Rule;
use bugle_core::workflow::{Arg, StepDef, WorkflowDef};
use serde_json::json;

use super::{Case, case, case_of, rules};
use crate::support::{Build, one_of, required, step};

rules! {
    a_param_cannot_be_given breaks IllTypedParam;
    a_result_cannot_be_brought breaks IllTypedResult;
    nothing_reads_a_param breaks UnusedParam;
}

fn param(place: &'static str, args: impl IntoIterator<Item = Arg>) -> Case {
    let definition = WorkflowDef {
        params: args.into_iter().collect(),
        ..WorkflowDef::new([step("a")])
    };
    case_of(Rule::IllTypedParam, place, definition)
}

fn shaped(shape: Shape) -> Arg {
    Arg::required("mode", shape).unwrap()
}

fn narrow() -> Range {
    Range {
        min: Some(2.5),
        max: Some(1.0),
    }
}

fn short() -> Length {
    Length {
        min: Some(3),
        max: Some(2),
    }
}

pub(super) fn cases() -> Vec<Case> {
    let whole = "workflow.yaml params.mode";
    let default = "workflow.yaml params.mode.default";
    let words = || one_of(&["quick", "full"]);
    let never_used = Arg {
        presence: Presence::Required,
        ..Arg::with_default("mode", words(), json!("full")).unwrap()
    };
    let returning = |shape: Shape| -> [StepDef; 1] { [step("a").returns("claims", shape)] };
    let list_of = |items: Shape, length| Shape::Array {
        items: Box::new(items),
        length,
        unique: None,
    };
    let result = |shape| {
        case(
            Rule::IllTypedResult,
            "workflow.yaml steps.a.result.claims",
            returning(shape),
        )
    };
    vec![
        param(whole, [shaped(Shape::Enum(Vec::new()))]),
        param(whole, [shaped(one_of(&["quick", "quick"]))]),
        param(whole, [shaped(Shape::Integer(narrow()))]),
        param(whole, [shaped(words()), shaped(words())]),
        param(
            default,
            [Arg::with_default("mode", words(), json!("slow")).unwrap()],
        ),
        param(
            default,
            [Arg::with_default("mode", list_of(words(), Length::default()), json!(["full", 1])).unwrap()],
        ),
        param(default, [never_used]),
        result(Shape::String(short())),
        result(list_of(Shape::Number(narrow()), short())),
        result(Shape::Object(vec![required("inner", Shape::Object(Vec::new()))])),
        case_of(
            Rule::UnusedParam,
            whole,
            WorkflowDef::new([step("a")]).param(shaped(words())),
        ),
    ]
}
