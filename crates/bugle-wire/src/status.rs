//! A project's status.

use bugle_core::reply;
use bugle_render::task_text;

use crate::run::RunSummary;
use crate::task::CommandView;

shapes! {
    StatusView {
        project: String,
        branch: Option<String>,
        attention: Vec<CommandView>,
        elsewhere: Vec<CommandView>,
        messages: Option<CommandView>,
        runs: Vec<RunSummary>,
        more_runs: u64,
        plans: Vec<PlanProgress>,
        task: Option<String> = |view: &reply::StatusView| view.position.as_ref().map(task_text::position),
        agents: Vec<AgentStatusView>,
        next: Vec<CommandView>,
    }
    PlanProgress {
        title: String,
        closed: u32,
        tasks: u32,
    }
    AgentStatusView {
        name: String,
        status: String,
        task: Option<String>,
    }
}
