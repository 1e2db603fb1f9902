//! The task tree of a feature in progress: three phases are done, and the second of three tasks is in review.

use bugle_core::id::TaskId;
use bugle_core::task::{Forest, Task, TaskCommand, TaskState, TaskStatus};
use bugle_testkit::tasks::TaskTree;

struct Feature {
    tree: TaskTree,
    /// The second task and its three children.
    second: TaskId,
    parts: [TaskId; 3],
}

fn done(tree: &mut TaskTree, id: &TaskId) {
    tree.command(id, &TaskCommand::Done).unwrap();
}

fn authentication() -> Feature {
    let mut tree = TaskTree::new();
    let top = tree.add(None, "Implement authentication");
    for phase in ["Brainstorm", "Write the plan", "Make a worktree"] {
        let phase = tree.add(Some(&top), phase);
        done(&mut tree, &phase);
    }
    let execute = tree.add(Some(&top), "Execute the plan");
    // Add the last phase before the tasks: the position must not depend on a task's depth or age.
    tree.add(Some(&top), "Finish branch");
    let tasks =
        ["Task 1: Schema", "Task 2: Login", "Task 3: Logout"].map(|title| tree.add(Some(&execute), title));
    let [first, second, _] = &tasks;
    let parts =
        ["Implement", "Spec review", "Code quality review"].map(|title| tree.add(Some(second), title));
    done(&mut tree, first);
    done(&mut tree, &parts[0]);
    let second = second.clone();
    Feature { tree, second, parts }
}

fn position(tree: &TaskTree) -> Option<String> {
    let tasks = tree.in_order();
    Forest::new(&tasks).position().map(|task| task.title.clone())
}

fn state(tree: &TaskTree, id: &TaskId) -> TaskState {
    let tasks = tree.in_order();
    let forest = Forest::new(&tasks);
    let task: &Task = &tree[id];
    TaskState::of(task.status, forest.blockers(task) > 0, forest.is_begun(id))
}

#[test]
fn the_position_is_the_next_review_in_plan_order() {
    let feature = authentication();
    assert_eq!(position(&feature.tree).as_deref(), Some("Spec review"));
}

#[test]
fn a_task_with_only_closed_children_is_the_position() {
    let Feature {
        mut tree,
        second,
        parts,
    } = authentication();
    done(&mut tree, &parts[1]);
    assert_eq!(position(&tree).as_deref(), Some("Code quality review"));
    let skip = TaskCommand::Skip { reason: None };
    tree.command(&parts[2], &skip).unwrap();
    assert_eq!(position(&tree).as_deref(), Some("Task 2: Login"));
    let tasks = tree.in_order();
    assert_eq!(Forest::new(&tasks).children(&second), (3, 0));
    assert!(Forest::new(&tasks).ready().iter().any(|task| task.id == second));
    done(&mut tree, &second);
    assert_eq!(position(&tree).as_deref(), Some("Task 3: Logout"));
}

#[test]
fn a_task_without_an_agent_can_be_done() {
    let Feature { tree, second, parts } = authentication();
    assert_eq!(tree[&parts[0]].agent, None);
    assert_eq!(state(&tree, &parts[0]), TaskState::Done);
    assert_eq!(
        state(&tree, &second),
        TaskState::Active,
        "something in it is over"
    );
    assert_eq!(state(&tree, &parts[1]), TaskState::Pending);
}

#[test]
fn a_closed_tree_has_no_position() {
    let Feature { mut tree, .. } = authentication();
    while let Some(open) = Forest::new(&tree.in_order())
        .position()
        .map(|task| task.id.clone())
    {
        assert_eq!(tree[&open].status, TaskStatus::Pending);
        done(&mut tree, &open);
    }
    assert!(tree.in_order().iter().all(|task| task.status == TaskStatus::Done));
}

#[test]
fn fifty_tasks_added_at_once_stay_in_plan_order() {
    let mut tree = TaskTree::new();
    let top = tree.add(None, "A plan");
    let made: Vec<TaskId> = (1..=50)
        .map(|number| tree.add(Some(&top), &format!("Task {number}")))
        .collect();
    for expected in made {
        assert_eq!(
            Forest::new(&tree.in_order())
                .position()
                .map(|task| task.id.clone()),
            Some(expected.clone())
        );
        done(&mut tree, &expected);
    }
}

#[test]
fn a_task_is_not_ready_before_its_dependencies_are_closed() {
    use bugle_core::task::{TaskEvent, TaskRefusal, WaitSource};
    let mut tree = TaskTree::new();
    let phases = ["Phase 1", "Phase 2"].map(|title| tree.add(None, title));
    let tasks = [0, 1].map(|phase| tree.add(Some(&phases[phase]), "Work"));
    let says = WaitSource::Hand;
    let on = phases[0].clone();
    tree.apply(&[(phases[1].clone(), TaskEvent::Waits { on, says })]);
    let ready = |tree: &TaskTree| -> Vec<TaskId> {
        let tasks = tree.in_order();
        let ready = Forest::new(&tasks).ready();
        ready.into_iter().map(|task| task.id.clone()).collect()
    };
    assert_eq!(ready(&tree), [tasks[0].clone()]);
    assert_eq!(
        state(&tree, &tasks[1]),
        TaskState::Blocked,
        "its parent is waiting"
    );
    assert_eq!(
        tree.command(&tasks[1], &TaskCommand::Done),
        Err(TaskRefusal::Waits(vec![phases[0].clone()]))
    );
    done(&mut tree, &tasks[0]);
    assert_eq!(ready(&tree), [phases[0].clone()]);
    let skip = TaskCommand::Skip { reason: None };
    tree.command(&phases[0], &skip).unwrap();
    assert_eq!(ready(&tree), [tasks[1].clone()]);
}
