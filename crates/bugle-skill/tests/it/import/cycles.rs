//! Plans with cyclic dependencies are refused, and nothing changes.

use bugle_core::task::{PlanCycle, TaskEvent, WaitSource};

use super::{Imported, plan};

fn refused(markdown: &str) -> Vec<(usize, usize)> {
    let mut imported = Imported::nothing();
    let before = imported.tree.in_order();
    let Err(PlanCycle(circle)) = imported.attempt(markdown, false) else {
        panic!("no cycle was found");
    };
    assert_eq!(imported.tree.in_order(), before);
    circle
}

/// Each task waits for the next one, and the last for the first.
fn is_closed(circle: &[(usize, usize)]) -> bool {
    let next = circle.iter().cycle().skip(1);
    circle.iter().zip(next).all(|((_, on), (task, _))| on == task)
}

#[test]
fn a_cycle_of_tasks_is_refused_and_reported() {
    let circle = refused(&plan(&[
        ("One", "**Depends on:** Task 3"),
        ("Two", "**Depends on:** Task 1"),
        ("Three", "**Depends on:** Task 2"),
    ]));
    assert_eq!(circle.len(), 3);
    assert!(is_closed(&circle), "{circle:?}");
}

#[test]
fn a_cycle_through_phases_is_refused() {
    let circle = refused(
        "# P\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\n**Depends on:** Task 2\n\n## Phase 2: Walls\n\n\
         **Depends on:** Phase 1\n\n### Task 2: Login\n\nA form.\n",
    );
    assert_eq!(circle.len(), 2);
}

#[test]
fn a_cycle_closed_by_a_users_own_dependency_is_refused() {
    let mut imported = Imported::first(&plan(&[("One", "First."), ("Two", "Second.")]));
    let (one, two) = (imported.titled("One"), imported.titled("Two"));
    let says = WaitSource::Hand;
    imported.tree.apply(&[(one, TaskEvent::Waits { on: two, says })]);
    let before = imported.tree.in_order();
    let edited = plan(&[("One", "First."), ("Two", "**Depends on:** Task 1")]);
    assert!(imported.attempt(&edited, false).is_err());
    assert_eq!(imported.tree.in_order(), before);
}

#[test]
fn a_removed_dependency_closes_no_cycle() {
    let mut imported = Imported::first(&plan(&[("One", "First."), ("Two", "**Depends on:** Task 1")]));
    imported.again(&plan(&[("One", "**Depends on:** Task 2"), ("Two", "Second.")]));
    let (one, two) = (imported.titled("One"), imported.titled("Two"));
    assert!(imported.tree[&one].waits_for.contains_key(&two));
    assert!(imported.tree[&two].waits_for.is_empty());
}
