//! Read-only queries for the pages of `bugle ui`.

mod agents;
mod channels;
mod now;
mod plan_page;
mod projects;
mod run_page;
mod wakeups;

pub use agents::{AgentLine, AgentPage, agent_page, agents_page};
pub use channels::{BranchChannel, ChannelPage, channel_page};
pub(crate) use now::ask_of;
pub use now::{NowPage, OpenQuestion, RunLine, RunsPage, UnreadMail, now_page, runs_page};
pub use plan_page::{PlanLine, PlanPage, plan_page};
pub use projects::{ProjectName, enter_project, projects};
pub(crate) use projects::{Projects, all_projects};
pub use run_page::{ChildRun, RunPage, RunReview, RunVisit, run_page};
pub use wakeups::{WakeupPage, WakeupsPage, wakeup_page, wakeups_page};

use bugle_render::graph::Graph;
use bugle_render::run_graph::workflow_graph;

use crate::{AppError, Context, read_skill};

/// The graph of a skill's workflow; `None` if the skill has no workflow.
pub fn skill_graph(ctx: &Context, name: &str) -> Result<Option<Graph>, AppError> {
    let package = read_skill(ctx, name)?;
    let graph = package
        .definition
        .as_ref()
        .map(|definition| workflow_graph("", definition))
        .transpose();
    graph.map_err(|error| AppError::System(error.to_string()))
}
