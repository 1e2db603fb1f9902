//! Suggested next commands for a task.

use bugle_core::ownership::Ownership;
use bugle_core::reply::{CommandView, Purpose};
use bugle_core::task::TaskStatus;
use bugle_store::TaskRow;

use super::ownership::TaskOwner;
use crate::Context;

/// The next commands for a task, given the task's owner relative to the reader.
pub(super) fn commands(ctx: &Context, row: &TaskRow, owner: &TaskOwner) -> Vec<CommandView> {
    let id = row.task.id.as_str();
    let command = |purpose: Purpose, arguments: &[&str]| CommandView {
        purpose,
        command: ctx.command(arguments),
    };
    let done = || command(Purpose::FinishTask, &["task", "done", id]);
    let show = || command(Purpose::ShowDetails, &["task", "show", id, "--full"]);
    if row.task.removed.is_some() {
        return vec![command(Purpose::RestoreTask, &["task", "reopen", id])];
    }
    match row.task.status {
        TaskStatus::Done | TaskStatus::Skipped => vec![command(Purpose::ReopenTask, &["task", "reopen", id])],
        // A task can close only after its children.
        _ if row.open_children > 0 => {
            vec![command(Purpose::NextSubtask, &["task", "next", id]), show()]
        }
        status if row.is_blocked() || (row.blockers > 0 && status == TaskStatus::Pending) => {
            vec![command(Purpose::ListReady, &["task", "ready"]), show()]
        }
        TaskStatus::Active => match (&row.task.run, owner) {
            // A run closes its tasks itself.
            (Some(run), _) => vec![command(Purpose::ShowStepOfTask, &["step", run.as_str()]), show()],
            (None, TaskOwner::Other { holder, .. }) if holder.ownership == Ownership::Ended => {
                vec![command(Purpose::TakeOverTask, &["task", "start", id]), show()]
            }
            (None, TaskOwner::Other { .. }) => {
                vec![command(Purpose::ListOtherReady, &["task", "ready"]), show()]
            }
            (None, TaskOwner::Unassigned | TaskOwner::Own) => vec![done(), show()],
        },
        TaskStatus::Blocked | TaskStatus::Failed => {
            let ready = command(Purpose::ListOtherReady, &["task", "ready"]);
            vec![
                command(Purpose::RetryTask, &["task", "start", id]),
                done(),
                ready,
                show(),
            ]
        }
        TaskStatus::Pending if row.children > 0 && row.open_children == 0 => vec![done(), show()],
        TaskStatus::Pending if owner.is_reserved_for_other() => {
            vec![command(Purpose::ListOtherReady, &["task", "ready"]), show()]
        }
        TaskStatus::Pending => vec![
            command(Purpose::StartTask, &["task", "start", id]),
            done(),
            show(),
        ],
    }
}
