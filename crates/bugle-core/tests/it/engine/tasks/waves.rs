//! Tasks that several sub-agents work on at the same time.

use bugle_core::engine::{
    ChildReport, ChildState, Decision, Environment, Escalation, RunState, TaskRef, context, decide,
    example_board, task_effects,
};
use bugle_core::id::{RunId, TaskId, VisitNumber};
use bugle_core::task::{Board, TaskEffect};
use bugle_core::workflow::Workflow;
use bugle_testkit::run::TestRun;
use serde_json::json;

use super::{id, in_waves, planned};
use crate::support::{Drive, begun, brought, done, gave_up, unanswered};

#[test]
fn a_wave_has_every_ready_task_up_to_its_limit() {
    let workflow = in_waves(None, 1);
    let mut run = planned(&workflow);
    let sizes = |run: &TestRun<'_>| run.state.current().map(|visit| visit.children().len());
    assert_eq!(sizes(&run), Some(1), "the other tasks wait; none is refused");
    run.accept(done(2));
    run.accept(done(3));
    run.accept(done(4));
    assert_eq!((run.at().as_str(), run.board.done()), ("end", 3));
    let workflow = in_waves(None, 8);
    let run = planned(&workflow);
    let visit = run.state.current().unwrap();
    let [first, second] = visit.children() else {
        panic!("{visit:?}")
    };
    let given = &first.params["task"];
    assert_eq!((&given["number"], &given["skill"]), (&json!("1"), &json!("")));
    assert_eq!(given["files"], json!(["src/part_1.rs"]));
    assert_eq!(first.params["left"], json!(3));
    let tasks = [&first.task, &second.task].map(|task| task.as_ref().map(|task: &TaskRef| task.id.clone()));
    assert_eq!(tasks, [Some(id(1)), Some(id(3))]);
}

#[test]
fn tasks_that_change_the_same_file_are_not_dispatched_together() {
    let workflow = in_waves(None, 8);
    let mut run = begun(&workflow);
    let mut tasks = run.board.tasks().to_vec();
    tasks[2].brief.files = tasks[0].brief.files.clone();
    run.board = Board::new(tasks);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    let called = run.state.current().unwrap().children();
    assert_eq!(called.len(), 1);
    run.accept(done(2));
    assert_eq!(
        run.state.current().unwrap().children().len(),
        2,
        "the rest comes next"
    );
}

#[test]
fn no_sub_agent_is_dispatched_without_a_ready_task() {
    let workflow = in_waves(None, 8);
    let mut run = begun(&workflow);
    for task in 1..=3 {
        run.board.apply(&id(task), &TaskEffect::Done);
    }
    run.accept(brought(1, json!({ "file": "plan.md" })));
    assert_eq!(run.at(), "end");
}

fn report(slot: u32, state: ChildState) -> ChildReport {
    ChildReport {
        slot,
        run: RunId::from_random(u64::from(slot)),
        state,
        tree: None,
        also_found: Vec::new(),
    }
}

fn effects(state: &RunState, workflow: &Workflow, children: &[ChildReport]) -> Vec<(TaskId, TaskEffect)> {
    let board = example_board();
    let environment = Environment {
        children,
        tasks: Some(&board),
        ..Environment::unknown()
    };
    let asking = children.iter().any(|report| report.state.asks());
    let command = if asking { unanswered(2) } else { done(2) };
    match decide(state, workflow, command, environment) {
        Decision::Accept(events) => task_effects(state, &events),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sub_agent_reports_close_fail_block_or_release_tasks() {
    let workflow = in_waves(Some(1), 8);
    let run = planned(&workflow);
    let reason = || "there are two guides".to_owned();
    let first_two = |first, second| {
        let mut found = effects(&run.state, &workflow, &[report(1, first), report(2, second)]);
        found.truncate(2);
        found
    };
    assert_eq!(
        first_two(ChildState::Finished(None), ChildState::Failed(reason())),
        [
            (id(1), TaskEffect::Done),
            (id(3), TaskEffect::Fail { reason: reason() })
        ]
    );
    let stopped = ChildState::Escalated(Escalation::NeedsDecision, reason());
    assert_eq!(
        first_two(stopped, ChildState::Waiting),
        [
            (id(1), TaskEffect::Block { reason: reason() }),
            (id(3), TaskEffect::Release)
        ]
    );
    let mut failed = planned(&workflow);
    failed.accept(gave_up(2, "there is nobody to start"));
    assert_eq!(failed.board.ready().len(), 2);
}

#[test]
fn the_record_lists_tasks_that_sub_agents_finished() {
    let workflow = in_waves(None, 8);
    let mut run = planned(&workflow);
    run.accept(done(2));
    let seen = context(&run.state, &workflow, VisitNumber(3)).for_templates();
    let numbers: Vec<_> = seen["record"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["number"])
        .collect();
    assert_eq!(numbers, ["1", "3"]);
    let before = context(&run.state, &workflow, VisitNumber(2)).for_templates();
    assert_eq!(before["record"], json!([]));
}
