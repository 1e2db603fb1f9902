//! Plans: a list, one plan with its tasks, and the result of an import.

use bugle_core::reply;
use bugle_render::notice_text;

use crate::task::{PinView, PlanName, PlanText, TaskLine, TaskName, TaskPosition};
use crate::words::Word;

shapes! {
    PlanSummary {
        #[serde(flatten)]
        name: PlanName,
        root: String,
        state: Word,
        tasks: u32,
        closed: u32,
        branch: Option<String>,
        imported_at: i64,
        current: bool,
        notices: Vec<String>,
    }
    PlanList {
        plans: Vec<PlanSummary>,
    }
    PlanDetail {
        plan: PlanSummary,
        goal: Option<String>,
        architecture: Option<String>,
        tech_stack: Option<String>,
        constraints: Vec<String>,
        skills: Vec<String>,
        pins: Vec<PinView>,
        tasks: Vec<TaskLine>,
        more: bool,
        unclear: Vec<String>,
        position: Option<TaskPosition>,
        text: Option<PlanText>,
        text_command: String,
    }
    PlanImport {
        plan: PlanSummary,
        again: bool,
        added: Vec<TaskName>,
        edited: Vec<TaskName>,
        moved: Vec<TaskName>,
        vanished: Vec<TaskName>,
        unchanged: u32,
        ticked: Vec<TaskName>,
        came_back: Vec<TaskName>,
        taken_along: Vec<TaskName>,
        reopened: Vec<TaskName>,
        unclear: Vec<String>,
        notices: Vec<String>,
        position: Option<TaskPosition>,
    }
    PinsUpgraded {
        task: TaskName,
        plan: Option<PlanName>,
        lines: Vec<String> = |view: &reply::PinsUpgraded| notice_text::upgrades(&view.upgrades),
        pins: Vec<PinView>,
    }
}
