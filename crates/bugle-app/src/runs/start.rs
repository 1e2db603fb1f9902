//! Starts a run: finds the skill, checks and pins it, and enters the first step.

use std::path::Path;

use bugle_core::engine::{Event, Origin, RunState, TaskRef, parse_param, resolve_params};
use bugle_core::hook::MAX_OPEN_RUNS;
use bugle_core::id::{Actor, ContentHash, RunId, TaskId};
use bugle_core::interface::Interface;
use bugle_core::name::SkillAddress;
use bugle_core::reply::RunNotice;
use bugle_core::workflow::Workflow;
use bugle_store::{Append, NewRun, ProjectId, RunFilter, Scope, Store};
use serde_json::{Map, Value, json};

use super::reply::reply;
use super::{Reply, artifact_record};
use crate::catalogue::{self, Found};
use crate::ids::{NewIdError, with_new_ids};
use crate::open_run::OpenRun;
use crate::plans::refuse_missing_plan;
use crate::skill_check::CheckedPackage;
use crate::skills::commands_of;
use crate::{AppError, Context, event_record, pinning, preview, projects, skill_check, tasks};

/// The arguments of [`start`].
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// The skill's address.
    pub skill: String,
    /// The skill's params.
    pub params: Vec<Given>,
    /// The task that the run is for, by id or prefix. By default, the task that the caller is working on.
    pub task: Option<TaskId>,
}

/// Params as the caller passed them.
#[derive(Debug, Clone)]
pub enum Given {
    /// One param as a string.
    Text {
        /// The param's name.
        name: String,
        /// The param's value.
        text: String,
    },
    /// Several params as JSON values.
    Values(Map<String, Value>),
}

/// Finds a skill by name or name prefix.
pub fn find_skill(ctx: &Context, address: &str) -> Result<Found, AppError> {
    catalogue::resolve(ctx, address)
}

/// Starts a run; returns its first step.
pub fn start(store: &mut Store, ctx: &Context, request: StartRequest) -> Result<Reply, AppError> {
    let found = find_skill(ctx, &request.skill)?;
    let package = skill_check::check_found(ctx, found);
    let workflow = preview::sound_workflow(&package, ctx)?;
    let mut given = Map::new();
    for params in request.params {
        match params {
            Given::Text { name, text } => {
                let value = parse_param(workflow, &name, &text);
                given.insert(name, value);
            }
            Given::Values(values) => given.extend(values),
        }
    }
    let params = resolve_params(workflow, &given).map_err(|bad| AppError::Params {
        skill: package.found.address.clone(),
        bad,
        expected: preview::param_lines(workflow),
        command: Some(preview::start_command(
            ctx,
            &package.found.address,
            workflow.params(),
        )),
    })?;
    refuse_missing_plan(ctx, workflow, &params)?;
    refuse_many_runs(store, ctx)?;
    let skill =
        SkillAddress::new(package.found.address.as_str()).map_err(|bad| AppError::System(bad.to_string()))?;
    let Some((version, compiled)) = pinning::pin(store, ctx, &package)? else {
        return Err(AppError::System("cannot pin the skill".to_owned()));
    };
    let trust_notice = trust_notice(store, ctx, &package, workflow, &version, &params)?;
    let origin = match task_for(store, ctx, request.task.as_ref())? {
        Some(task) => Origin::Task(task),
        None => Origin::Fresh,
    };
    let events = bugle_core::engine::start(skill, version, &compiled.workflow, params, origin)
        .map_err(|refusal| unstartable(&request.skill, &refusal, ctx.interface))?;
    let directory = ctx.root.to_string_lossy().into_owned();
    let project = projects::ensure_marked_project(store, ctx)?;
    let state = create(store, ctx, &project, &directory, &compiled.workflow, events)?
        .ok_or_else(|| AppError::System("the run was not created".to_owned()))?;
    let reply = reply(
        store,
        ctx,
        &OpenRun {
            state,
            workflow: compiled.workflow.clone(),
            compiled,
            directory,
        },
    )?;
    Ok(reply.with_notice(trust_notice))
}

/// The task of a new run: the named task, else the task that the caller has claimed.
fn task_for(store: &mut Store, ctx: &Context, named: Option<&TaskId>) -> Result<Option<TaskRef>, AppError> {
    let row = match named {
        Some(id) => Some(tasks::task_row(store, ctx, id)?),
        None => tasks::claimed_task(store, ctx)?,
    };
    Ok(row.map(|row| TaskRef {
        number: row.task.number().unwrap_or_default().to_owned(),
        title: row.task.title,
        id: row.task.id,
    }))
}

/// Refuses a run that exceeds the limit of open runs per session.
fn refuse_many_runs(store: &mut Store, ctx: &Context) -> Result<(), AppError> {
    let Some(session) = ctx.session.clone() else {
        return Ok(());
    };
    let filter = RunFilter {
        scope: Scope::Session(session),
        open_only: true,
        limit: 0,
    };
    if store.count_runs(&filter)? < MAX_OPEN_RUNS {
        return Ok(());
    }
    Err(AppError::Forbidden {
        what: format!("this session already has the maximum of {MAX_OPEN_RUNS} open runs"),
        hints: vec![format!(
            "Finish a run first. `{}` lists the open runs.",
            ctx.command(&["run", "list"])
        )],
    })
}

/// A notice that the user must trust a skill before its commands run; `None` if the skill is trusted or has no
/// commands.
fn trust_notice(
    store: &mut Store,
    ctx: &Context,
    package: &CheckedPackage,
    workflow: &Workflow,
    version: &ContentHash,
    params: &Map<String, Value>,
) -> Result<Option<RunNotice>, AppError> {
    let commands = commands_of(package, workflow, &json!({ "params": params }));
    if commands.is_empty() || store.is_trusted(version)? {
        return Ok(None);
    }
    let root = ctx.root.to_string_lossy();
    let trust = ctx.command(&["-C", &root, "trust", &package.found.address]);
    Ok(Some(RunNotice::NeedsTrust { commands, trust }))
}

/// Creates a run with its first events; `None` if another process has already created the same sub-agent's run.
pub(crate) fn create(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    directory: &str,
    workflow: &Workflow,
    events: Vec<Event>,
) -> Result<Option<RunState>, AppError> {
    let by = ctx.actor.clone();
    create_by(store, ctx, &by, project, directory, workflow, events)
}

/// Like [`create`], but records the events under a given actor.
pub(super) fn create_by(
    store: &mut Store,
    ctx: &Context,
    by: &Actor,
    project: &ProjectId,
    directory: &str,
    workflow: &Workflow,
    events: Vec<Event>,
) -> Result<Option<RunState>, AppError> {
    let mut recorded = event_record::run_events(ctx, by, events);
    with_new_ids("the run", || {
        let id = ctx.new_run_id()?;
        let (state, files) =
            artifact_record::entered(workflow, Path::new(directory), &mut recorded, |events| {
                RunState::replay(&id, events)
            })?;
        store.keep_blobs(files.as_slice())?;
        let session = ctx.session.as_ref();
        let run = NewRun {
            project,
            directory,
            session,
            state: &state,
            events: &recorded,
        };
        match store.create(&run)? {
            Append::Done => Ok(Some(state)),
            Append::Conflict if is_taken(store, &id)? => Err(NewIdError::Taken),
            Append::Conflict => Ok(None),
        }
    })
}

fn is_taken(store: &mut Store, id: &RunId) -> Result<bool, AppError> {
    let found = store.runs_by_prefix(id.as_str())?;
    Ok(found.iter().any(|run| run.id == *id))
}

/// The error for a skill whose first step cannot start its sub-agents.
fn unstartable(skill: &str, refusal: &bugle_core::engine::Refusal, interface: Interface) -> AppError {
    let text = bugle_render::refusal_text::refusal(refusal, interface);
    AppError::Usage {
        what: format!("cannot start the skill `{skill}`: {}", text.message),
        hints: text.details.into_iter().chain([text.remedy]).collect(),
    }
}
