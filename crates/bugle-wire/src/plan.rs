//! Plans: in a list, one with its tasks, and what importing one changed.

use serde::Serialize;

use crate::task::{PinView, PlanName, TaskLine, TaskName, TaskPosition, TaskState};

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanSummary {
    /// Its id, file and title.
    #[serde(flatten)]
    pub name: PlanName,
    /// The task that stands for it as a whole.
    pub root: String,
    /// Its state.
    pub state: TaskState,
    /// How many tasks it has.
    pub tasks: u32,
    /// How many are closed.
    pub closed: u32,
    /// The branch it was imported on last.
    pub branch: Option<String>,
    /// When it was imported last, in milliseconds since 1970.
    pub imported_at: i64,
    /// Whether it is the plan that is worked on here.
    pub current: bool,
    /// What else the reader should know: that its file has changed or is gone.
    pub notices: Vec<String>,
}

/// Plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanList {
    /// The plans of this project.
    pub plans: Vec<PlanSummary>,
}

/// A plan with its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanDetail {
    /// The plan.
    pub plan: PlanSummary,
    /// What it is for.
    pub goal: Option<String>,
    /// How it goes about it.
    pub architecture: Option<String>,
    /// With what.
    pub tech_stack: Option<String>,
    /// What holds for all its tasks.
    pub constraints: Vec<String>,
    /// The skills it tells its reader to use.
    pub skills: Vec<String>,
    /// The versions of skills that it keeps to.
    pub pins: Vec<PinView>,
    /// Its tasks.
    pub tasks: Vec<TaskLine>,
    /// Whether there are more than are shown.
    pub more: bool,
    /// What was unclear in it, a line each.
    pub unclear: Vec<String>,
    /// Where work stands in it.
    pub position: Option<TaskPosition>,
}

/// What importing a plan changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanImport {
    /// The plan.
    pub plan: PlanSummary,
    /// Whether it was imported before.
    pub again: bool,
    /// Tasks that are new.
    pub added: Vec<TaskName>,
    /// Tasks whose words have changed.
    pub edited: Vec<TaskName>,
    /// Tasks that stand elsewhere.
    pub moved: Vec<TaskName>,
    /// Tasks that are no longer in the plan.
    pub vanished: Vec<TaskName>,
    /// How many tasks are as they were.
    pub unchanged: u32,
    /// Tasks that were closed because their boxes are ticked.
    pub ticked: Vec<TaskName>,
    /// Tasks that had vanished and are in the plan again.
    pub came_back: Vec<TaskName>,
    /// Tasks that were added to tasks that are no longer in the plan, and were removed with them.
    pub taken_along: Vec<TaskName>,
    /// Tasks that were closed and are open again, because something in them is.
    pub reopened: Vec<TaskName>,
    /// What was unclear in the file, a line each.
    pub unclear: Vec<String>,
    /// What else the reader should know.
    pub notices: Vec<String>,
    /// Where work stands in it.
    pub position: Option<TaskPosition>,
}

/// The skills of a plan after an upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinsUpgraded {
    /// The top of the tree.
    pub task: TaskName,
    /// The plan, if it is one.
    pub plan: Option<PlanName>,
    /// One line per skill.
    pub lines: Vec<String>,
    /// The versions that it keeps to now.
    pub pins: Vec<PinView>,
}
