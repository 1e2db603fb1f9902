//! `bugle status`: the open work in a project and the commands that continue it.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::RunStatus;
use bugle_core::id::VisitToken;
use bugle_core::message::Home;
use bugle_core::reply::{
    AgentStatusView, AnswerForm, AskView, CommandView, Need, PlanProgress, Purpose, RunLabel, StatusView,
};
use bugle_render::text::{excerpt, question_excerpt};
use bugle_store::{AgentRow, ProjectId, RunFilter, RunRow, Scope, Store};

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
    let stopped = stopped_runs(store, ctx, &needs, &agents)?;
    let is_here = |place: &ProjectId| project.as_ref() == Some(place);
    let shown_here = |place: &ProjectId| is_here(place).then_some(None);
    let known = store.projects()?;
    let shown_elsewhere = |place: &ProjectId| {
        let row = known.iter().find(|row| row.id == *place);
        (!is_here(place)).then(|| row.map(addresses::name_of_project))
    };
    let attention = attention_commands(ctx, &home, &needs, &stopped, &shown_here);
    let elsewhere = attention_commands(ctx, &home, &needs, &stopped, &shown_elsewhere);
    let is_calm = attention.is_empty() && elsewhere.is_empty();
    let Some(project) = project else {
        return Ok(StatusView {
            elsewhere,
            messages: own_messages(store, ctx)?,
            next: next_commands(ctx, &[], None, false, is_calm),
            ..empty_status(ctx, &home)
        });
    };
    let filter = RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: true,
        limit: MAX_RUNS,
    };
    let open = store.runs(&filter)?;
    let last = match open.as_slice() {
        [] => latest_run(store, &project)?,
        _ => None,
    };
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
        is_repository: ctx.is_repository(),
        next: next_commands(ctx, &open, last.as_ref(), position.is_some(), is_calm),
        attention,
        elsewhere,
        messages: own_messages(store, ctx)?,
        runs: runs::summaries(store, ctx, &open, &agents)?,
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
        is_repository: ctx.is_repository(),
        attention: Vec::new(),
        elsewhere: Vec::new(),
        messages: None,
        runs: Vec::new(),
        more_runs: 0,
        plans: Vec::new(),
        position: None,
        agents: Vec::new(),
        next: next_commands(ctx, &[], None, false, true),
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
        purpose: Purpose::ReadMessages(number),
        command: ctx.command(&["inbox"]),
    }))
}

/// A run that is paused or waits for the user.
struct StoppedRun {
    label: RunLabel,
    ask: Option<RunAsk>,
}

/// A waiting run's question, and the commands that answer it.
struct RunAsk {
    question: String,
    commands: Vec<(AnswerForm, String)>,
    /// The command that shows the whole question, if the status shortens it.
    whole: Option<String>,
}

/// The stopped runs, in list order. Reads the questions of only the first `MAX_RUNS` runs.
fn stopped_runs(
    store: &mut Store,
    ctx: &Context,
    needs: &Attention,
    agents: &[AgentRow],
) -> Result<Vec<StoppedRun>, AppError> {
    let summaries = runs::summaries(store, ctx, &needs.stopped, agents)?;
    let mut stopped = Vec::new();
    for (at, (run, summary)) in needs.stopped.iter().zip(summaries).enumerate() {
        let is_asked = run.status == RunStatus::Waiting && at < MAX_RUNS as usize;
        let ask = if is_asked { ask_of(store, ctx, run) } else { None };
        stopped.push(StoppedRun {
            label: summary.into(),
            ask: ask.map(|ask| run_ask(ctx, run, ask)),
        });
    }
    Ok(stopped)
}

fn run_ask(ctx: &Context, run: &RunRow, ask: AskView) -> RunAsk {
    let with_text = run.visit.filter(|_| ask.choices.is_empty()).map(|visit| {
        let token = VisitToken {
            run: run.id.clone(),
            visit,
        };
        (AnswerForm::Text, answer_commands::answer_with_text(ctx, &token))
    });
    let choices: Vec<_> = ask
        .choices
        .iter()
        .map(|choice| (ask.form(choice), choice.command.clone()))
        .collect();
    let is_shortened = question_excerpt(&ask.question) != ask.question.trim();
    RunAsk {
        commands: choices.into_iter().chain(with_text).collect(),
        whole: is_shortened.then(|| ctx.command(&["step", run.id.as_str()])),
        question: ask.question,
    }
}

/// The commands that answer a run's question. The first entry also contains the question.
fn answers(run: &RunLabel, ask: &RunAsk) -> Vec<(Need, String)> {
    let line = |(at, (answer, command)): (usize, &(AnswerForm, String))| {
        let answer = answer.clone();
        let need = if at == 0 {
            Need::RunQuestion {
                run: run.clone(),
                question: ask.question.clone(),
                answer,
            }
        } else {
            Need::OtherAnswer { answer }
        };
        (need, command.clone())
    };
    let whole = ask
        .whole
        .iter()
        .map(|command| (Need::WholeQuestion, command.clone()));
    ask.commands.iter().enumerate().map(line).chain(whole).collect()
}

/// The commands for everything that needs the user's attention. `shown` returns `None` to omit a project, and
/// `Some(None)` to omit only the project's name.
fn attention_commands(
    ctx: &Context,
    home: &Home,
    needs: &Attention,
    stopped: &[StoppedRun],
    shown: &dyn Fn(&ProjectId) -> Option<Option<String>>,
) -> Vec<CommandView> {
    let mut commands = Vec::new();
    let mut add = |place: &ProjectId, need: Need, command: String| {
        if let Some(project) = shown(place) {
            let purpose = Purpose::Attend { project, need };
            commands.push(CommandView { purpose, command });
        }
    };
    for (place, question) in &needs.questions {
        let need = Need::Question {
            agent: question.sender.seen_from(home),
            text: question.text.clone(),
        };
        add(place, need, answer_commands::answer_message(ctx, &question.id));
        if question_excerpt(&question.text) != question.text.trim() {
            let show = ctx.command(&["message", "list", question.id.as_str()]);
            add(place, Need::WholeQuestion, show);
        }
    }
    for (run, StoppedRun { label, ask }) in needs.stopped.iter().zip(stopped) {
        let id = run.id.as_str();
        match (run.status, ask) {
            (RunStatus::Paused, _) => {
                let need = Need::PausedRun(label.clone());
                add(&run.project, need, ctx.command(&["run", "resume", id]));
            }
            (_, Some(ask)) => {
                for (need, command) in answers(label, ask) {
                    add(&run.project, need, command);
                }
            }
            (_, None) => {
                let need = Need::Decision(label.clone());
                add(&run.project, need, ctx.command(&["step", id]));
            }
        }
    }
    for agent in &needs.troubled {
        let name = agent.address.seen_from(home);
        let command = ctx.command(&["agent", "show", &name]);
        let need = Need::Agent {
            agent: name,
            status: agent.state.status,
        };
        add(&agent.project, need, command);
    }
    for mail in &needs.unread {
        let number = mail.messages.len() as u64 + mail.more;
        let folder = project_folder(&mail.place);
        let command = if mail.place == ctx.project {
            ctx.command(&["inbox"])
        } else {
            ctx.command(&["-C", &folder.to_string_lossy(), "inbox"])
        };
        // The inbox also lists unread questions, which have their own lines here.
        let need = Need::Messages {
            number,
            besides_questions: needs.questions.iter().any(|(place, _)| *place == mail.project),
        };
        add(&mail.project, need, command);
    }
    commands
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

/// The project's most recently changed run.
fn latest_run(store: &mut Store, project: &ProjectId) -> Result<Option<RunRow>, AppError> {
    let rows = store.runs(&RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: false,
        limit: 1,
    })?;
    Ok(rows.into_iter().next())
}

/// The next commands. `last` is the run that ended last, if no run is open.
fn next_commands(
    ctx: &Context,
    open: &[RunRow],
    last: Option<&RunRow>,
    has_task: bool,
    is_calm: bool,
) -> Vec<CommandView> {
    let command = |purpose: Purpose, words: &[&str]| CommandView {
        purpose,
        command: ctx.command(words),
    };
    let mut next = Vec::new();
    // Do not suggest continuing another agent's run.
    let is_own = |run: &&RunRow| run.session.is_none() || run.session == ctx.session;
    let mut active = open.iter().filter(|run| run.status == RunStatus::Active);
    if let Some(run) = active.find(is_own) {
        next.push(command(
            Purpose::ContinueRun(run.skill.clone()),
            &["step", run.id.as_str()],
        ));
    }
    if has_task {
        next.push(command(Purpose::NextTask, &["task", "next"]));
    }
    if next.is_empty() && is_calm && open.is_empty() {
        next.extend(last.map(|run| {
            let purpose = Purpose::ShowEndedRun {
                skill: run.skill.clone(),
                status: run.status,
            };
            command(purpose, &["run", "show", run.id.as_str()])
        }));
        next.push(command(Purpose::ListSkills, &["skill", "list"]));
        if !setup::has_traces(ctx) {
            next.push(command(Purpose::SetUpClient, &["help", "setup"]));
        }
        next.push(command(Purpose::WatchDemo, &["demo"]));
    }
    next
}
