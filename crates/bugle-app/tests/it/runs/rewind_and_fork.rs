//! A person goes back to an earlier visit of a run, or starts a copy of the run there.

use bugle_core::engine::{Origin, RunStatus};
use bugle_core::id::VisitNumber;
use bugle_core::reply::TimelineKind;

use super::{run_of, three, visit_of, word};
use crate::project::refused;
use crate::reviewed::{end, name, step, visit};

#[test]
fn a_rewind_repeats_a_visit_and_keeps_the_history() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("wrong")));
    let third = step(project.report(&second, &word("two")));
    let again = step(project.rewind(&visit(&first)));
    assert_eq!(name(&again), "first");
    assert_eq!(
        visit(&again),
        visit_of(&first, 4),
        "a visit number is never used twice"
    );
    assert_eq!(
        step(project.rewind(&visit(&again))),
        again,
        "the run is already at that step"
    );
    refused(project.end_visit(&third), "stale-visit");
    refused(project.rewind(&visit(&second)), "not-in-history");
    refused(project.rewind(&visit_of(&first, 9)), "unknown-visit");
    let second = step(project.report(&again, &word("right")));
    assert_eq!(second.action, "The first thing was right.");
    let timeline = project.show_run(&first).timeline;
    let is_left_behind = |visit: u32| {
        let mut entries = timeline.iter();
        let entered = entries
            .find(|entry| entry.visit() == Some(VisitNumber(visit)) && entry.kind() == TimelineKind::Entered);
        entered.unwrap().left_behind
    };
    assert_eq!([1, 2, 3, 4].map(is_left_behind), [true, true, true, false]);
    project.check();
}

#[test]
fn a_complete_run_can_be_rewound_to_an_earlier_visit() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("one")));
    let third = step(project.report(&second, &word("two")));
    end(project.end_visit(&third));
    let again = step(project.rewind(&visit(&second)));
    assert_eq!(again.action, "The first thing was one.");
    assert_eq!(project.status_of_run(&first), RunStatus::Active);
    let third = step(project.report(&again, &word("better")));
    end(project.end_visit(&third));
    project.check();
}

#[test]
fn a_fork_is_a_separate_run_that_starts_at_a_visit() {
    let (mut project, first) = three();
    let here = project.app.context.directory.clone();
    let second = step(project.report(&first, &word("one")));
    step(project.report(&second, &word("two")));
    // A fork belongs to the original run's project, whichever folder it is started in.
    project.enter_folder("elsewhere");
    let fork = step(project.fork(&visit(&second)));
    project.enter(&here, None);
    assert_ne!(fork.position.run, first.position.run);
    assert_eq!(name(&fork), "second");
    assert_eq!(fork.action, second.action);
    assert_ne!(fork.result.as_ref().unwrap().file, second.result.unwrap().file);
    step(project.report(&fork, &word("other")));
    let original = project.show_run(&first).summary;
    assert_eq!(original.position.step.as_deref(), Some("third"));
    assert_eq!(
        project.show_run(&fork).origin,
        Origin::Fork {
            run: first.position.run.clone(),
            visit: VisitNumber(2),
            task: None,
        }
    );
    assert_eq!(project.list_runs(false, false, 50).runs.len(), 2);
    refused(project.fork(&visit_of(&first, 9)), "unknown-visit");
    project.cancel(&run_of(&first), None).unwrap();
    step(project.fork(&visit(&first)));
    project.check();
}
