//! The task tree.

mod changes;
mod claims;
mod errors;
mod moves;
mod ownership;
mod permission;
mod position;
mod removal;
mod runs;
mod skill_pins;
mod skill_selection;
mod stored_rows;

use bugle_core::id::TaskId;
use bugle_core::reply::{SideEffect, TasksChanged};
use bugle_core::task::TaskEvent;

use crate::project::Project;

/// A tree whose first three phases are done and whose fourth is partly implemented.
struct Authentication {
    root: TaskId,
    execute: TaskId,
    task_two: TaskId,
    spec_review: TaskId,
    quality_review: TaskId,
}

impl Authentication {
    fn new(project: &mut Project) -> Self {
        let [root] = project.add(["Build authentication"]);
        let [brainstorm, worktree, plan, execute, _finish] = project.add_under(
            &root,
            [
                "Brainstorm",
                "Create worktree",
                "Write plan",
                "Execute plan",
                "Finish branch",
            ],
        );
        let titles = ["Task 1: User model", "Task 2: Login form", "Task 3: Sessions"];
        let [task_one, task_two, _] = project.add_under(&execute, titles);
        let [implement, spec_review, quality_review] =
            project.add_under(&task_two, ["Implement", "Spec review", "Code quality review"]);
        for done in [&brainstorm, &worktree, &plan, &task_one, &implement] {
            project.done(done);
        }
        Self {
            root,
            execute,
            task_two,
            spec_review,
            quality_review,
        }
    }
}

/// The event that a command caused on this task as a side effect.
fn event_of<'a>(changed: &'a TasksChanged, task: &TaskId) -> Option<&'a TaskEvent> {
    changed.also.iter().find_map(|effect| match effect {
        SideEffect::Changed { name, event } if name.id == *task => Some(event.as_ref()),
        _ => None,
    })
}
