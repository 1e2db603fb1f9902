//! Checks tasks: replays each task, and recomputes the columns that depend on other tasks.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::reply::StoreCheck;
use bugle_core::task::{Forest, Task, TaskEvent, TreePath};
use bugle_store::{ProjectId, Store, TaskRow};

use crate::AppError;

/// Checks the tasks of all projects, one project at a time.
pub(super) fn verify_tasks(store: &mut Store, check: &mut StoreCheck) -> Result<(), AppError> {
    for project in store.projects_with_tasks()? {
        let rows = match store.tasks_of_project(&project) {
            Ok(rows) => rows,
            Err(error) => {
                check.faults.push(format!("project {}: {error}", project.0));
                continue;
            }
        };
        let mut replayed = Vec::with_capacity(rows.len());
        for row in &rows {
            check.tasks += 1;
            check.faults.extend(store.task_chain_fault(&row.task.id)?);
            match replay_task(store, &row.task.id, check) {
                Ok(task) => {
                    check.faults.extend(differences(&row.task, &task));
                    replayed.push(task);
                }
                Err(fault) => check.faults.push(fault),
            }
        }
        if replayed.len() == rows.len() {
            let ordered = in_order(&replayed);
            check.faults.extend(relation_faults(&rows, &ordered));
            let tasks: Vec<Task> = ordered.into_iter().map(|(task, _)| task.clone()).collect();
            verify_queries(store, &project, &Forest::new(&tasks), check)?;
        }
    }
    Ok(())
}

fn replay_task(store: &mut Store, id: &TaskId, check: &mut StoreCheck) -> Result<Task, String> {
    let recorded = store.task_events(id).map_err(|error| error.to_string())?;
    check.task_events += recorded.len() as u64;
    let events: Vec<TaskEvent> = recorded.into_iter().map(|recorded| recorded.event).collect();
    Task::replay(id, &events).map_err(|error| error.to_string())
}

/// Compares the results of the indexed queries for the position and the ready tasks with a full scan.
fn verify_queries(
    store: &mut Store,
    project: &ProjectId,
    forest: &Forest<'_>,
    check: &mut StoreCheck,
) -> Result<(), AppError> {
    let position = store.position(project, None)?.map(|row| row.task.id);
    if position.as_ref() != forest.position().map(|task| &task.id) {
        let fault = "the position query does not return the first open task";
        check.faults.push(format!("project {}: {fault}", project.0));
    }
    let ready = store.ready(project, None, false, u32::MAX)?;
    let expected = forest.ready();
    if !ready
        .iter()
        .map(|row| &row.task.id)
        .eq(expected.iter().map(|task| &task.id))
    {
        let fault = "the ready query does not return exactly the tasks that can start";
        check.faults.push(format!("project {}: {fault}", project.0));
    }
    Ok(())
}

fn fault(id: &TaskId, what: &str) -> String {
    format!("task {id}: the row and the events differ in the {what}")
}

/// One error for each column that differs from a task's events.
fn differences(row: &Task, task: &Task) -> Vec<String> {
    let facts = [
        ("title", row.title == task.title),
        ("parent", row.parent == task.parent),
        ("rank", row.rank == task.rank),
        ("skill", row.skill == task.skill),
        ("agent", row.agent == task.agent),
        ("status", row.status == task.status),
        ("reason", row.reason == task.reason),
        (
            "ancestor that caused the skip",
            row.skipped_with == task.skipped_with,
        ),
        ("removal", row.removed == task.removed),
        ("number of retries", row.retries == task.retries),
        ("position in the plan", row.plan == task.plan),
        ("run", row.run == task.run),
        ("list of dependencies", row.waits_for == task.waits_for),
        ("list of waived tasks", row.waived == task.waived),
        ("version", row.version == task.version),
    ];
    let wrong = facts.into_iter().filter(|(_, same)| !same);
    wrong.map(|(what, _)| fault(&task.id, what)).collect()
}

/// Tasks in tree order, parents first, each with its path. Omits tasks whose parent is missing.
fn in_order(tasks: &[Task]) -> Vec<(&Task, TreePath)> {
    let mut inside: BTreeMap<Option<&TaskId>, Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        inside.entry(task.parent.as_ref()).or_default().push(task);
    }
    for children in inside.values_mut() {
        children.sort_by_key(|task| std::cmp::Reverse(task.rank));
    }
    let mut found = Vec::with_capacity(tasks.len());
    let top = inside.remove(&None).unwrap_or_default();
    let mut stack: Vec<(&Task, TreePath)> = top
        .into_iter()
        .map(|task| (task, TreePath::top(task.rank)))
        .collect();
    while let Some((task, path)) = stack.pop() {
        let children = inside.remove(&Some(&task.id)).unwrap_or_default();
        stack.extend(children.into_iter().map(|child| (child, path.child(child.rank))));
        found.push((task, path));
    }
    found
}

/// One error for each column that is inconsistent with the other tasks.
fn relation_faults(rows: &[TaskRow], ordered: &[(&Task, TreePath)]) -> Vec<String> {
    let tasks: Vec<Task> = ordered.iter().map(|(task, _)| (*task).clone()).collect();
    let forest = Forest::new(&tasks);
    let by_id: BTreeMap<&TaskId, (&Task, &TreePath)> = ordered
        .iter()
        .map(|(task, path)| (&task.id, (*task, path)))
        .collect();
    let roots: BTreeMap<&TreePath, &TaskId> = ordered
        .iter()
        .filter(|(task, _)| task.parent.is_none())
        .map(|(task, path)| (path, &task.id))
        .collect();
    let mut faults = Vec::new();
    for row in rows {
        let id = &row.task.id;
        let Some((task, path)) = by_id.get(id).copied() else {
            faults.push(format!("task {id}: the parent does not exist"));
            continue;
        };
        let (children, open_children) = forest.children(id);
        let facts = [
            ("path", row.path == *path),
            (
                "root",
                roots.get(&path.root()).is_some_and(|root| **root == row.root),
            ),
            ("number of children", row.children == children),
            ("number of open children", row.open_children == open_children),
            ("number of blocking tasks", row.blockers == forest.blockers(task)),
            (
                "number of earlier open tasks in the plan",
                row.turn_blockers == forest.turn_blockers(task),
            ),
        ];
        let wrong = facts.into_iter().filter(|(_, same)| !same);
        faults.extend(wrong.map(|(what, _)| fault(id, what)));
    }
    faults
}
