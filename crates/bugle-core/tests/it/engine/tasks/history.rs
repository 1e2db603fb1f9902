//! The tasks of a run that ends, is rewound or is forked.

use bugle_core::engine::{Command, fork, plan_in_view};
use bugle_core::id::VisitNumber;
use bugle_core::task::TaskStatus;
use bugle_core::workflow::TaskUse;
use bugle_testkit::run::TestRun;

use super::{in_waves, one_after_another, own, planned, planning, statuses};
use crate::support::{Build, Drive, done, step, workflow};

#[test]
fn a_run_that_ends_or_is_cancelled_releases_its_task() {
    let plan = || planning("plan").to("work");
    let workflow = workflow([plan(), step("work").using([TaskUse::Take])]);
    let mut run = planned(&workflow);
    run.accept(done(2));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    let mut run = planned(&workflow);
    run.accept(Command::Cancel { reason: None });
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    let waves = in_waves(None, 8);
    let mut run = planned(&waves);
    assert_eq!(run.board.ready().len(), 0);
    run.accept(Command::Cancel { reason: None });
    assert_eq!(
        run.board.ready().len(),
        2,
        "its sub-agents' tasks are released, too"
    );
}

#[test]
fn rewinding_releases_started_tasks_and_reopens_closed_ones() {
    use TaskStatus::{Active, Done, Pending};
    let workflow = one_after_another();
    let mut run = planned(&workflow);
    for visit in 2..=6 {
        run.accept(done(visit));
    }
    assert_eq!(statuses(&run.board), [Done, Active, Pending]);
    let rewind = |to| Command::Rewind { to: VisitNumber(to) };
    // Rewind to before the work on the first task: the run has the first task again, and the second is pending.
    run.accept(rewind(3));
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("work", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    // Rewind to before any task was taken: the run takes the first ready task again.
    run.accept(rewind(2));
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("pick", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    run.accept(rewind(1));
    assert_eq!(own(&run), None);
    assert_eq!(statuses(&run.board), [Pending; 3]);
    assert_eq!(
        plan_in_view(&run.state, &done(1), None),
        None,
        "the plan is forgotten too"
    );
}

#[test]
fn rewinding_a_completed_run_starts_its_task_again() {
    let workflow = workflow([
        planning("plan").to("pick"),
        step("pick").using([TaskUse::Take]).to("work"),
        step("work"),
    ]);
    let mut run = planned(&workflow);
    run.accept(done(2));
    run.accept(done(3));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    run.accept(Command::Rewind { to: VisitNumber(3) });
    assert_eq!(own(&run).as_deref(), Some("1"));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Active);
}

#[test]
fn a_fork_keeps_the_task_of_its_run() {
    let workflow = one_after_another();
    let run = planned(&workflow);
    let events = fork(&run.state.id, &run.events, VisitNumber(2)).unwrap();
    let forked = TestRun::from_events(&workflow, events).unwrap();
    assert_eq!(own(&forked).as_deref(), Some("1"));
}
