//! Invariants of task trees under any sequence of commands.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::task::{Forest, Task, TaskCommand, TaskEvent, TaskRefusal, TaskStatus};
use bugle_testkit::tasks::{TaskTree, task_id};
use proptest::prelude::*;

fn command() -> impl Strategy<Value = TaskCommand> {
    let agent = prop::option::of("[ab]").prop_map(|name| name.map(|name| AgentName::new(name).unwrap()));
    let text = || "[a-z]{1,3}".prop_map(String::from);
    prop_oneof![
        1 => (agent.clone(), any::<bool>()).prop_map(|(agent, take_over)| TaskCommand::Start {
            agent,
            run: None,
            take_over
        }),
        4 => Just(TaskCommand::Done),
        3 => prop::option::of(text()).prop_map(|reason| TaskCommand::Skip { reason }),
        1 => text().prop_map(|reason| TaskCommand::Fail { reason }),
        1 => text().prop_map(|reason| TaskCommand::Block { reason }),
        5 => Just(TaskCommand::Reopen),
        1 => text().prop_map(TaskCommand::Note),
        1 => agent.prop_map(TaskCommand::Assign),
        3 => Just(TaskCommand::Remove),
    ]
}

/// A tree in which each task is inside an earlier task or at the top.
fn grown(shape: &[usize]) -> TaskTree {
    let mut tree = TaskTree::new();
    for (place, under) in shape.iter().enumerate() {
        let parent = under.checked_sub(1).filter(|under| *under < place).map(task_id);
        tree.add(parent.as_ref(), &format!("task {place}"));
    }
    tree
}

/// The tree after these commands, some of which may be refused.
fn grown_with(shape: &[usize], commands: &[(usize, TaskCommand)]) -> TaskTree {
    let mut tree = grown(shape);
    for (place, command) in commands {
        let _ = tree.command(&task_id(place % shape.len()), command);
    }
    tree
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0_usize..5, 1..6)
}

fn notes(tree: &TaskTree, id: &TaskId) -> Vec<String> {
    let text = |event: &TaskEvent| match event {
        TaskEvent::Noted { text } => Some(text.clone()),
        _ => None,
    };
    tree.events(id).iter().filter_map(text).collect()
}

/// A task without its version.
fn looks(task: &Task) -> Task {
    Task {
        version: 0,
        ..task.clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_open_task_is_inside_a_closed_one(
        shape in shape(),
        commands in prop::collection::vec((0_usize..8, command()), 0..40),
        late in prop::collection::vec((0_usize..40, 0_usize..8), 0..3),
    ) {
        let mut tree = grown(&shape);
        let mut noted: Vec<(TaskId, String)> = Vec::new();
        for (turn, (place, command)) in commands.iter().enumerate() {
            for (_, under) in late.iter().filter(|(at, _)| *at == turn) {
                let under = task_id(under % shape.len());
                if tree[&under].removed.is_none() {
                    tree.add(Some(&under), "a late one");
                }
            }
            let id = task_id(place % shape.len());
            let before = tree.clone();
            match tree.command(&id, command) {
                Ok(changes) => {
                    if let TaskCommand::Note(text) = command {
                        noted.push((id.clone(), text.clone()));
                    }
                    prop_assert!(
                        changes.iter().all(|(id, event)| {
                            let mut again = before[id].clone();
                            again.apply(event);
                            looks(&again) != looks(&before[id]) || matches!(
                                event,
                                TaskEvent::Noted { .. } | TaskEvent::Started { .. }
                                    | TaskEvent::Failed { .. } | TaskEvent::Blocked { .. }
                            )
                        }),
                        "an event that changes nothing: {:?}", changes
                    );
                }
                Err(TaskRefusal::OpenInside(open)) => prop_assert!(!open.is_empty()),
                Err(_) => {}
            }
            prop_assert_eq!(tree.hiding(), [], "after {:?} of {}", command, id);
            let tasks = tree.in_order();
            let position = Forest::new(&tasks).position();
            prop_assert_eq!(position.is_none(), tasks.iter().all(|task| !task.is_open()));
        }
        for task in tree.in_order() {
            let own: Vec<String> = noted.iter().filter(|(id, _)| *id == task.id).map(|(_, text)| text.clone()).collect();
            prop_assert_eq!(notes(&tree, &task.id), own, "notes are kept, in order");
            prop_assert_eq!(Task::replay(&task.id, tree.events(&task.id)), Ok(task));
        }
    }

    #[test]
    fn no_open_task_is_inside_a_closed_one_in_a_deep_tree(
        commands in prop::collection::vec((0_usize..3, 0_usize..3), 0..60),
    ) {
        let mut tree = grown(&[0, 1, 2]);
        let closing_and_opening = [TaskCommand::Done, TaskCommand::Skip { reason: None }, TaskCommand::Reopen];
        for (place, command) in commands {
            let _ = tree.command(&task_id(place), &closing_and_opening[command]);
            prop_assert_eq!(tree.hiding(), []);
        }
    }

    #[test]
    fn a_restored_task_is_unchanged(
        shape in shape(),
        commands in prop::collection::vec((0_usize..8, command()), 0..20),
        chosen in 0_usize..8,
    ) {
        let mut tree = grown_with(&shape, &commands);
        let id = task_id(chosen % shape.len());
        if tree[&id].removed.is_some() {
            return Ok(());
        }
        let before: Vec<Task> = tree.in_order().iter().map(looks).collect();
        tree.command(&id, &TaskCommand::Remove).unwrap();
        prop_assert!(tree.inside(&id).iter().all(|task| task.removed.is_some()));
        tree.command(&id, &TaskCommand::Reopen).unwrap();
        let after: Vec<Task> = tree.in_order().iter().map(looks).collect();
        prop_assert_eq!(before, after);
    }

    #[test]
    fn a_task_skipped_with_its_parent_reopens_with_it(
        shape in shape(),
        commands in prop::collection::vec((0_usize..8, command()), 0..20),
        chosen in 0_usize..8,
    ) {
        let mut tree = grown_with(&shape, &commands);
        let id = task_id(chosen % shape.len());
        if !tree[&id].is_open() {
            return Ok(());
        }
        let before = tree.clone();
        tree.command(&id, &TaskCommand::Skip { reason: None }).unwrap();
        tree.command(&id, &TaskCommand::Reopen).unwrap();
        for task in before.in_order() {
            let inside = task.id == id || before.above(&task.id).iter().any(|above| above.id == id);
            let expected = if inside && task.is_open() { TaskStatus::Pending } else { task.status };
            if inside && !task.status.is_open() && tree[&task.id].status.is_open() {
                // Tasks that were skipped with this one also reopen, unless they are inside a closed task.
                prop_assert_eq!(task.skipped_with.as_ref(), Some(&id));
                continue;
            }
            prop_assert_eq!(tree[&task.id].status, expected);
        }
    }
}
