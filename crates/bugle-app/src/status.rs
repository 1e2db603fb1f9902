//! The open work in a project and the commands to continue with: `bugle status`.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::RunStatus;
use bugle_core::message::Home;
use bugle_render::text::excerpt;
use bugle_store::{ProjectId, RunFilter, RunRow, Scope, Store};
use bugle_wire::{AgentStatusView, CommandView, PlanProgress, StatusView, TaskName};

use crate::attention::Attention;
use crate::tasks::TaskScope;
use crate::{AppError, Context, addresses, attention, projects, runs, tasks};

/// Maximum number of runs listed.
const MAX_RUNS: u32 = 8;
/// Maximum number of plans listed, latest first.
const MAX_PLANS: usize = 5;

/// The status of the project.
pub fn status(store: &mut Store, ctx: &Context) -> Result<StatusView, AppError> {
    let home = addresses::home(ctx);
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(empty_status(ctx, &home));
    };
    let agents = store.agents(Some(&project))?;
    let needs = attention::attention(store, &agents)?;
    let filter = RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: true,
        limit: MAX_RUNS,
    };
    let open = store.runs(&filter)?;
    let more_runs = store.count_runs(&filter)?.saturating_sub(open.len() as u64);
    let task = tasks::position(store, ctx, &TaskScope::Here)?.map(|at| TaskName {
        id: at.task.id,
        label: at.task.label,
    });
    let attention = attention_lines(ctx, &project, &home, &needs);
    let is_listed = |status| {
        matches!(
            status,
            AgentStatus::Busy | AgentStatus::Blocked | AgentStatus::Failed
        )
    };
    let agents = agents.iter().filter(|agent| is_listed(agent.state.status));
    let agents = agents.map(|agent| AgentStatusView {
        name: agent.address.seen_from(&home),
        status: agent.state.status.as_str().to_owned(),
        task: agent.task.as_deref().map(excerpt),
    });
    Ok(StatusView {
        project: home.project().to_owned(),
        branch: ctx.branch(),
        next: next_commands(ctx, &open, task.as_ref(), attention.is_empty()),
        attention,
        runs: open.iter().map(runs::summary).collect(),
        more_runs,
        plans: plan_progress(store, &project)?,
        task,
        agents: agents.collect(),
    })
}

/// The status of a folder that Bugle knows nothing about.
pub fn empty_status(ctx: &Context, home: &Home) -> StatusView {
    StatusView {
        project: home.project().to_owned(),
        branch: ctx.branch(),
        attention: Vec::new(),
        runs: Vec::new(),
        more_runs: 0,
        plans: Vec::new(),
        task: None,
        agents: Vec::new(),
        next: next_commands(ctx, &[], None, true),
    }
}

/// The status if there is no store yet.
pub fn status_without_store(ctx: &Context) -> StatusView {
    empty_status(ctx, &addresses::home(ctx))
}

fn attention_lines(ctx: &Context, project: &ProjectId, home: &Home, needs: &Attention) -> Vec<CommandView> {
    let line = |does: String, words: &[&str]| CommandView {
        does,
        command: ctx.command(words),
    };
    let mut lines = Vec::new();
    for (_, question) in needs.questions.iter().filter(|(place, _)| place == project) {
        let who = question.sender.seen_from(home);
        lines.push(line(
            format!("@{who} asks: {}", excerpt(&question.text)),
            &["answer", question.id.as_str(), "-"],
        ));
    }
    for run in needs.stopped.iter().filter(|run| run.project == *project) {
        let (skill, id) = (&run.skill, run.id.as_str());
        lines.push(match run.status {
            RunStatus::Paused => line(format!("{skill} ({id}) is paused"), &["run", "resume", id]),
            _ => line(format!("{skill} ({id}) is waiting for a decision"), &["step", id]),
        });
    }
    for agent in needs.troubled.iter().filter(|agent| agent.project == *project) {
        let name = agent.address.seen_from(home);
        let status = agent.state.status.as_str();
        lines.push(line(format!("@{name} is {status}"), &["agent", "show", &name]));
    }
    for mail in needs.unread.iter().filter(|mail| mail.project == *project) {
        let number = mail.messages.len() as u64 + mail.more;
        let noun = if number == 1 { "message" } else { "messages" };
        lines.push(line(format!("{number} unread {noun}"), &["inbox"]));
    }
    lines
}

fn plan_progress(store: &mut Store, project: &ProjectId) -> Result<Vec<PlanProgress>, AppError> {
    let mut plans = Vec::new();
    for plan in store.plans(project)?.into_iter().rev().take(MAX_PLANS) {
        let (tasks, closed) = store.plan_counts(&plan.id, u32::MAX)?;
        if closed < tasks {
            plans.push(PlanProgress {
                title: plan.title,
                closed,
                tasks,
            });
        }
    }
    Ok(plans)
}

fn next_commands(ctx: &Context, open: &[RunRow], task: Option<&TaskName>, calm: bool) -> Vec<CommandView> {
    let command = |does: String, words: &[&str]| CommandView {
        does,
        command: ctx.command(words),
    };
    let mut next = Vec::new();
    if let Some(run) = open.iter().find(|run| run.status == RunStatus::Active) {
        next.push(command(
            format!("continue {}", run.skill),
            &["step", run.id.as_str()],
        ));
    }
    if task.is_some() {
        next.push(command("show the next task".to_owned(), &["task", "next"]));
    }
    if next.is_empty() && calm {
        next.push(command(
            "list the skills you can start".to_owned(),
            &["skill", "list"],
        ));
        next.push(command(
            "connect your coding agent".to_owned(),
            &["help", "setup"],
        ));
        next.push(command("watch a scripted demo".to_owned(), &["demo"]));
    }
    next
}
