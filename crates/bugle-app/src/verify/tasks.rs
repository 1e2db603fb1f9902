//! Checking tasks: each is replayed, and what its row says of the tasks around it is counted again.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::task::{Forest, Task, TaskEvent, TreePath};
use bugle_store::{AuditStore as _, ProjectId, TaskRow, TaskStore as _};
use bugle_wire::StoreCheck;

use crate::{App, AppError};

impl App {
    /// Checks the tasks of all projects, one project at a time.
    pub(super) fn verify_tasks(&mut self, check: &mut StoreCheck) -> Result<(), AppError> {
        for project in self.store.projects_with_tasks()? {
            let rows = match self.store.tasks_of_project(&project) {
                Ok(rows) => rows,
                Err(error) => {
                    check.faults.push(format!("project {}: {error}", project.0));
                    continue;
                }
            };
            let mut replayed = Vec::with_capacity(rows.len());
            for row in &rows {
                check.tasks += 1;
                check.faults.extend(self.store.task_chain_fault(&row.task.id)?);
                match self.replay_task(&row.task.id, check) {
                    Ok(task) => {
                        check.faults.extend(differences(&row.task, &task));
                        replayed.push(task);
                    }
                    Err(fault) => check.faults.push(fault),
                }
            }
            if replayed.len() == rows.len() {
                let places = in_order(&replayed);
                check.faults.extend(misplaced(&rows, &places));
                let tasks: Vec<Task> = places.into_iter().map(|(task, _)| task.clone()).collect();
                self.verify_finding(&project, &Forest::new(&tasks), check)?;
            }
        }
        Ok(())
    }

    fn replay_task(&mut self, id: &TaskId, check: &mut StoreCheck) -> Result<Task, String> {
        let recorded = self.store.task_events(id).map_err(|error| error.to_string())?;
        check.task_events += recorded.len() as u64;
        let events: Vec<TaskEvent> = recorded.into_iter().map(|recorded| recorded.event).collect();
        Task::replay(id, &events).map_err(|error| error.to_string())
    }

    /// Whether what is found by an index is what is found by looking at everything.
    fn verify_finding(
        &mut self,
        project: &ProjectId,
        forest: &Forest<'_>,
        check: &mut StoreCheck,
    ) -> Result<(), AppError> {
        let position = self.store.position(project, None)?.map(|row| row.task.id);
        if position.as_ref() != forest.position().map(|task| &task.id) {
            let fault = "another task than the first open one is found as the position";
            check.faults.push(format!("project {}: {fault}", project.0));
        }
        let ready = self.store.ready(project, None, false, u32::MAX)?;
        let expected = forest.ready();
        if !ready
            .iter()
            .map(|row| &row.task.id)
            .eq(expected.iter().map(|task| &task.id))
        {
            let fault = "other tasks are found as ready than those that are";
            check.faults.push(format!("project {}: {fault}", project.0));
        }
        Ok(())
    }
}

fn fault(id: &TaskId, what: &str) -> String {
    format!("task {id}: its row has another {what} than its events say")
}

/// What a row says of its own task and the events do not.
fn differences(kept: &Task, task: &Task) -> Vec<String> {
    let facts = [
        ("title", kept.title == task.title),
        ("parent", kept.parent == task.parent),
        ("rank", kept.rank == task.rank),
        ("skill", kept.skill == task.skill),
        ("agent", kept.agent == task.agent),
        ("standing", kept.standing == task.standing),
        ("reason", kept.reason == task.reason),
        (
            "task that it was skipped with",
            kept.skipped_with == task.skipped_with,
        ),
        ("removal", kept.removed == task.removed),
        ("number of retries", kept.retries == task.retries),
        ("place in a plan", kept.plan == task.plan),
        ("run", kept.run == task.run),
        ("list of what it waits for", kept.waits_for == task.waits_for),
        ("list of waived tasks", kept.waived == task.waived),
        ("version", kept.version == task.version),
    ];
    let wrong = facts.into_iter().filter(|(_, same)| !same);
    wrong.map(|(what, _)| fault(&task.id, what)).collect()
}

/// Tasks in order, a parent before what lies in it, each with its path. Those that lie in nothing that is there are left
/// out.
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
    let mut ahead: Vec<(&Task, TreePath)> = top
        .into_iter()
        .map(|task| (task, TreePath::top(task.rank)))
        .collect();
    while let Some((task, path)) = ahead.pop() {
        let children = inside.remove(&Some(&task.id)).unwrap_or_default();
        ahead.extend(children.into_iter().map(|child| (child, path.child(child.rank))));
        found.push((task, path));
    }
    found
}

/// What rows say of the tasks around theirs, and these do not.
fn misplaced(rows: &[TaskRow], places: &[(&Task, TreePath)]) -> Vec<String> {
    let tasks: Vec<Task> = places.iter().map(|(task, _)| (*task).clone()).collect();
    let forest = Forest::new(&tasks);
    let by_id: BTreeMap<&TaskId, (&Task, &TreePath)> = places
        .iter()
        .map(|(task, path)| (&task.id, (*task, path)))
        .collect();
    let roots: BTreeMap<&TreePath, &TaskId> = places
        .iter()
        .filter(|(task, _)| task.parent.is_none())
        .map(|(task, path)| (path, &task.id))
        .collect();
    let mut faults = Vec::new();
    for row in rows {
        let id = &row.task.id;
        let Some((task, path)) = by_id.get(id).copied() else {
            faults.push(format!("task {id}: it lies in nothing that is there"));
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
            (
                "number of tasks it waits for",
                row.blockers == forest.blockers(task),
            ),
            (
                "number of tasks before its turn",
                row.turn_blockers == forest.turn_blockers(task),
            ),
        ];
        let wrong = facts.into_iter().filter(|(_, same)| !same);
        faults.extend(wrong.map(|(what, _)| fault(id, what)));
    }
    faults
}
