//! Runs that work on a plan's tasks.

mod history;
mod one_by_one;
mod waves;

use bugle_core::id::TaskId;
use bugle_core::outcome::Outcome::Iterate;
use bugle_core::role::AgentRole;
use bugle_core::shape::Shape;
use bugle_core::task::{Board, TaskStatus};
use bugle_core::workflow::{Dispatch, DispatchWork, Evidence, FanOut, StepDef, TaskUse, Workflow};
use bugle_testkit::run::TestRun;
use bugle_testkit::spelling::{expression, field_name};
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, step, workflow};

fn id(number: u64) -> TaskId {
    TaskId::from_random(number)
}

/// A step that imports a plan.
fn planning(id: &str) -> StepDef {
    let mut step = step(id).returns("file", Shape::text());
    step.expect = vec![Evidence::Plan {
        file: "{{ result.file }}".to_owned(),
    }];
    step
}

/// A plan whose tasks are taken one by one, worked on, and closed or skipped.
fn one_after_another() -> Workflow {
    workflow([
        planning("plan").to("pick"),
        step("pick")
            .using([TaskUse::Take])
            .until("!has(task.id)", 9)
            .to("report")
            .on(Iterate, "work"),
        step("work").to("close").failing_to("aside"),
        step("close").using([TaskUse::Done]).to("pick"),
        step("aside")
            .using([TaskUse::Skip])
            .may_bring("why", Shape::text())
            .to("pick"),
        step("report"),
    ])
}

/// A plan whose ready tasks are all dispatched at once, in several waves.
fn in_waves(quorum: Option<u32>, limit: u32) -> Workflow {
    let mut wave = step("wave")
        .until("plan.ready == 0", 9)
        .to("end")
        .on(Iterate, "wave")
        .failing_to("end");
    wave.dispatch = Some(Dispatch {
        fan_out: FanOut::Tasks {
            item: field_name("task"),
            limit,
        },
        quorum,
        with: [(field_name("left"), expression("plan.open"))].into(),
        ..Dispatch::new(AgentRole::Developer, DispatchWork::Brief)
    });
    workflow([planning("plan").to("wave"), wave])
}

fn planned(workflow: &Workflow) -> TestRun<'_> {
    let mut run = begun(workflow);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    run
}

fn statuses(board: &Board) -> Vec<TaskStatus> {
    board.tasks().iter().map(|task| task.status).collect()
}

fn own(run: &TestRun<'_>) -> Option<String> {
    let visit = run.state.head()?.number;
    run.state.task(visit).map(|task| task.number.clone())
}
