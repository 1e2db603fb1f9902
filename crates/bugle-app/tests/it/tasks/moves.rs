//! Adding and moving tasks within the tree.

use bugle_app::{AddRequest, Destination, Neighbour};
use bugle_core::name::SkillAddress;
use bugle_core::task::{TaskCommand, TaskEvent};

use super::event_of;
use crate::project::{Project, fails, refused, titled};

#[test]
fn tasks_are_added_at_the_requested_place() {
    let mut project = Project::new();
    let [b, d] = project.add(["b", "d"]);
    let beside = |titles: &[&str], neighbour: Neighbour| AddRequest {
        neighbour: Some(neighbour),
        ..titled(titles)
    };
    project.add_with(&beside(&["a"], Neighbour::First));
    project.add_with(&beside(&["c1", "c2"], Neighbour::Before(d.clone())));
    project.add_with(&beside(&["e", "f"], Neighbour::After(d.clone())));
    assert_eq!(project.labels(), ["a", "b", "c1", "c2", "d", "e", "f"]);
    let [b2] = project.add_under(&b, ["b2"]);
    project.add_with(&AddRequest {
        under: Some(b.clone()),
        ..beside(&["b1"], Neighbour::First)
    });
    project.add_with(&AddRequest {
        skill: Some(SkillAddress::new("house-style".to_owned()).unwrap()),
        ..beside(&["b3"], Neighbour::After(b2.clone()))
    });
    assert_eq!(project.labels()[1..5], ["b", "b1", "b2", "b3"]);
    let elsewhere = AddRequest {
        under: Some(d.clone()),
        ..beside(&["x"], Neighbour::After(b2.clone()))
    };
    fails(project.try_add(&elsewhere), 2, "has a different parent");
    let waiting = AddRequest {
        waits_for: vec![b2, d],
        ..titled(&["g"])
    };
    let waiting = project.add_with(&waiting).remove(0);
    let mut names: Vec<String> = project
        .show(&waiting)
        .place
        .waits_for
        .into_iter()
        .map(|name| name.label())
        .collect();
    names.sort();
    assert_eq!(names, ["b2", "d"]);
}

#[test]
fn a_task_can_be_moved_anywhere_except_into_itself() {
    let mut project = Project::new();
    let [a, b, c] = project.add(["a", "b", "c"]);
    let [a1, a2] = project.add_under(&a, ["a1", "a2"]);
    let before = |task: &bugle_core::id::TaskId| Destination::Beside(Neighbour::Before(task.clone()));
    let after = |task: &bugle_core::id::TaskId| Destination::Beside(Neighbour::After(task.clone()));
    let first = || Destination::Beside(Neighbour::First);
    for (task, to, expected) in [
        (&c, before(&b), "a a1 a2 c b"),
        (&c, after(&b), "a a1 a2 b c"),
        (&c, first(), "c a a1 a2 b"),
        (&c, Destination::Under(a.clone()), "a a1 a2 c b"),
        (&c, first(), "a c a1 a2 b"),
        (&c, after(&a1), "a a1 c a2 b"),
        (&c, Destination::Top, "a a1 a2 b c"),
        (&b, Destination::FirstUnder(a.clone()), "a b a1 a2 c"),
        (&b, before(&c), "a a1 a2 b c"),
        (&a, Destination::Under(b.clone()), "b a a1 a2 c"),
        (&a2, before(&a1), "b a a2 a1 c"),
        (&a, before(&a), "b a a2 a1 c"),
        (&a, first(), "b a a2 a1 c"),
    ] {
        project.try_move(task, &to).unwrap();
        assert_eq!(project.labels().join(" "), expected, "{to:?}");
    }
    for into in [&a, &a1] {
        let moved = project.try_move(&b, &Destination::Under(into.clone()));
        fails(moved, 2, &format!("cannot move {b} into itself"));
    }
    project.change(&c, &TaskCommand::Remove);
    let refusal = refused(project.try_move(&a1, &Destination::Under(c.clone())), "removed");
    assert_eq!(refusal.command, Some(format!("bugle task reopen {c}")));
    refused(project.try_move(&c, &first()), "removed");
    assert_eq!(project.labels().join(" "), "b a a2 a1");
    project.check();
}

#[test]
fn a_closed_task_reopens_when_it_gets_a_subtask() {
    let mut project = Project::new();
    let [a, b] = project.add(["a", "b"]);
    project.done(&a);
    let moved = project.try_move(&b, &Destination::Under(a.clone())).unwrap();
    let event = event_of(&moved, &a);
    assert!(matches!(event, Some(TaskEvent::Reopened { .. })), "{moved:?}");
    assert_eq!(project.outline(), ["a pending", "  b pending"]);
    project.done(&b);
    project.done(&a);
    project.add_under(&a, ["c"]);
    assert_eq!(project.outline(), ["a active", "  b done", "  c pending"]);
}
