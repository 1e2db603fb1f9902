//! Starts, prompts, controls and supervises agents, and reads their logs.
//!
//! Bugle records each stage of a prompt's delivery ([`Delivery`]). First, one transaction stores the prompt and marks
//! its messages as read. Then a separate process, the runner, claims the prompt and starts the client. Finally, the
//! client confirms the prompt. If the process that started the runner dies, no prompt is lost or delivered twice.

mod agent_worktree;
mod control;
mod limits;
mod log_file;
mod log_view;
mod notices;
mod prompt;
mod runner;
mod take_over;
mod tick;

pub use control::{
    PromptOutcome, acknowledge_end, interrupt_agent, kill_agent, prompt_agent, recover_agent, wait_for_agent,
};
pub use log_file::AgentLog;
pub(crate) use log_view::without_repeated_answers;
pub use log_view::{agent_is_running, agent_log, agent_log_file, agent_result, attach_command};
pub use notices::ClientExit;
pub use runner::{ClaimedPrompt, claim_prompt, client_began, client_ended};
pub use tick::{
    MAX_RUNNER_STARTS, SupervisedAgent, Tick, abandon_delivery, data_version, start_runner,
    stop_with_supervisor, supervise, wait_for, wait_for_child,
};

use std::process::Child;

use bugle_client::Client;
use bugle_client::launch::BugleAccess;
use bugle_core::agent::{Access, Delivery, Expense, automatic_name};
use bugle_core::id::{RunId, WakeupId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::reply::SpawnedView;
use bugle_core::role::AgentRole;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{AgentRow, DeliveryRow, ProjectId, RunFilter, Scope, Store, WakeupRow};

use self::limits::Spender;
use self::log_file::log_path;
use self::prompt::compose_prompt;
use crate::agents::parse_agent_name;
use crate::files::content_hash;
use crate::ids::{NewIdError, with_new_ids};
use crate::store_password::check_agents_can_sign_in;
use crate::supervisor_process::process;
use crate::wakeup::{compress, keep_with_new_id};
use crate::{AppError, Context, addresses, agents, projects};

/// Maximum size of an agent's task.
const MAX_TASK_BYTES: usize = 4 * 1024 * 1024;

/// A request to start an agent.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// The agent's client.
    pub client: Client,
    /// The agent's task.
    pub task: String,
    /// The agent's name; generated if `None`.
    pub name: Option<String>,
    /// The agent's role.
    pub role: Option<AgentRole>,
    /// The agent's model.
    pub model: Option<String>,
    /// The access that the agent has without approval. If `None`, the client's settings decide.
    pub access: Option<Access>,
    /// Extra arguments for the agent's client.
    pub arguments: Vec<String>,
    /// Whether the agent gets its own worktree and branch.
    pub worktree: bool,
}

/// An agent whose client is being started.
#[derive(Debug)]
pub struct Spawned {
    /// The agent's address and log.
    pub view: SpawnedView,
    /// The process that delivers the agent's prompt.
    pub runner: Child,
}

/// Registers an agent and starts its client with its task.
pub fn spawn(store: &mut Store, ctx: &Context, request: &SpawnRequest) -> Result<Spawned, AppError> {
    if request.task.trim().is_empty() || request.task.len() > MAX_TASK_BYTES {
        return Err(AppError::Usage {
            what: format!("the task is empty or larger than {MAX_TASK_BYTES} bytes"),
            hints: Vec::new(),
        });
    }
    check_agents_can_sign_in(ctx)?;
    let project = projects::ensure_marked_project(store, ctx)?;
    let known = known_starter(store, ctx)?;
    let access = granted_access(known.as_ref().and_then(|row| row.access), request)?;
    let arguments = client_words(ctx, request, access);
    let starter = starter(store, ctx, known)?;
    let run = run_worked_for(store, ctx)?;
    refuse_more_agents(store, ctx, &project, starter.as_ref(), run.as_ref())?;
    // The user has no branch, so an agent that the user starts belongs to the current branch.
    let home = match &starter {
        Some(agent) if !agent.is_human() => agent.home(),
        _ => addresses::home(ctx),
    };
    let row = with_new_ids("the agent", || {
        let address = new_name(ctx, request, &home)?;
        let log = log_path(ctx, &project, &address);
        let mut row = AgentRow {
            client: Some(request.client.as_str().to_owned()),
            role: request.role,
            access,
            task: Some(request.task.clone()),
            started_by: starter.clone(),
            run: run.clone(),
            log: Some(log.to_string_lossy().into_owned()),
            machine: store.machine().clone(),
            ..AgentRow::new(
                project.clone(),
                address.clone(),
                ctx.root.to_string_lossy().into_owned(),
                ctx.now(),
            )
        };
        if store.agent(&project, &address)?.is_some() {
            return Err(match request.name {
                Some(_) => NewIdError::Failed(taken(&address, &home)),
                None => NewIdError::Taken,
            });
        }
        control::refuse_beyond_limit(store, ctx, &row)?;
        if request.worktree {
            row.directory = agent_worktree::make(ctx, address.name())?;
        }
        let text = compose_prompt(ctx, &row)?;
        keep_spawned(store, ctx, request, &row, &text, &arguments)?;
        Ok(row)
    })?;
    let runner = process::start_runner(ctx, &project, &row.address, &row.directory)?;
    Ok(Spawned {
        view: SpawnedView {
            agent: row.address.to_string(),
            name: row.address.seen_from(&home),
            client: request.client.as_str().to_owned(),
            directory: row.directory,
            log: row.log.unwrap_or_default(),
            notice: None,
        },
        runner,
    })
}

/// The agent in whose session this command runs, if that agent is stored.
fn known_starter(store: &mut Store, ctx: &Context) -> Result<Option<AgentRow>, AppError> {
    match &ctx.session {
        Some(session) => Ok(store.agent_of_session(session)?),
        None => agents::agent_from_environment(store, ctx),
    }
}

/// The new agent's access. An agent with less than full access cannot grant more than its own, and cannot pass
/// arguments, which could grant more.
fn granted_access(own: Option<Access>, request: &SpawnRequest) -> Result<Option<Access>, AppError> {
    let Some(own) = own.filter(|own| *own < Access::Full) else {
        return Ok(request.access);
    };
    let forbidden = |what: String, hint: String| AppError::Forbidden {
        what: format!("your own access is {own}, so {what}; nothing was started"),
        hints: vec![hint],
    };
    if !request.arguments.is_empty() {
        return Err(forbidden(
            "you cannot pass arguments to a client".to_owned(),
            "Leave out `--` and everything after it.".to_owned(),
        ));
    }
    match own.granted_to_new_agent(request.access) {
        Some(access) => Ok(Some(access)),
        None => Err(forbidden(
            "the agents that you start cannot have more".to_owned(),
            format!("Use `--sandbox {own}`, or ask the user to start the agent."),
        )),
    }
}

/// The agent or user that starts an agent; `None` if the caller is unknown.
fn starter(
    store: &mut Store,
    ctx: &Context,
    known: Option<AgentRow>,
) -> Result<Option<AgentAddress>, AppError> {
    // An agent that was started for a task may not start other agents, unless it is an orchestrator.
    if let Some(row) = known.filter(|row| row.task.is_some() && row.role != Some(AgentRole::Orchestrator)) {
        let home = row.address.home();
        let boss = row.started_by.unwrap_or_else(|| AgentAddress::human(&home));
        let boss = boss.seen_from(&home);
        return Err(AppError::Forbidden {
            what: "only an orchestrator can start agents; nothing was started".to_owned(),
            hints: vec![format!(
                "Ask the agent or person that started you: {}",
                ctx.command(&["say", &format!("@{boss} I need another agent for ...")])
            )],
        });
    }
    Ok(match agents::me(store, ctx, None) {
        Ok(me) => Some(me.address),
        Err(AppError::Usage { .. }) => None,
        Err(error) => return Err(error),
    })
}

/// The run for which this session works. Agents that the session starts count towards the run's limits.
fn run_worked_for(store: &mut Store, ctx: &Context) -> Result<Option<RunId>, AppError> {
    let Some(session) = ctx.session.clone() else {
        return Ok(None);
    };
    let own = store.runs(&RunFilter {
        scope: Scope::Session(session.clone()),
        open_only: true,
        limit: 1,
    })?;
    if let Some(run) = own.into_iter().next() {
        return Ok(Some(run.id));
    }
    // An agent without its own run works for the run that was recorded when the agent was started.
    Ok(store.agent_of_session(&session)?.and_then(|row| row.run))
}

/// Refuses to start another agent if the calling agent or its run has reached a limit.
fn refuse_more_agents(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    starter: Option<&AgentAddress>,
    run: Option<&RunId>,
) -> Result<(), AppError> {
    let starter = match starter {
        Some(starter) => store.agent(project, starter)?,
        None => None,
    };
    let starter = starter.as_ref().map(Spender::Agent);
    for spender in starter.into_iter().chain(run.map(Spender::Run)) {
        if let Some(reached) = limits::limit_reached(store, ctx, spender, Expense::Agent)? {
            return Err(limits::beyond_limit(ctx, "cannot start another agent", &reached));
        }
    }
    Ok(())
}

/// Stores a new agent with its prompt.
fn keep_spawned(
    store: &mut Store,
    ctx: &Context,
    request: &SpawnRequest,
    row: &AgentRow,
    text: &str,
    arguments: &[String],
) -> Result<(), NewIdError> {
    let mut wakeup = WakeupRow {
        id: WakeupId::from_random(ctx.random()?),
        project: row.project.clone(),
        agent: format!("@{}", row.address.name()),
        reason: WakeReason::Startup,
        at: ctx.now(),
        budget: Budget::PROMPT,
        size: text.chars().count() as u64,
        parts: "[]".to_owned(),
        hash: content_hash(text.as_bytes()),
    };
    store.transaction(|tx| {
        if !tx.add_agent(row)? {
            return Err(NewIdError::Taken);
        }
        keep_with_new_id(tx, ctx, &mut wakeup, &compress(text))?;
        tx.keep_delivery(&DeliveryRow {
            project: row.project.clone(),
            agent: row.address.clone(),
            model: request.model.clone(),
            arguments: arguments.to_vec(),
            wakeup: Some(wakeup.id.clone()),
            state: Delivery::Taken,
            is_new_session: true,
            mail: None,
            changed_at: wakeup.at,
        })?;
        Ok(())
    })
}

/// The extra arguments for an agent's client.
fn client_words(ctx: &Context, request: &SpawnRequest, access: Option<Access>) -> Vec<String> {
    let Some(access) = access else {
        return request.arguments.clone();
    };
    let bugle = BugleAccess {
        program: &ctx.program,
        home: &ctx.bugle_home,
    };
    let words = request.client.access_arguments(access, &bugle);
    words
        .into_iter()
        .chain(request.arguments.iter().cloned())
        .collect()
}

/// The requested name, or a generated one.
fn new_name(ctx: &Context, request: &SpawnRequest, home: &Home) -> Result<AgentAddress, AppError> {
    let about = request.role.map_or(request.client.as_str(), AgentRole::as_str);
    match &request.name {
        Some(name) => parse_agent_name(name, home),
        None => parse_agent_name(&automatic_name(about, ctx.random()?), home),
    }
}

fn taken(address: &AgentAddress, home: &Home) -> AppError {
    AppError::Forbidden {
        what: format!(
            "an agent named {} already exists; nothing was started",
            address.seen_from(home)
        ),
        hints: vec![
            "Leave out `--name` to get a generated name.".to_owned(),
            format!(
                "`bugle agent recover {}` restarts that agent.",
                address.seen_from(home)
            ),
        ],
    }
}
