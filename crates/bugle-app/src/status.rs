//! `bugle status`: the open work in a project and the commands that continue it.

use bugle_core::agent::AgentStatus;
use bugle_core::count::counted;
use bugle_core::engine::RunStatus;
use bugle_core::id::VisitToken;
use bugle_core::message::Home;
use bugle_core::reply::{AgentStatusView, AskView, CommandView, PlanProgress, StatusView};
use bugle_render::text::excerpt;
use bugle_store::{ProjectId, RunFilter, RunRow, Scope, Store};

use crate::attention::Attention;
use crate::context::project_folder;
use crate::dashboard::ask_of;
use crate::tasks::TaskScope;
use crate::{AppError, Context, addresses, agents, answer_commands, attention, projects, runs, setup, tasks};

/// Maximum number of runs listed.
const MAX_RUNS: u32 = 8;
/// Maximum number of plans listed, latest first.
const MAX_PLANS: usize = 5;

/// The status of the project.
pub fn status(store: &mut Store, ctx: &Context) -> Result<StatusView, AppError> {
    let home = addresses::home(ctx);
    let project = projects::project(store, ctx)?;
    let agents = store.agents(None)?;
    let needs = attention::attention(store, &agents)?;
    let asks = run_asks(store, ctx, &needs);
    let is_here = |place: &ProjectId| project.as_ref() == Some(place);
    let prefix_here = |place: &ProjectId| is_here(place).then(String::new);
    let known = store.projects()?;
    let prefix_elsewhere = |place: &ProjectId| {
        let row = known.iter().find(|row| row.id == *place);
        let prefix = row.map(|row| format!("{}: ", addresses::name_of_project(row)));
        (!is_here(place)).then(|| prefix.unwrap_or_default())
    };
    let attention = attention_lines(ctx, &home, &needs, &asks, &prefix_here);
    let elsewhere = attention_lines(ctx, &home, &needs, &asks, &prefix_elsewhere);
    let is_calm = attention.is_empty() && elsewhere.is_empty();
    let Some(project) = project else {
        return Ok(StatusView {
            elsewhere,
            messages: own_messages(store, ctx)?,
            next: next_commands(ctx, &[], false, is_calm),
            ..empty_status(ctx, &home)
        });
    };
    let filter = RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: true,
        limit: MAX_RUNS,
    };
    let open = store.runs(&filter)?;
    let more_runs = store.count_runs(&filter)?.saturating_sub(open.len() as u64);
    let position = tasks::position(store, ctx, &TaskScope::Here)?;
    let is_listed = |status| {
        matches!(
            status,
            AgentStatus::Busy | AgentStatus::Blocked | AgentStatus::Failed
        )
    };
    let own = agents.iter().filter(|agent| agent.project == project);
    let listed = own.filter(|agent| is_listed(agent.state.status));
    let listed = listed.map(|agent| AgentStatusView {
        name: agent.address.seen_from(&home),
        status: agent.state.status.as_str().to_owned(),
        task: agent.task.as_deref().map(excerpt),
    });
    Ok(StatusView {
        project: home.project().to_owned(),
        branch: ctx.branch(),
        next: next_commands(ctx, &open, position.is_some(), is_calm),
        attention,
        elsewhere,
        messages: own_messages(store, ctx)?,
        runs: runs::summaries(store, &open)?,
        more_runs,
        plans: plan_progress(store, &project)?,
        position,
        agents: listed.collect(),
    })
}

/// The status if there is no store yet.
pub fn status_without_store(ctx: &Context) -> StatusView {
    empty_status(ctx, &addresses::home(ctx))
}

/// The status of a folder outside any known project.
fn empty_status(ctx: &Context, home: &Home) -> StatusView {
    StatusView {
        project: home.project().to_owned(),
        branch: ctx.branch(),
        attention: Vec::new(),
        elsewhere: Vec::new(),
        messages: None,
        runs: Vec::new(),
        more_runs: 0,
        plans: Vec::new(),
        position: None,
        agents: Vec::new(),
        next: next_commands(ctx, &[], false, true),
    }
}

/// The number of unread messages of the calling agent, with the command that shows them.
fn own_messages(store: &mut Store, ctx: &Context) -> Result<Option<CommandView>, AppError> {
    if ctx.session.is_none() && ctx.acting_as.is_none() && ctx.agent.is_none() {
        return Ok(None);
    }
    let me = match agents::me(store, ctx, None) {
        // Bugle cannot identify the caller, so the caller has no mailbox.
        Err(AppError::Usage { .. }) => return Ok(None),
        me => me?,
    };
    let Some(project) = me.project.filter(|_| !me.address.is_human()) else {
        return Ok(None);
    };
    let unread = store.unread(&project, &me.address, 1)?;
    let number = unread.rows.len() as u64 + unread.more;
    Ok((number > 0).then(|| CommandView {
        does: counted(number, "unread message"),
        command: ctx.command(&["inbox"]),
    }))
}

/// A waiting run's question, and the commands that answer it.
struct RunAsk {
    question: String,
    /// Each command with its answer; `None` for a command with a placeholder for the answer.
    commands: Vec<(Option<String>, String)>,
}

/// The questions of the first waiting runs, in the order in which the stopped runs are listed.
fn run_asks(store: &mut Store, ctx: &Context, needs: &Attention) -> Vec<Option<RunAsk>> {
    let stopped = needs.stopped.iter().take(MAX_RUNS as usize);
    stopped
        .map(|run| match run.status {
            RunStatus::Waiting => ask_of(store, ctx, run).map(|ask| run_ask(ctx, run, ask)),
            _ => None,
        })
        .collect()
}

fn run_ask(ctx: &Context, run: &RunRow, ask: AskView) -> RunAsk {
    let with_text = run.visit.filter(|_| ask.choices.is_empty()).map(|visit| {
        let token = VisitToken {
            run: run.id.clone(),
            visit,
        };
        (None, answer_commands::answer_with_text(ctx, &token))
    });
    let choices = ask.choices.into_iter();
    let choices = choices.map(|choice| (Some(choice.answer), choice.command));
    RunAsk {
        question: excerpt(&ask.question),
        commands: choices.chain(with_text).collect(),
    }
}

/// The commands that answer a run's question, the first with the question.
fn answer_lines(skill: &str, ask: &RunAsk) -> Vec<CommandView> {
    let line = |(at, (answer, command)): (usize, &(Option<String>, String))| {
        let answer = match answer {
            Some(answer) => format!("Answer \"{answer}\"."),
            None => "Replace TEXT with your answer.".to_owned(),
        };
        CommandView {
            does: if at == 0 {
                format!("{skill} asks: {} {answer}", ask.question)
            } else {
                answer
            },
            command: command.clone(),
        }
    };
    ask.commands.iter().enumerate().map(line).collect()
}

/// Lines about items that need the user, with commands. `prefix` returns the text before each line about a project,
/// or `None` to leave the project out.
fn attention_lines(
    ctx: &Context,
    home: &Home,
    needs: &Attention,
    asks: &[Option<RunAsk>],
    prefix: &dyn Fn(&ProjectId) -> Option<String>,
) -> Vec<CommandView> {
    let line = |prefix: &str, does: String, words: &[&str]| CommandView {
        does: format!("{prefix}{does}"),
        command: ctx.command(words),
    };
    let mut lines = Vec::new();
    for (place, question) in &needs.questions {
        let Some(prefix) = prefix(place) else { continue };
        let who = question.sender.seen_from(home);
        lines.push(line(
            &prefix,
            format!("@{who} asks: {}", excerpt(&question.text)),
            &["answer", question.id.as_str(), "-"],
        ));
    }
    let asked = asks.iter().chain(std::iter::repeat(&None));
    for (run, ask) in needs.stopped.iter().zip(asked) {
        let Some(prefix) = prefix(&run.project) else {
            continue;
        };
        let (skill, id) = (&run.skill, run.id.as_str());
        match (run.status, ask) {
            (RunStatus::Paused, _) => {
                lines.push(line(
                    &prefix,
                    format!("{skill} is paused"),
                    &["run", "resume", id],
                ));
            }
            (_, Some(ask)) => lines.extend(answer_lines(&format!("{prefix}{skill}"), ask)),
            (_, None) => lines.push(line(
                &prefix,
                format!("{skill} is waiting for a decision"),
                &["step", id],
            )),
        }
    }
    for agent in &needs.troubled {
        let Some(prefix) = prefix(&agent.project) else {
            continue;
        };
        let name = agent.address.seen_from(home);
        let status = agent.state.status.as_str();
        lines.push(line(
            &prefix,
            format!("@{name}: {status}"),
            &["agent", "show", &name],
        ));
    }
    for mail in &needs.unread {
        let Some(prefix) = prefix(&mail.project) else {
            continue;
        };
        let number = mail.messages.len() as u64 + mail.more;
        let folder = project_folder(&mail.place);
        let command = if mail.place == ctx.project {
            ctx.command(&["inbox"])
        } else {
            ctx.command(&["-C", &folder.to_string_lossy(), "inbox"])
        };
        lines.push(CommandView {
            does: format!("{prefix}{}", counted(number, "unread message")),
            command,
        });
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

fn next_commands(ctx: &Context, open: &[RunRow], has_task: bool, is_calm: bool) -> Vec<CommandView> {
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
    if has_task {
        next.push(command("see the next task".to_owned(), &["task", "next"]));
    }
    if next.is_empty() && is_calm {
        next.push(command(
            "list the skills you can start".to_owned(),
            &["skill", "list"],
        ));
        if !setup::has_traces(ctx) {
            next.push(command(
                "connect your coding agent".to_owned(),
                &["help", "setup"],
            ));
        }
        next.push(command("watch a scripted demo".to_owned(), &["demo"]));
    }
    next
}
