//! Properties of random edits: closed tasks that did not change stay closed, and the tree matches the plan.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::task::{Removal, Task, TaskCommand};
use proptest::prelude::*;

use super::Imported;

/// A task of the generated plan.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    title: String,
    body: String,
    /// Whether the task starts a new phase.
    phase: bool,
}

/// An edit of the plan, or a command on a task.
#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, bool),
    Delete(usize),
    Move(usize, usize),
    Rename(usize),
    Rewrite(usize),
    BringBack,
    Split(usize),
    Do(usize, TaskCommand),
    AddInside(usize),
    Import,
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = 0_usize..12;
    let command = prop_oneof![
        4 => Just(TaskCommand::Done),
        1 => Just(TaskCommand::Skip { reason: None }),
        1 => Just(TaskCommand::Reopen),
        1 => Just(TaskCommand::Remove),
    ];
    prop_oneof![
        2 => (place.clone(), any::<bool>()).prop_map(|(place, phase)| Edit::Insert(place, phase)),
        2 => place.clone().prop_map(Edit::Delete),
        2 => (place.clone(), place.clone()).prop_map(|(from, to)| Edit::Move(from, to)),
        1 => place.clone().prop_map(Edit::Rename),
        1 => place.clone().prop_map(Edit::Rewrite),
        1 => Just(Edit::BringBack),
        1 => place.clone().prop_map(Edit::Split),
        6 => (place.clone(), command).prop_map(|(place, command)| Edit::Do(place, command)),
        1 => place.prop_map(Edit::AddInside),
        5 => Just(Edit::Import),
    ]
}

fn markdown(tasks: &[Written]) -> String {
    let mut text = "# The plan\n".to_owned();
    let in_phases = tasks.iter().any(|task| task.phase);
    let mut phases = 0;
    for (place, task) in tasks.iter().enumerate() {
        if in_phases && (task.phase || place == 0) {
            phases += 1;
            text += &format!("\n## Phase {phases}: Phase of {}\n", task.title);
        }
        text += &format!("\n### Task {}: {}\n\n{}\n", place + 1, task.title, task.body);
    }
    text
}

/// Every closed task of the plan that is in the tree.
fn closed(imported: &Imported) -> BTreeMap<TaskId, Task> {
    let of_plan = imported.present().into_iter().filter(|task| {
        task.plan
            .as_ref()
            .is_some_and(|link| !link.content_hash.is_empty())
            && !task.status.is_open()
    });
    of_plan.map(|task| (task.id.clone(), task)).collect()
}

fn import_and_check(imported: &mut Imported, tasks: &[Written]) -> Result<(), TestCaseError> {
    let before = imported.clone();
    let import = imported.again(&markdown(tasks));
    prop_assert_eq!(imported.tree.hiding(), []);
    // The order of the tree is plan order.
    let of_plan: Vec<TaskId> = imported
        .tree
        .inside(&imported.root)
        .into_iter()
        .map(|task| task.id)
        .filter(|id| import.nodes.contains(id))
        .collect();
    prop_assert_eq!(&of_plan, &import.nodes);
    let titles = |tasks: Vec<Task>| -> Vec<String> {
        tasks
            .into_iter()
            .filter(|task| {
                task.plan
                    .as_ref()
                    .is_some_and(|link| !link.content_hash.is_empty())
            })
            .map(|task| task.title)
            .collect()
    };
    let expected: Vec<String> = tasks.iter().map(|task| task.title.clone()).collect();
    let nodes = import.nodes.iter().map(|id| imported.tree[id].clone()).collect();
    prop_assert_eq!(titles(nodes), expected);
    // Nothing is lost: every task of the plan is in the tree, unless it or its parent was removed by hand.
    for id in &import.nodes {
        let removed = &imported.tree[id].removed;
        prop_assert!(
            matches!(removed, None | Some(Removal::ByHand | Removal::With(_))),
            "{:?}",
            removed
        );
    }
    for (id, task) in closed(&before) {
        let same = tasks.iter().any(|written| {
            written.title == task.title && written.body == task.plan.as_ref().unwrap().content_hash.trim()
        });
        if same {
            prop_assert!(import.nodes.contains(&id), "{} is another task now", task.title);
            prop_assert_eq!(imported.tree[&id].status, task.status, "{}", task.title);
        }
    }
    // The same import again changes nothing.
    let read = bugle_skill::parse_plan(&markdown(tasks));
    prop_assert_eq!(imported.decide(&read, false).unwrap().changes, []);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn closed_tasks_stay_closed_and_the_tree_matches_the_plan(edits in prop::collection::vec(edit(), 1..40)) {
        let mut made = 0;
        let mut fresh = |phase: bool| {
            made += 1;
            Written { title: format!("Title {made}"), body: format!("Body {made}."), phase }
        };
        let mut tasks: Vec<Written> = (0..4).map(|_| fresh(false)).collect();
        let mut deleted: Vec<Written> = Vec::new();
        let mut imported = Imported::first(&markdown(&tasks));
        for edit in edits {
            let count = tasks.len();
            match edit {
                Edit::Insert(place, phase) => tasks.insert(place % (count + 1), fresh(phase)),
                Edit::Delete(place) if count > 1 => deleted.push(tasks.remove(place % count)),
                Edit::Delete(_) => {}
                Edit::Move(from, to) => {
                    let task = tasks.remove(from % count);
                    tasks.insert(to % count, task);
                }
                Edit::Rename(place) => tasks[place % count].title = fresh(false).title,
                Edit::Rewrite(place) => tasks[place % count].body = fresh(false).body,
                Edit::Split(place) => tasks[place % count].phase ^= true,
                Edit::BringBack => tasks.extend(deleted.pop()),
                Edit::Do(place, command) => {
                    let present = imported.tree.inside(&imported.root);
                    let id = present[place % present.len()].id.clone();
                    let _ = imported.tree.command(&id, &command);
                }
                Edit::AddInside(place) => {
                    let present = imported.present();
                    if !present.is_empty() {
                        imported.tree.add(Some(&present[place % present.len()].id), &fresh(false).title);
                    }
                }
                Edit::Import => import_and_check(&mut imported, &tasks)?,
            }
            prop_assert_eq!(imported.tree.hiding(), []);
        }
        import_and_check(&mut imported, &tasks)?;
    }
}
