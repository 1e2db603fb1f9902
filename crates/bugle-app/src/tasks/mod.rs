//! Task use cases: the tree, the position, and changes.

mod change;
mod claim;
mod cycle_check;
mod depend;
mod next_commands;
mod ownership;
mod permission;
mod placement;
mod plan_of_task;
mod plan_order;
mod position;
mod position_reads;
mod refusal;
mod scope;
mod show;
mod skill;
mod skill_pin;
mod skill_rules;
mod view;

pub(crate) use change::execute_command;
pub use change::{change_task, change_task_by};
pub(crate) use claim::MAX_CLAIMABLE;
pub use claim::{claim_task, nothing_to_claim, own_tasks};
pub(crate) use cycle_check::{CycleCheck, outermost_changed, refuse_cycle};
pub use depend::depend_task;
pub(crate) use ownership::other_holder_name;
pub(crate) use placement::move_under;
pub use placement::{AddRequest, Destination, Neighbour, add_tasks, move_task};
pub(crate) use plan_of_task::{plan_above, plan_name};
pub(crate) use plan_order::{reorder_plan, tasks_around};
pub(crate) use position::{
    CurrentTask, MAX_ACTIVE_READ, MAX_SCANNED, PositionContext, claimed_task, is_begun, position,
    position_in_plan, position_of,
};
pub use position::{next_task, ready_tasks};
pub(crate) use refusal::refused;
pub(crate) use scope::{focus, load_task, resolve_scope, startable_scope, task_row};
pub use show::{Extent, removed_tasks, show_task, task_tree};
pub(crate) use skill::{Sections, plan_sections, sections_for};
pub use skill::{task_skill, task_skill_text};
pub(crate) use skill_pin::{InstalledSkill, pin_view, pinned_version};
pub(crate) use skill_rules::Rules;
pub(crate) use view::{line_views, task_view};

use bugle_core::id::{PlanId, TaskId};
use bugle_core::task::TreePath;
use bugle_store::ProjectId;

use crate::{AppError, resolve_id};

/// The part of the task tree that a command applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskScope {
    /// The tree that this session, or else another session in the project, last worked on. If there is none, the whole
    /// project.
    Here,
    /// The whole project.
    Project,
    /// A task and everything below it, by id or id prefix.
    Task(TaskId),
    /// A plan, by id or id prefix.
    Plan(PlanId),
}

impl TaskScope {
    /// Parses a command-line argument.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        match text {
            None => Ok(Self::Here),
            Some(text) if text.starts_with("p-") => text
                .parse()
                .map(Self::Plan)
                .map_err(|bad| resolve_id::bad_id(&bad)),
            Some(text) => text
                .parse()
                .map(Self::Task)
                .map_err(|bad| resolve_id::bad_id(&bad)),
        }
    }
}

/// A resolved scope: a project, or the task at `path` and everything below it.
pub(crate) struct Subtree {
    pub project: ProjectId,
    pub path: Option<TreePath>,
}
