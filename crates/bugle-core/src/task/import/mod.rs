//! Computes the changes to the task tree when a plan is imported or imported again after an edit.
//!
//! [`match_tasks`] matches the tasks: closed tasks stay closed, moved tasks move, and vanished tasks are removed but
//! can be restored. A task that was added by hand between the plan's tasks stays after the same neighbour.

mod apply;
mod nodes;
mod open;
mod sequence;
mod waits;

use std::collections::{BTreeMap, BTreeSet};

use apply::Importer;
use nodes::Nodes;

use super::decide::TaskChanges;
use super::event::{Task, TaskEvent};
use crate::id::{PlanId, TaskId};
use crate::plan::{Matching, OldTask, Plan, TaskMatch, TaskWords, match_tasks};

/// A plan to import.
#[derive(Debug, Clone, Copy)]
pub struct Importing<'a> {
    /// The plan's id.
    pub id: &'a PlanId,
    /// The parsed plan.
    pub plan: &'a Plan,
    /// The hash of each task's text, by index; empty if the task has no text.
    pub hashes: &'a [String],
    /// The plan's root task, which already exists.
    pub root: &'a Task,
    /// The root's ancestors, nearest first.
    pub above: &'a [Task],
    /// The root's descendants and all other tasks from this plan, in tree order.
    pub known: &'a [Task],
    /// Whether ticked checkboxes and status marks in headings close tasks.
    pub trust_checkboxes: bool,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The events.
    pub changes: TaskChanges,
    /// The task for each node of the plan, in file order.
    pub nodes: Vec<TaskId>,
    /// The match result for each node.
    pub matches: Vec<TaskMatch>,
    /// The tasks that are no longer in the plan.
    pub vanished: Vec<TaskId>,
    /// The tasks that were closed because the plan marks them as closed.
    pub ticked: Vec<TaskId>,
    /// The tasks that the plan marks as closed. They stay open because the plan's marks are not trusted.
    pub disbelieved: Vec<TaskId>,
}

/// A cycle among the plan's dependencies: pairs of a waiting node and its dependency, as indexes into [`Plan::nodes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCycle(pub Vec<(usize, usize)>);

/// Computes the changes. `new_ids` has an id for every node that may be new.
pub fn import(what: Importing<'_>, new_ids: &[TaskId]) -> Result<Import, PlanCycle> {
    let nodes = Nodes::read(what);
    let old = old_tasks(what);
    let Matching { matches, vanished } = compare(&nodes, &old);
    let ids = ids(&matches, &old, new_ids);
    let mut importer = Importer::new(what, &nodes, &ids);
    importer.refuse_cycles()?;
    importer.words();
    importer.places();
    let vanished: Vec<TaskId> = vanished.iter().map(|place| old[*place].id.clone()).collect();
    importer.vanish(&vanished);
    importer.hide_children_of_removed_tasks();
    let said_closed = importer.tick();
    let (ticked, disbelieved) = if what.trust_checkboxes {
        (said_closed, Vec::new())
    } else {
        (Vec::new(), said_closed)
    };
    importer.reopen_parents_of_open_tasks(&ticked);
    importer.close_groups_that_are_over();
    importer.dependencies();
    let named = |nodes: Vec<usize>| nodes.into_iter().map(|node| ids[node].clone()).collect();
    Ok(Import {
        changes: importer.into_changes(),
        nodes: ids.clone(),
        matches,
        vanished,
        ticked: named(ticked),
        disbelieved: named(disbelieved),
    })
}

/// Recomputes the plan order of an imported plan after dependencies changed or tasks were closed early. `new_ids` has
/// an id for every node whose task is gone.
pub fn reorder(what: Importing<'_>, new_ids: &[TaskId]) -> TaskChanges {
    let nodes = Nodes::read(what);
    let old = old_tasks(what);
    let Matching { matches, .. } = compare(&nodes, &old);
    let ids = ids(&matches, &old, new_ids);
    let known: BTreeSet<&TaskId> = old.iter().map(|task| &task.id).collect();
    let mut importer = Importer::new(what, &nodes, &ids);
    importer.dependencies();
    let mut changes = importer.into_changes();
    changes.retain(|(id, event)| match event {
        TaskEvent::Waits { on, .. } => known.contains(id) && known.contains(on),
        _ => known.contains(id),
    });
    changes
}

/// The tasks from the plan, without its root task.
fn old_tasks(what: Importing<'_>) -> Vec<&Task> {
    let from_plan = |task: &&Task| task.plan.as_ref().is_some_and(|link| link.plan == *what.id);
    let known = what.known.iter().filter(from_plan);
    known.filter(|task| task.id != what.root.id).collect()
}

/// The task id for each node.
fn ids(matches: &[TaskMatch], old: &[&Task], new_ids: &[TaskId]) -> Vec<TaskId> {
    let mut fresh = new_ids.iter();
    let id = |change: &TaskMatch| match change.old() {
        Some(place) => Some(old[place].id.clone()),
        None => fresh.next().cloned(),
    };
    matches.iter().filter_map(id).collect()
}

fn compare(nodes: &Nodes, old: &[&Task]) -> Matching {
    let places: BTreeMap<&TaskId, usize> = old
        .iter()
        .enumerate()
        .map(|(place, task)| (&task.id, place))
        .collect();
    let known: Vec<OldTask<'_>> = old
        .iter()
        .map(|task| {
            let link = task.plan.as_ref();
            OldTask {
                words: TaskWords {
                    number: link.map_or("", |link| &link.number),
                    title: link.map_or("", |link| &link.title),
                    content_hash: link.map_or("", |link| &link.content_hash),
                    parent: task
                        .parent
                        .as_ref()
                        .and_then(|parent| places.get(parent).copied()),
                },
                closed: !task.status.is_open(),
                removed: task.removed.is_some(),
            }
        })
        .collect();
    let now: Vec<TaskWords<'_>> = nodes
        .links
        .iter()
        .zip(&nodes.parents)
        .map(|(link, parent)| TaskWords {
            number: &link.number,
            title: &link.title,
            content_hash: &link.content_hash,
            parent: *parent,
        })
        .collect();
    match_tasks(&known, &now)
}
