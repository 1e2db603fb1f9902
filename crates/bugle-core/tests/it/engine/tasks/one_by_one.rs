//! Tasks that a run takes, works on and closes one by one.

use bugle_core::engine::{Command, Event, EvidenceReport, Refusal, context, plan_in_view};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome::{Fail, Iterate, Ok};
use bugle_core::shape::Shape;
use bugle_core::task::{TaskEffect, TaskStatus};
use bugle_core::workflow::TaskUse;
use serde_json::json;

use super::{id, one_after_another, own, planned, planning, statuses};
use crate::support::{Build, Drive, answer, begun, brought, done, gave_up, step, workflow};

#[test]
fn tasks_are_started_in_order_and_closed_one_by_one() {
    use TaskStatus::{Active, Done, Pending, Skipped};
    let workflow = one_after_another();
    let mut run = planned(&workflow);
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("pick", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    run.accept(done(2));
    run.accept(done(3));
    let events = run.accept(done(4));
    assert_eq!(
        statuses(&run.board),
        [Done, Active, Pending],
        "one decision closes a task and takes the next"
    );
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::Closed { .. } => "closed",
            Event::Ended { .. } => "ended",
            Event::Entered { .. } => "entered",
            Event::Took { .. } => "took",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["closed", "ended", "entered", "took"]);
    run.accept(done(5));
    run.accept(gave_up(6, "it cannot be built"));
    run.accept(brought(7, json!({ "why": "nobody knows how" })));
    assert_eq!(statuses(&run.board), [Done, Skipped, Active]);
    run.accept(done(8));
    run.accept(gave_up(9, "nor this"));
    let events = run.accept(brought(10, json!({})));
    assert!(events.contains(&Event::Closed {
        visit: VisitNumber(10),
        task: id(3),
        skipped: Some("set aside".to_owned()),
    }));
    assert_eq!(
        (run.at().as_str(), own(&run)),
        ("pick", None),
        "nothing is left to take"
    );
    run.accept(done(11));
    assert_eq!(run.at(), "report");
    let seen = context(&run.state, &workflow, VisitNumber(12)).for_templates();
    let record: Vec<_> = seen["record"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| ["number", "outcome", "why"].map(|key| entry[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        record,
        [
            ["1", "done", ""],
            ["2", "skipped", "nobody knows how"],
            ["3", "skipped", "set aside"]
        ]
    );
}

#[test]
fn a_loop_continues_its_open_task() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take])
            .returns("finished", Shape::Boolean)
            .until("result.finished", 4)
            .to("close")
            .on(Iterate, "work"),
        step("close").using([TaskUse::Done]),
    ]);
    let mut run = planned(&workflow);
    run.accept(brought(2, json!({ "finished": false })));
    assert_eq!(own(&run).as_deref(), Some("1"));
    run.accept(brought(3, json!({ "finished": true })));
    run.accept(done(4));
    assert_eq!(run.board.done(), 1);
}

#[test]
fn a_step_can_start_and_close_a_task_in_each_iteration() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take, TaskUse::Done])
            .until("plan.open == 0", 9)
            .to("end")
            .on(Iterate, "work"),
    ]);
    let mut run = planned(&workflow);
    for visit in 2..=4 {
        assert_eq!(own(&run), Some((visit - 1).to_string()));
        run.accept(done(visit));
    }
    assert_eq!((run.at().as_str(), run.board.done()), ("end", 3));
}

#[test]
fn a_task_that_was_closed_by_hand_is_not_started_again() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take])
            .until("plan.open == 0", 4)
            .to("end")
            .on(Iterate, "work"),
    ]);
    let mut run = planned(&workflow);
    run.board.apply(&id(1), &TaskEffect::Done);
    run.accept(done(2));
    assert_eq!(own(&run).as_deref(), Some("2"));
}

#[test]
fn an_answer_can_close_a_task() {
    let workflow = workflow([
        planning("plan").to("pick"),
        step("pick").using([TaskUse::Take]).to("ask"),
        step("ask")
            .asks(&["done", "not yet"])
            .using([TaskUse::Done])
            .when("result.answer == 'not yet'", Fail)
            .to("end")
            .on(Fail, "end"),
    ]);
    for (said, status) in [("done", TaskStatus::Done), ("not yet", TaskStatus::Pending)] {
        let mut run = planned(&workflow);
        run.accept(done(2));
        run.accept(answer(said));
        assert_eq!(statuses(&run.board)[0], status, "{said}");
    }
}

#[test]
fn a_plan_imported_as_evidence_takes_effect_in_the_same_decision() {
    let workflow = one_after_another();
    let mut run = begun(&workflow);
    let command = brought(1, json!({ "file": "plan.md" }));
    assert_eq!(plan_in_view(&run.state, &command, None), None);
    let step = &workflow.steps()[0];
    let found: Vec<_> = step.expect.iter().map(EvidenceReport::met).collect();
    assert_eq!(plan_in_view(&run.state, &command, Some(&found)), Some(&id(0)));
    run.accept(command);
    run.accept(done(2));
    assert_eq!(plan_in_view(&run.state, &done(3), None), Some(&id(0)));
    let back = Command::Rewind { to: VisitNumber(1) };
    assert_eq!(plan_in_view(&run.state, &back, None), None);
}

#[test]
fn a_run_without_a_plan_cannot_move_to_a_version_that_needs_one() {
    let before = workflow([
        step("plan").returns("file", Shape::text()).to("work"),
        step("work"),
    ]);
    let after = workflow([
        planning("plan").to("work"),
        step("work").using([TaskUse::Take]).when("plan.open == 0", Ok),
    ]);
    let mut run = begun(&before);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    let upgrade = Command::Upgrade {
        pin: bugle_core::id::ContentHash::from_digest([2; 32]),
        workflow: &after,
    };
    assert!(matches!(run.refusal(upgrade), Refusal::DoesNotFit { .. }));
}
