//! Rules about checks, patterns and unique lists.

use bugle_core::pattern::Pattern;
use bugle_core::role::AgentRole;
use bugle_core::shape::{Length, Shape, Unique};
use bugle_core::validate::Rule;
use bugle_core::workflow::{Answerer, Ask, Dispatch, DispatchWork, StepDef};
use bugle_testkit::spelling::{expression, field_name};

use super::{Case, case, rules};
use crate::support::{Build, one_of, optional, required, step};

rules! {
    a_check_does_not_fit_the_types breaks IllTypedCheck;
    a_check_is_about_no_result_or_says_nothing breaks BadCheck;
    a_pattern_matches_nothing breaks BadPattern;
    items_cannot_be_told_apart breaks BadUnique;
    two_values_of_a_question_run_together breaks ValuesRunTogether;
}

fn listed(items: Shape, min: usize, unique: Unique) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length: Length {
            min: Some(min),
            max: None,
        },
        unique: Some(unique),
    }
}

fn checked(that: &str) -> StepDef {
    let claim = Shape::Object(vec![
        required("id", Shape::text()),
        optional("note", Shape::text()),
    ]);
    let claims = Shape::Array {
        items: Box::new(claim),
        length: Length::default(),
        unique: None,
    };
    step("a")
        .returns("claims", claims)
        .may_bring("best", Shape::text())
        .checked(expression(that), "It makes sense.")
}

pub(super) fn cases() -> Vec<Case> {
    let that = "workflow.yaml steps.a.check.0.that";
    let ill = |offset: &'static str, source| case(Rule::IllTypedCheck, offset, [checked(source)]);
    let brief = StepDef {
        dispatch: Some(Dispatch::new(AgentRole::Explore, DispatchWork::Brief)),
        ..checked("result.claims.all(c, c.id != visit.step)")
    };
    let asking = StepDef {
        ask: Some(Ask {
            question: "Which?".to_owned(),
            choices: Vec::new(),
            by: Answerer::User,
        }),
        ..step("a").checked(expression("result.answer != ''"), "It is not empty.")
    };
    let silent = step("a")
        .returns("sure", Shape::Boolean)
        .checked(expression("result.sure"), " ");
    let question = "Take {{ state.a.best }} because {{ state.a.why }}?";
    let together = StepDef {
        ask: Some(Ask {
            question: question.to_owned(),
            choices: Vec::new(),
            by: Answerer::User,
        }),
        ..step("b")
    };
    let impossible = Pattern::new(r"a\bb").unwrap();
    let result = "workflow.yaml steps.a.result.ids";
    let unique = |shape| case(Rule::BadUnique, result, [step("a").returns("ids", shape)]);
    let named = |name| Unique::Field(field_name(name));
    let item = || {
        Shape::Object(vec![
            required("id", Shape::text()),
            optional("note", Shape::text()),
        ])
    };
    vec![
        ill("workflow.yaml steps.a.check.0.that +7", "result.claim != []"),
        ill("workflow.yaml steps.a.check.0.that +0", "result.best != ''"),
        ill(
            "workflow.yaml steps.a.check.0.that +21",
            "result.claims.all(c, c.note != '')",
        ),
        ill("workflow.yaml steps.a.check.0.that +7", "result.claims"),
        ill(
            "workflow.yaml steps.a.check.0.that +37",
            "result.claims.exists(c, c.id.matches('[a-z'))",
        ),
        ill(
            "workflow.yaml steps.a.check.0.that +39",
            "result.claims.exists(c, c.id.matches(c.id))",
        ),
        case(
            Rule::IllTypedCheck,
            "workflow.yaml steps.a.check.0.that +29",
            [brief],
        ),
        case(Rule::BadCheck, that, [checked("visit.number > 1")]),
        case(
            Rule::BadCheck,
            "workflow.yaml steps.a.check",
            [step("a").checked(expression("visit.number > 1"), "It is late.")],
        ),
        case(Rule::BadCheck, "workflow.yaml steps.a.check", [asking]),
        case(Rule::BadCheck, "workflow.yaml steps.a.check.0.say", [silent]),
        case(
            Rule::BadPattern,
            result,
            [step("a").returns("ids", Shape::Pattern(impossible, Length::default()))],
        ),
        unique(listed(item(), 0, Unique::Items)),
        unique(listed(item(), 0, named("name"))),
        unique(listed(item(), 0, named("note"))),
        unique(listed(Shape::text(), 0, named("id"))),
        unique(listed(one_of(&["low", "high"]), 3, Unique::Items)),
        case(
            Rule::ValuesRunTogether,
            "workflow.yaml steps.b.ask.question +5",
            [
                step("a")
                    .to("b")
                    .returns("best", Shape::text())
                    .returns("why", Shape::text()),
                together,
            ],
        ),
    ]
}
