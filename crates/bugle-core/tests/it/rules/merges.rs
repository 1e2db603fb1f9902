//! Rules about merged lists and quotes, and about the names that compare a visit with the visit before.

use bugle_core::role::AgentRole;
use bugle_core::shape::{Length, Reference, Shape};
use bugle_core::validate::Rule;
use bugle_core::workflow::{Dispatch, DispatchWork, StepDef, StepText};

use super::{Case, case, rules};
use crate::support::{Build, optional, required, step};

rules! {
    a_list_cannot_be_merged breaks BadMerge;
    a_quote_has_no_place breaks BadQuote;
}

fn list(items: Shape) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length: Length::default(),
        unique: None,
    }
}

/// A step with a list of claims that merges this field by this key.
fn merging(field: &str, key: &str) -> StepDef {
    let claim = Shape::Object(vec![
        required("id", Shape::text()),
        required("parts", list(Shape::text())),
        optional("note", Shape::text()),
    ]);
    step("a")
        .returns("claims", list(claim))
        .returns("words", list(Shape::text()))
        .returns(
            "gone",
            list(Shape::Object(vec![
                required("id", Shape::text()),
                required("removed", Shape::Boolean),
            ])),
        )
        .merging(field, key)
        .unwrap()
}

/// A step that reads `changed` in its text.
fn reading(text: &str) -> StepDef {
    StepDef {
        action: StepText::Inline(text.to_owned()),
        ..step("b")
    }
}

pub(super) fn cases() -> Vec<Case> {
    let bad = |place, field, key| case(Rule::BadMerge, place, [merging(field, key)]);
    let claims = "workflow.yaml steps.a.merge.claims";
    let dispatched = StepDef {
        dispatch: Some(Dispatch::new(AgentRole::Explore, DispatchWork::Brief)),
        ..merging("claims", "id")
    };
    let quote = || Shape::Reference(Reference::Quote);
    let alone = Shape::Object(vec![required("text", quote())]);
    let two = Shape::Object(vec![
        required("text", quote()),
        required("from", Shape::Reference(Reference::Place)),
        required("to", Shape::Reference(Reference::Place)),
    ]);
    let quoting = |shape| {
        case(
            Rule::BadQuote,
            "workflow.yaml steps.a.result.seen",
            [step("a").returns("seen", shape)],
        )
    };
    vec![
        quoting(list(quote())),
        quoting(alone),
        quoting(list(two)),
        case(
            Rule::BadQuote,
            "workflow.yaml steps.a.result",
            [step("a").returns("seen", quote())],
        ),
        bad("workflow.yaml steps.a.merge.claim", "claim", "id"),
        bad(claims, "claims", "ids"),
        bad(claims, "claims", "note"),
        bad(claims, "claims", "parts"),
        bad("workflow.yaml steps.a.merge.words", "words", "id"),
        bad("workflow.yaml steps.a.merge.gone", "gone", "id"),
        case(Rule::BadMerge, "workflow.yaml steps.a.merge", [dispatched]),
        case(
            Rule::UnknownName,
            "workflow.yaml steps.b.do +3",
            [merging("claims", "id").to("b"), reading("{{ changed.a.words }}")],
        ),
        case(
            Rule::IllTypedExpression,
            "workflow.yaml steps.a.loop.until +5",
            [merging("claims", "id")
                .until("size(before.claims) == size(result.claims)", 3)
                .to("end")
                .on(bugle_core::outcome::Outcome::Iterate, "a")],
        ),
    ]
}

#[test]
fn a_guard_may_compare_with_the_visit_before_once_there_is_one() {
    for until in [
        "!visit.first && size(before.claims) == size(result.claims)",
        "has(before.claims) && result.claims == before.claims",
        "visit.first ? false : result == before",
    ] {
        let step = merging("claims", "id")
            .until(until, 3)
            .to("end")
            .on(bugle_core::outcome::Outcome::Iterate, "a");
        assert_eq!(
            crate::support::errors(bugle_core::workflow::WorkflowDef::new([step])),
            [],
            "{until}"
        );
    }
}
