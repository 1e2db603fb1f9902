//! The commands to continue with from a task.

use bugle_core::ownership::Ownership;
use bugle_core::task::TaskStatus;
use bugle_store::TaskRow;
use bugle_wire::CommandView;

use super::ownership::TaskOwner;
use crate::Context;

/// The description of the command that shows everything about a task.
pub(crate) const SHOW_ALL: &str = "all about it";

/// The commands to continue with from a task, for a reader who sees this owner.
pub(super) fn commands(ctx: &Context, row: &TaskRow, owner: &TaskOwner) -> Vec<CommandView> {
    let id = row.task.id.as_str();
    let command = |does: &str, arguments: &[&str]| CommandView {
        does: does.to_owned(),
        command: ctx.command(arguments),
    };
    let done = || command("when it is done", &["task", "done", id]);
    let show = || command(SHOW_ALL, &["task", "show", id, "--full"]);
    if row.task.removed.is_some() {
        return vec![command("put it back", &["task", "reopen", id])];
    }
    match row.task.status {
        TaskStatus::Done | TaskStatus::Skipped => vec![command("open it again", &["task", "reopen", id])],
        // A task cannot close before its children.
        _ if row.open_children > 0 => vec![command("what to do in it", &["task", "next", id]), show()],
        status if row.is_blocked() || (row.blockers > 0 && status == TaskStatus::Pending) => {
            vec![command("what can start", &["task", "ready"]), show()]
        }
        TaskStatus::Active => match (&row.task.run, owner) {
            // A run closes its tasks itself.
            (Some(run), _) => vec![command("its run", &["step", run.as_str()]), show()],
            (None, TaskOwner::Other { holder, .. }) if holder.ownership == Ownership::Ended => {
                vec![command("take it up", &["task", "start", id]), show()]
            }
            (None, TaskOwner::Other { .. }) => {
                vec![command("what else can start", &["task", "ready"]), show()]
            }
            (None, TaskOwner::Unassigned | TaskOwner::Own) => vec![done(), show()],
        },
        TaskStatus::Blocked | TaskStatus::Failed => {
            let ready = command("what else can start", &["task", "ready"]);
            vec![
                command("try it again", &["task", "start", id]),
                done(),
                ready,
                show(),
            ]
        }
        TaskStatus::Pending if row.children > 0 && row.open_children == 0 => vec![done(), show()],
        TaskStatus::Pending if owner.is_reserved_for_other() => {
            vec![command("what else can start", &["task", "ready"]), show()]
        }
        TaskStatus::Pending => vec![command("begin", &["task", "start", id]), done(), show()],
    }
}
