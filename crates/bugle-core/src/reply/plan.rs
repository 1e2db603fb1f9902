//! Plans: a list, one plan with its tasks, and the result of an import.

use super::task::{PinView, PlanName, PlanText, TaskLine, TaskPosition};
use super::task_name::TaskName;
use super::task_notice::{ImportNotice, PlanNotice, SkillVersion};
use crate::id::{TaskId, Timestamp};
use crate::name::SkillAddress;
use crate::plan::PlanNote;
use crate::task::TaskState;

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSummary {
    /// The plan's id, file and title.
    pub name: PlanName,
    /// The plan's root task.
    pub root: TaskId,
    /// The plan's state.
    pub state: TaskState,
    /// Number of tasks.
    pub tasks: u32,
    /// Number of closed tasks.
    pub closed: u32,
    /// The branch of the plan's last import.
    pub branch: Option<String>,
    /// The time of the plan's last import.
    pub imported_at: Timestamp,
    /// Whether this is the current plan.
    pub current: bool,
    /// Notices, for example that the plan's file has changed or is missing.
    pub notices: Vec<PlanNotice>,
}

/// Plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanList {
    /// The plans of this project.
    pub plans: Vec<PlanSummary>,
}

/// A plan with its tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDetail {
    /// The plan.
    pub plan: PlanSummary,
    /// The plan's goal.
    pub goal: Option<String>,
    /// The plan's architecture.
    pub architecture: Option<String>,
    /// The plan's tech stack.
    pub tech_stack: Option<String>,
    /// The constraints for all of the plan's tasks.
    pub constraints: Vec<String>,
    /// The skills that the plan asks for.
    pub skills: Vec<String>,
    /// The plan's pinned skills.
    pub pins: Vec<PinView>,
    /// The plan's tasks.
    pub tasks: Vec<TaskLine>,
    /// Whether there are more tasks.
    pub more: bool,
    /// Notes from reading the plan's file.
    pub unclear: Vec<PlanNote>,
    /// The current position in the plan.
    pub position: Option<TaskPosition>,
    /// The plan's text, if it was requested.
    pub text: Option<PlanText>,
    /// The command that also shows the plan's text.
    pub text_command: String,
}

/// The result of importing a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanImport {
    /// The plan.
    pub plan: PlanSummary,
    /// Whether the plan was imported before.
    pub again: bool,
    /// Tasks that are new.
    pub added: Vec<TaskName>,
    /// Tasks whose text changed.
    pub edited: Vec<TaskName>,
    /// Tasks that moved.
    pub moved: Vec<TaskName>,
    /// Tasks that are no longer in the plan.
    pub vanished: Vec<TaskName>,
    /// Number of unchanged tasks.
    pub unchanged: u32,
    /// Tasks that were closed because their checkboxes are ticked.
    pub ticked: Vec<TaskName>,
    /// Tasks that were removed before and are in the plan again.
    pub came_back: Vec<TaskName>,
    /// Tasks that were removed together with a parent that is no longer in the plan.
    pub taken_along: Vec<TaskName>,
    /// Closed tasks that were reopened because one of their subtasks is open.
    pub reopened: Vec<TaskName>,
    /// Notes from reading the file.
    pub unclear: Vec<PlanNote>,
    /// Notices.
    pub notices: Vec<ImportNotice>,
    /// The current position in the plan.
    pub position: Option<TaskPosition>,
}

/// A plan's skills after an upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinsUpgraded {
    /// The root task.
    pub task: TaskName,
    /// The plan, if the root task has one.
    pub plan: Option<PlanName>,
    /// The result for each pinned skill.
    pub upgrades: Vec<PinUpgrade>,
    /// The pinned versions.
    pub pins: Vec<PinView>,
}

/// The result of an upgrade for a pinned skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinUpgrade {
    /// The skill is not installed, so the old version stays pinned.
    NotInstalled {
        /// The skill.
        skill: SkillAddress,
        /// The pinned version.
        pinned: SkillVersion,
    },
    /// The installed version was already pinned.
    Unchanged {
        /// The skill.
        skill: SkillAddress,
        /// The pinned version.
        pinned: SkillVersion,
    },
    /// The installed version is now pinned.
    Updated {
        /// The skill.
        skill: SkillAddress,
        /// The version that was pinned before.
        from: SkillVersion,
        /// The version that is pinned now.
        to: SkillVersion,
        /// Where the new version was found.
        source: String,
    },
}
