//! Tasks as they are shown.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::task::{Forest, Task, TaskState, WaitSource};
use bugle_render::task_words::label;
use bugle_store::TaskRow;
use bugle_wire::{TaskLine, TaskName, TaskView};

/// A task that is only named.
pub(crate) fn name_of(task: &Task) -> TaskName {
    TaskName {
        id: task.id.to_string(),
        label: label(task),
    }
}

/// A task with the state that its row gives; `begun` if something in it is under way or over.
pub(crate) fn task_view(row: &TaskRow, begun: bool) -> TaskView {
    let state = TaskState::of(row.task.standing, row.is_blocked(), begun);
    view_of(row, state, &|_| true)
}

/// A task in this state; `waited_for` tells of what it waits for whether that is still open.
fn view_of(row: &TaskRow, state: TaskState, waited_for: &dyn Fn(&TaskId) -> bool) -> TaskView {
    let task = &row.task;
    let (children, open_children) = (row.children, row.open_children);
    let open = |says: fn(WaitSource) -> bool| {
        let waits = task.waits_for.iter().filter(move |(_, said)| says(**said));
        waits.filter(|(on, _)| row.blockers > 0 && waited_for(on))
    };
    let in_order = open(|says| says == WaitSource::Order);
    let declared = open(|says| says != WaitSource::Order);
    TaskView {
        id: task.id.to_string(),
        number: task.number().map(str::to_owned),
        title: task.title.clone(),
        label: label(task),
        state: state.as_str().to_owned(),
        ready_to_close: task.is_open() && children > 0 && open_children == 0,
        reason: task.reason.clone(),
        agent: task.agent.as_ref().map(ToString::to_string),
        skill: task.skill.as_ref().map(ToString::to_string),
        run: task.run.as_ref().map(ToString::to_string),
        retries: task.retries,
        children,
        open_children,
        comes_after: in_order.map(|(on, _)| on.to_string()).collect(),
        waits_for: declared.map(|(on, _)| on.to_string()).collect(),
        removed: task.removed.is_some(),
    }
}

/// Tasks as lines of a tree. The rows are whole trees or whole subtrees, in order.
pub(crate) fn line_views(rows: &[TaskRow], current: Option<&TaskId>) -> Vec<TaskLine> {
    let top = rows.first().map_or(1, |row| row.path.levels());
    let waits: BTreeMap<&TaskId, bool> = rows.iter().map(|row| (&row.task.id, row.is_blocked())).collect();
    let order: BTreeMap<String, usize> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| (row.task.id.to_string(), at))
        .collect();
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let forest = Forest::new(&tasks);
    rows.iter()
        .map(|row| {
            let task = &row.task;
            let waiting = waits.get(&task.id).copied().unwrap_or(false);
            // Of a tree that is shown in part, what was begun may be in the other part.
            let begun = forest.is_begun(&task.id) || row.children > row.open_children;
            let state = TaskState::of(task.standing, waiting, begun);
            let mut view = view_of(row, state, &|on| forest.get(on).is_none_or(Task::is_open));
            // In the order of the tree; what is not in it comes last.
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
