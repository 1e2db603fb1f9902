//! Bugle rejects stored events that could not have happened.

use bugle_core::engine::{Event, Recorded, RunState, context};
use bugle_core::id::{RunId, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::shape::Shape;
use bugle_core::workflow::Workflow;
use bugle_testkit::spelling::step_id;
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, done, step, workflow};

fn two_steps() -> Workflow {
    workflow([step("a").to("b"), step("b")])
}

fn why(events: &[Recorded]) -> (u64, &'static str) {
    let corrupt = RunState::replay(&RunId::from_random(1), events).unwrap_err();
    (corrupt.seq, corrupt.why)
}

#[test]
fn a_history_starts_with_the_start_event() {
    let workflow = two_steps();
    let run = begun(&workflow);
    assert_eq!(why(&[]), (0, "there are no events"));
    assert_eq!(
        why(&run.events[1..]),
        (1, "the first event does not start the run")
    );
    let twice = [&run.events[..1], &run.events[..1]].concat();
    assert_eq!(why(&twice), (2, "the run has already started"));
}

#[test]
fn an_impossible_event_is_corruption() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    let entered = |visit, after| Event::Entered {
        visit: VisitNumber(visit),
        step: step_id("a"),
        after,
        files: None,
    };
    let ended = |visit| Event::Ended {
        visit: VisitNumber(visit),
        outcome: Outcome::Ok,
        result: None,
        reason: None,
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        no_progress: false,
        exhausted: false,
        tree: None,
    };
    let impossible = [
        (entered(4, None), "the visit number is out of sequence"),
        (entered(2, None), "the visit number is out of sequence"),
        (
            entered(3, Some(VisitNumber(7))),
            "the previous visit does not exist",
        ),
        (ended(1), "the visit is not open"),
        (ended(3), "the visit is not open"),
        (
            Event::Asked {
                visit: VisitNumber(1),
            },
            "the visit with the question is not open",
        ),
        (
            Event::Noted {
                visit: VisitNumber(9),
                text: "x".to_owned(),
            },
            "the note's visit does not exist",
        ),
    ];
    for (event, expected) in impossible {
        let mut events = run.events.clone();
        events.push(Recorded {
            event,
            ..run.events[0].clone()
        });
        assert_eq!(why(&events), (events.len() as u64, expected));
    }
}

#[test]
fn the_token_belongs_to_the_open_visit() {
    let workflow = two_steps();
    let mut run = begun(&workflow);
    run.accept(done(1));
    let token = run.state.current_token().unwrap();
    assert_eq!(token.to_string(), format!("{}#2", run.state.id));
}

#[test]
fn templates_see_visited_steps_and_guards_see_every_step() {
    let workflow = workflow([
        step("a")
            .returns("ratio", Shape::Number(bugle_core::shape::Range::default()))
            .to("b"),
        step("b").to("c"),
        step("c"),
    ]);
    let mut run = begun(&workflow);
    run.accept(brought(1, json!({ "ratio": 2 })));
    let seen = context(&run.state, &workflow, VisitNumber(2));
    let here = json!({ "number": 2, "iteration": 1, "step": "b", "first": true, "remembered": false });
    let whose = json!({ "id": run.state.id, "skill": "tested" });
    assert_eq!(
        seen.for_templates(),
        json!({
            "params": {}, "state": { "a": { "ratio": 2 } }, "visit": here, "run": whose, "record": [], "deferred": [],
            "changed": {},
        })
    );
    assert_eq!(
        seen.for_guards(&workflow, None, None),
        json!({
            "params": {}, "state": { "a": { "ratio": 2.0 }, "b": {}, "c": {} }, "visit": here, "run": whose,
            "gate": {}, "result": {}, "before": {}, "task": {}, "plan": {}, "record": [], "deferred": [],
        })
    );
}
