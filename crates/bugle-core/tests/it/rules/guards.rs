//! Rules about guards.

use bugle_core::outcome::Outcome::{Iterate, Ok, Skip};
use bugle_core::shape::Shape;
use bugle_core::validate::Rule;
use bugle_core::workflow::{Arg, WorkflowDef};

use super::{Case, case, case_of, rules};
use crate::support::{Build, one_of, step};

rules! {
    a_guard_does_not_fit breaks IllTypedExpression;
    a_guard_names_an_unknown_param breaks UndeclaredParam;
    a_guard_counts_on_a_result_that_may_not_be_there breaks ResultUnavailable;
}

fn guarded(rule: Rule, place: &'static str, guard: &str) -> Case {
    let mode = Arg::required("mode", one_of(&["quick", "full"])).unwrap();
    let optional = Arg {
        presence: bugle_core::shape::Presence::Optional,
        ..Arg::required("topic", Shape::text()).unwrap()
    };
    let step = step("a")
        .returns("count", Shape::Integer(bugle_core::shape::Range::default()))
        .when(guard, Ok);
    case_of(rule, place, WorkflowDef::new([step]).param(mode).param(optional))
}

pub(super) fn cases() -> Vec<Case> {
    let ill = |place, guard| guarded(Rule::IllTypedExpression, place, guard);
    let flag = |id| step(id).returns("sure", Shape::Boolean);
    vec![
        ill("workflow.yaml steps.a.route.0.when +13", "result.count == 'many'"),
        ill("workflow.yaml steps.a.route.0.when +7", "result.count"),
        ill("workflow.yaml steps.a.route.0.when +7", "result.cuont > 1"),
        ill("workflow.yaml steps.a.route.0.when +0", "reslt.count > 1"),
        ill("workflow.yaml steps.a.route.0.when +12", "params.mode == 'slow'"),
        ill("workflow.yaml steps.a.route.0.when +0", "params.topic == 'x'"),
        ill("workflow.yaml steps.a.route.0.when +6", "state.nobody.count > 1"),
        case(
            Rule::IllTypedExpression,
            "workflow.yaml steps.a.loop.until +2",
            [step("a").until("1 + 1", 2).on(Iterate, "a")],
        ),
        guarded(
            Rule::UndeclaredParam,
            "workflow.yaml steps.a.route.0.when +7",
            "params.mood == 'quick'",
        ),
        guarded(
            Rule::UndeclaredParam,
            "workflow.yaml steps.a.route.0.when +7",
            "params.something_else",
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.route.0.when +0",
            [step("a").to("b").when("state.b.sure", Ok), flag("b")],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.c.route.0.when +1",
            [
                step("a").when("visit.number > 1", Skip).to("b").on(Skip, "c"),
                flag("b").to("c"),
                step("c").when("!state.b.sure", Ok),
            ],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.route.0.when +0",
            [flag("a").when("state.a.sure", Ok)],
        ),
        // A failed visit has no result.
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.b.route.0.when +0",
            [
                flag("a").to("b").failing_to("b"),
                step("b").when("state.a.sure", Ok),
            ],
        ),
        case(
            Rule::ResultUnavailable,
            "workflow.yaml steps.a.loop.until +0",
            [flag("a").until("state.a.sure", 3).on(Iterate, "a")],
        ),
    ]
}
