//! The position: the next task.

use bugle_core::task::TaskState;

use super::Authentication;
use crate::project::Project;

#[test]
fn the_position_is_the_first_open_leaf_at_any_depth() {
    let mut project = Project::new();
    let tree = Authentication::new(&mut project);
    let at = project.position().unwrap();
    assert_eq!(at.task.id, tree.spec_review, "{at:?}");
    assert_eq!(at.above[0].id, tree.task_two);
    let before = at.place.before.unwrap();
    assert_eq!((before.name.title.as_str(), before.skipped), ("Implement", false));
    assert_eq!(at.task.state, TaskState::Pending);
    assert_eq!(at.place.after.unwrap().id, tree.quality_review);
}

#[test]
fn a_parent_whose_children_are_closed_is_ready_to_close() {
    let mut project = Project::new();
    let tree = Authentication::new(&mut project);
    project.done(&tree.spec_review);
    let at = project.done(&tree.quality_review).next.unwrap();
    assert_eq!(at.task.id, tree.task_two);
    assert!(at.task.ready_to_close);
    assert_eq!(
        at.commands[0].command,
        format!("bugle task done {}", tree.task_two)
    );
    project.done(&tree.task_two);
    for next in ["Task 3: Sessions", "Execute plan", "Finish branch"] {
        let at = project.position().unwrap();
        assert_eq!(at.task.label, next);
        project.done(&at.task.id);
    }
    assert_eq!(project.next().as_deref(), Some("Build authentication"));
    project.done(&tree.root);
    assert_eq!(project.next(), None);
    project.check();
}

#[test]
fn fifty_tasks_added_in_one_request_keep_their_order() {
    let mut project = Project::new();
    let titles: Vec<String> = (1..=50).map(|number| format!("Part {number}")).collect();
    let words: Vec<&str> = titles.iter().map(String::as_str).collect();
    let added = project.add_with(&crate::project::titled(&words));
    assert_eq!(project.labels(), titles);
    for (id, title) in added.iter().zip(&titles) {
        assert_eq!(project.next().as_ref(), Some(title));
        project.done(id);
    }
}
