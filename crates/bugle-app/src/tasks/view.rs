//! View models for tasks.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::reply::{TaskLine, TaskName, TaskView};
use bugle_core::task::{Forest, Task, TaskState, WaitSource};
use bugle_store::TaskRow;

/// The view of a task. `begun` is true if a task below it has started or ended.
pub(crate) fn task_view(row: &TaskRow, begun: bool) -> TaskView {
    let state = TaskState::of(row.task.status, row.is_blocked(), begun);
    view_of(row, state, &|_| true)
}

/// The view of a task in this state. `is_open` returns whether a dependency is still open.
fn view_of(row: &TaskRow, state: TaskState, is_open: &dyn Fn(&TaskId) -> bool) -> TaskView {
    let task = &row.task;
    let (children, open_children) = (row.children, row.open_children);
    let open = |is_wanted: fn(WaitSource) -> bool| {
        let waits = task
            .waits_for
            .iter()
            .filter(move |(_, source)| is_wanted(**source));
        waits.filter(|(on, _)| row.blockers > 0 && is_open(on))
    };
    let in_order = open(|source| source == WaitSource::Order);
    let declared = open(|source| source != WaitSource::Order);
    TaskView {
        id: task.id.clone(),
        number: task.number().map(str::to_owned),
        title: task.title.clone(),
        label: TaskName::of(task).label(),
        state,
        ready_to_close: task.is_open() && children > 0 && open_children == 0,
        reason: task.reason.clone(),
        agent: task.agent.as_ref().map(ToString::to_string),
        skill: task.skill.as_ref().map(ToString::to_string),
        run: task.run.clone(),
        retries: task.retries,
        children,
        open_children,
        comes_after: in_order.map(|(on, _)| on.clone()).collect(),
        waits_for: declared.map(|(on, _)| on.clone()).collect(),
        removed: task.removed.is_some(),
    }
}

/// Tasks as lines of a tree. The rows must be complete trees or subtrees, in order.
pub(crate) fn line_views(rows: &[TaskRow], current: Option<&TaskId>) -> Vec<TaskLine> {
    let top = rows.first().map_or(1, |row| row.path.levels());
    let waits: BTreeMap<&TaskId, bool> = rows.iter().map(|row| (&row.task.id, row.is_blocked())).collect();
    let order: BTreeMap<&TaskId, usize> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| (&row.task.id, at))
        .collect();
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let forest = Forest::new(&tasks);
    rows.iter()
        .map(|row| {
            let task = &row.task;
            let waiting = waits.get(&task.id).copied().unwrap_or(false);
            // The rows may be only part of a tree, so also count closed children outside the rows.
            let begun = forest.is_begun(&task.id) || row.children > row.open_children;
            let state = TaskState::of(task.status, waiting, begun);
            let mut view = view_of(row, state, &|on| forest.get(on).is_none_or(Task::is_open));
            // Sort in tree order; tasks outside these rows come last.
            for waits in [&mut view.waits_for, &mut view.comes_after] {
                waits.sort_by_key(|on| order.get(on).copied().unwrap_or(usize::MAX));
            }
            TaskLine {
                depth: u32::try_from(row.path.levels().saturating_sub(top)).unwrap_or(0),
                current: current == Some(&task.id),
                task: view,
            }
        })
        .collect()
}
