//! Suggested next commands for a task.

use bugle_core::ownership::Ownership;
use bugle_core::reply::CommandView;
use bugle_core::task::TaskStatus;
use bugle_store::TaskRow;

use super::ownership::TaskOwner;
use crate::Context;

/// The description of `bugle task show --full`.
pub(crate) const SHOW_ALL: &str = "show details";

/// The next commands for a task, given the task's owner relative to the reader.
pub(super) fn commands(ctx: &Context, row: &TaskRow, owner: &TaskOwner) -> Vec<CommandView> {
    let id = row.task.id.as_str();
    let command = |does: &str, arguments: &[&str]| CommandView {
        does: does.to_owned(),
        command: ctx.command(arguments),
    };
    let done = || command("when the task is done", &["task", "done", id]);
    let show = || command(SHOW_ALL, &["task", "show", id, "--full"]);
    if row.task.removed.is_some() {
        return vec![command("restore the task", &["task", "reopen", id])];
    }
    match row.task.status {
        TaskStatus::Done | TaskStatus::Skipped => vec![command("reopen the task", &["task", "reopen", id])],
        // A task can close only after its children.
        _ if row.open_children > 0 => {
            vec![command("show the next subtask", &["task", "next", id]), show()]
        }
        status if row.is_blocked() || (row.blockers > 0 && status == TaskStatus::Pending) => {
            vec![command("list tasks that can start", &["task", "ready"]), show()]
        }
        TaskStatus::Active => match (&row.task.run, owner) {
            // A run closes its tasks itself.
            (Some(run), _) => vec![
                command("show the current step of the task's run", &["step", run.as_str()]),
                show(),
            ],
            (None, TaskOwner::Other { holder, .. }) if holder.ownership == Ownership::Ended => {
                vec![command("take the task over", &["task", "start", id]), show()]
            }
            (None, TaskOwner::Other { .. }) => {
                vec![
                    command("list other tasks that can start", &["task", "ready"]),
                    show(),
                ]
            }
            (None, TaskOwner::Unassigned | TaskOwner::Own) => vec![done(), show()],
        },
        TaskStatus::Blocked | TaskStatus::Failed => {
            let ready = command("list other tasks that can start", &["task", "ready"]);
            vec![
                command("retry the task", &["task", "start", id]),
                done(),
                ready,
                show(),
            ]
        }
        TaskStatus::Pending if row.children > 0 && row.open_children == 0 => vec![done(), show()],
        TaskStatus::Pending if owner.is_reserved_for_other() => {
            vec![
                command("list other tasks that can start", &["task", "ready"]),
                show(),
            ]
        }
        TaskStatus::Pending => vec![command("start it", &["task", "start", id]), done(), show()],
    }
}
