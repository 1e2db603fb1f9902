//! A merged list is kept across a step's visits: each visit returns only what is new, and the run has the union.

use bugle_core::engine::{Decision, Event, Origin, Refusal, context, fork};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::{Iterate, Skip};
use bugle_core::shape::{Length, Shape};
use bugle_core::workflow::{StepDef, Workflow};
use bugle_testkit::run::TestRun;
use bugle_testkit::spelling::expression;
use serde_json::{Value, json};

use crate::support::{Build, Drive, begun, brought, done, gave_up, one_of, required, step, workflow};

fn items(min: Option<usize>) -> Shape {
    Shape::Array {
        items: Box::new(Shape::Object(vec![
            required("id", Shape::text()),
            required("state", one_of(&["open", "closed"])),
        ])),
        length: Length { min, max: Some(3) },
        unique: None,
    }
}

/// Digs until no gap is open. The first visit returns at least one gap.
fn dig() -> StepDef {
    step("dig")
        .returns("gaps", items(Some(1)))
        .returns("note", Shape::text())
        .merging("gaps", "id")
        .unwrap()
        .checked(
            expression("result.gaps.exists(g, g.id == 'G1')"),
            "G1 stays in the list.",
        )
        .until("result.gaps.all(g, g.state == 'closed')", 9)
        .to("tell")
        .on(Iterate, "dig")
        .failing_to("retry")
}

fn digging() -> Workflow {
    workflow([dig(), retry(), step("tell")])
}

/// Goes back to digging after a failure.
fn retry() -> StepDef {
    step("retry")
        .until("visit.iteration > 2", 3)
        .to("tell")
        .on(Iterate, "dig")
}

fn gap(id: &str, state: &str) -> Value {
    json!({ "id": id, "state": state })
}

fn returned(gaps: &[Value], note: &str) -> Value {
    json!({ "gaps": gaps, "note": note })
}

/// A run whose first visit found two open gaps.
fn dug(workflow: &Workflow) -> TestRun<'_> {
    let mut run = begun(workflow);
    let found = returned(&[gap("G1", "open"), gap("G2", "open")], "first");
    run.accept(brought(1, found));
    run
}

fn state(run: &TestRun<'_>) -> Value {
    Value::Object(run.state.results_before(VisitNumber(run.number())))["dig"].clone()
}

#[test]
fn a_later_visit_returns_only_new_changed_and_removed_items() {
    let workflow = digging();
    let mut run = dug(&workflow);
    let later = [
        gap("G3", "open"),
        json!({ "id": "G2", "removed": true }),
        gap("G1", "closed"),
    ];
    let given = returned(&later, "second");
    let events = run.accept(brought(2, given.clone()));
    let union = returned(&[gap("G1", "closed"), gap("G3", "open")], "second");
    assert_eq!(state(&run), union);
    let Some(Event::Ended { result, merged, .. }) = events.first() else {
        panic!("{events:?}");
    };
    assert_eq!(result.as_ref(), Some(&union));
    assert_eq!(
        merged.as_ref().unwrap().returned,
        given,
        "what the visit itself returned stays readable"
    );
    run.accept(brought(
        3,
        json!({ "note": "third", "gaps": [gap("G3", "closed")] }),
    ));
    assert_eq!(run.at(), "tell", "the guard sees the union");
}

#[test]
fn a_merged_list_may_be_left_out() {
    let workflow = digging();
    let mut run = dug(&workflow);
    run.accept(brought(2, json!({ "note": "second" })));
    assert_eq!(
        state(&run),
        returned(&[gap("G1", "open"), gap("G2", "open")], "second")
    );
    assert!(matches!(run.refusal(done(3)), Refusal::ResultMissing(_)));
}

fn mismatches(run: &TestRun<'_>, result: Value) -> Vec<String> {
    match run.refusal(brought(run.number(), result)) {
        Refusal::ResultMismatch { mismatches, .. } => mismatches.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_item_stands_once_in_the_list_at_the_first_visit_too() {
    let workflow = digging();
    let run = begun(&workflow);
    let twice = returned(&[gap("G1", "open"), gap("G1", "closed")], "first");
    let found = mismatches(&run, twice);
    assert!(found[0].contains("duplicates"), "{found:?}");
}

#[test]
fn the_union_must_have_the_declared_shape_and_pass_the_checks() {
    let workflow = digging();
    let run = begun(&workflow);
    assert_eq!(
        mismatches(&run, json!({ "note": "none" })).len(),
        1,
        "the first visit returns the list"
    );
    let run = dug(&workflow);
    let more = [gap("G3", "open"), gap("G4", "open")];
    assert_eq!(
        mismatches(&run, returned(&more, "")),
        ["gaps: after the merge: expected 1 to 3 items, found 4 items"]
    );
    let removal = |id: &str| json!({ "id": id, "removed": true });
    assert_eq!(
        mismatches(&run, returned(&[removal("G1"), removal("G2")], "")),
        ["gaps: after the merge: expected 1 to 3 items, found 0 items"]
    );
    assert!(matches!(
        run.refusal(brought(2, returned(&[removal("G1")], ""))),
        Refusal::ChecksFailed { .. }
    ));
}

#[test]
fn a_removal_names_one_earlier_item_and_nothing_else() {
    let workflow = digging();
    let run = dug(&workflow);
    let with_more = json!({ "id": "G2", "removed": true, "state": "open" });
    assert_eq!(
        mismatches(&run, returned(&[with_more], "")),
        ["gaps[0]: to remove an item, return only `id` and `removed`"]
    );
    let unknown = json!({ "id": "G9", "removed": true });
    let found = mismatches(&run, returned(&[unknown], ""));
    assert_eq!(
        found[0],
        "gaps[0]: cannot remove \"G9\": the list has no such item"
    );
    let twice = [gap("G3", "open"), gap("G3", "closed")];
    assert_eq!(
        mismatches(&run, returned(&twice, "")),
        ["gaps[1].id: \"G3\" duplicates gaps[0].id"]
    );
}

#[test]
fn repeating_a_merged_result_changes_nothing() {
    let workflow = digging();
    let mut run = dug(&workflow);
    let given = returned(&[gap("G3", "open")], "second");
    run.accept(brought(2, given.clone()));
    assert_eq!(run.decide(brought(2, given)), Decision::Already);
    assert!(matches!(
        run.refusal(brought(2, returned(&[], "other"))),
        Refusal::StaleVisit { .. }
    ));
}

#[test]
fn a_failed_visit_does_not_lose_the_list() {
    let workflow = digging();
    let mut run = dug(&workflow);
    run.accept(gave_up(2, "the tools are missing"));
    run.accept(done(3));
    run.accept(brought(4, returned(&[gap("G3", "open")], "third")));
    assert_eq!(state(&run)["gaps"].as_array().unwrap().len(), 3);
}

#[test]
fn a_rewind_and_a_fork_return_to_the_earlier_union() {
    let workflow = digging();
    let mut run = dug(&workflow);
    let before = state(&run);
    run.accept(brought(2, returned(&[gap("G3", "open")], "second")));
    let events = fork(&run.state.id, &run.events, VisitNumber(2)).unwrap();
    assert!(matches!(
        &events[0],
        Event::Started {
            origin: Origin::Fork { .. },
            ..
        }
    ));
    let forked = TestRun::from_events(&workflow, events).unwrap();
    assert_eq!(state(&forked), before);
    run.accept(bugle_core::engine::Command::Rewind { to: VisitNumber(2) });
    assert_eq!(state(&run), before);
    run.accept(brought(run.number(), returned(&[gap("G2", "closed")], "again")));
    assert_eq!(
        state(&run)["gaps"],
        json!([gap("G1", "open"), gap("G2", "closed")])
    );
}

/// The template values of the current step, for an agent that remembers the step or not.
fn values(run: &TestRun<'_>, remembered: bool) -> Value {
    let values = context(&run.state, run.workflow, VisitNumber(run.number()));
    let values = if remembered { values.remembered() } else { values };
    values.for_templates()
}

#[test]
fn an_agent_that_remembers_sees_only_the_items_that_changed_since_the_last_visit() {
    let workflow = digging();
    let mut run = begun(&workflow);
    let first = values(&run, true);
    assert_eq!(first["visit"]["first"], json!(true));
    assert_eq!(
        first["visit"]["remembered"],
        json!(false),
        "nothing was shown yet"
    );
    let found = returned(&[gap("G1", "open"), gap("G2", "open")], "first");
    run.accept(brought(1, found));
    assert_eq!(
        values(&run, true)["changed"]["dig"]["gaps"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let again = [gap("G1", "open"), gap("G2", "closed"), gap("G3", "open")];
    run.accept(brought(2, returned(&again, "second")));
    let changed = json!([gap("G2", "closed"), gap("G3", "open")]);
    let seen = values(&run, true);
    assert_eq!(
        seen["changed"]["dig"]["gaps"], changed,
        "an item that stays equal is not new"
    );
    assert_eq!(
        (&seen["visit"]["first"], &seen["visit"]["remembered"]),
        (&json!(false), &json!(true))
    );
    let forgotten = values(&run, false);
    assert_eq!(
        forgotten["changed"]["dig"]["gaps"],
        json!(again),
        "an agent that forgot sees all items"
    );
}

#[test]
fn another_step_sees_everything_that_changed_since_it_was_visited() {
    let back = step("judge")
        .returns("good", Shape::Boolean)
        .until("result.good", 5)
        .to("end")
        .on(Iterate, "collect");
    let collect = step("collect")
        .returns("gaps", items(None))
        .merging("gaps", "id")
        .unwrap()
        .to("refine");
    let refine = step("refine").to("judge");
    let workflow = workflow([collect, refine, back]);
    let mut run = begun(&workflow);
    run.accept(brought(1, json!({ "gaps": [gap("G1", "open")] })));
    run.accept(done(2));
    run.accept(brought(3, json!({ "good": false })));
    run.accept(brought(4, json!({ "gaps": [gap("G2", "open")] })));
    assert_eq!(
        values(&run, true)["changed"]["collect"]["gaps"],
        json!([gap("G2", "open")])
    );
    assert_eq!(
        values(&run, false)["changed"]["collect"]["gaps"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_loop_whose_visit_changed_nothing_stops() {
    let workflow = digging();
    let mut run = dug(&workflow);
    let events = run.accept(brought(2, json!({ "note": "first" })));
    assert!(matches!(
        events.first(),
        Some(Event::Ended {
            no_progress: true,
            exhausted: false,
            ..
        })
    ));
    assert_eq!(run.at(), "tell");
}

#[test]
fn a_route_can_lead_a_loop_without_progress_elsewhere() {
    let dig = dig()
        .when("!visit.first && result.gaps == before.gaps", Skip)
        .on(Skip, "ask");
    let ask = step("ask").asks(&["yes"]).to("tell");
    let workflow = workflow([dig, retry(), step("tell"), ask]);
    let mut run = dug(&workflow);
    run.accept(brought(2, json!({ "note": "second" })));
    assert_eq!(run.at(), "ask");
}

#[test]
fn only_results_with_content_show_that_a_loop_made_no_progress() {
    let dig = step("dig")
        .returns("sure", Shape::Boolean)
        .until("result.sure", 3)
        .to("end")
        .on(Iterate, "dig");
    let workflow = workflow([dig]);
    let mut run = begun(&workflow);
    run.accept(brought(1, json!({ "sure": false })));
    run.accept(brought(2, json!({ "sure": false })));
    assert_eq!(run.at(), "dig");
}
