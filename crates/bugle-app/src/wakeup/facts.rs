//! Gathers the facts of a wake-up, before they are cut to the budget.

use std::collections::BTreeMap;

use bugle_core::digest::{DigestedSection, Relevance};
use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{PlanRow, Store, TaskRow};
use bugle_wire::{
    CommandView, StepView, TaskLine, TaskPosition, WakeFacts, WakePlan, WakeSection, WakeSkill,
};

use super::lost_work::{LostWork, lost_work};
use super::next_action::next_action;
use super::recovery::{Replacement, take_over};
use super::run_selection::RunSelection;
use super::{Gathered, ShortClock, WakeRequest};
use crate::agents::Me;
use crate::open_run::OpenRun;
use crate::plan_files::FileState;
use crate::runs::Reply;
use crate::tasks::{CurrentTask, Sections, line_views, plan_name};
use crate::wakeup::{full_command, history, messages, recovery, run_selection};
use crate::{AppError, Context, addresses, agents, open_run, plan_files, projects, runs, tasks};

/// How many tasks of the current task's subtree are read, itself included.
const MAX_INSIDE: u32 = 40;
/// How many siblings before a task are read, and how many after it.
const MAX_BESIDE: u32 = 20;
/// On how many levels of the tree siblings are read: that of the task, and of its nearest ancestors.
const MAX_LEVELS: usize = 4;
/// How many tasks of a plan are counted at most: counting takes time.
const MAX_COUNTED: u32 = 1_000;

/// The open step of a run, or why it cannot be shown: a broken skill must not hide tasks and messages.
fn open_step(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
) -> Result<(Option<StepView>, Option<String>), AppError> {
    match step_of(store, ctx, run) {
        Err(AppError::Text { what, hints }) => {
            let why = format!("A run is open here, but {what}. {}", hints.join(" "));
            Ok((None, Some(why)))
        }
        step => Ok((step?, None)),
    }
}

/// The agent that wakes up; `None` if the request names none and there is no session.
fn woken_agent(store: &mut Store, ctx: &Context, request: &WakeRequest) -> Result<Option<Me>, AppError> {
    match (&request.agent, agents::me(store, ctx, request.agent.as_deref())) {
        (_, Ok(me)) => Ok(Some(me)),
        (None, Err(AppError::Usage { .. })) => Ok(None),
        (_, Err(error)) => Err(error),
    }
}

/// The command that takes over the current task from a lost agent, if that agent had it.
fn lost_task(
    ctx: &Context,
    lost: Option<&LostWork>,
    position: Option<&TaskPosition>,
    request: &WakeRequest,
) -> Option<CommandView> {
    let task = &position?.task.id;
    lost?
        .has_task(task)
        .then(|| take_over(ctx, task, request.agent.as_deref()))
}

/// An agent as it is addressed in its own project.
fn shown_name(me: &Me) -> String {
    format!("@{}", me.address.seen_from(&me.home))
}

/// Gathers the facts of a wake-up.
pub(super) fn gather(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
) -> Result<Gathered, AppError> {
    let me = woken_agent(store, ctx, request)?;
    let project = projects::project(store, ctx)?;
    let named = request.agent.as_deref();
    let session = named
        .map(|name| session_of(store, name, me.as_ref()))
        .transpose()?;
    let lost = match &request.replaces {
        Some(replaced) => Some(lost_work(store, ctx, &replaced.agent, project.as_ref())?),
        None => None,
    };
    let RunSelection {
        run,
        owner_notice,
        held,
        others: mut other_runs,
    } = match &lost {
        Some(lost) => run_selection::select_run_of(store, ctx, lost, project.as_ref(), request)?,
        None => run_selection::select_run(store, ctx, project.as_ref(), session, request)?,
    };
    let run = run
        .map(|row| open_run::read(store, &row.id, &row.directory))
        .transpose()?;
    let (step, mut step_problem) = match &run {
        Some(run) => open_step(store, ctx, run)?,
        None => (None, None),
    };
    if step_problem.is_some() {
        other_runs = other_runs.saturating_add(1);
    }
    // A replacement continues with the lost agent's tasks.
    let named = named.and_then(|name| AgentName::new(name.trim_start_matches('@')).ok());
    let task_agent = lost.as_ref().map_or(named, LostWork::agent_name);
    let at = match &project {
        Some(project) => tasks::position_of(store, ctx, project.clone(), task_agent.as_ref())?,
        None => None,
    };
    let position = at.as_ref().map(|at| at.view.clone());
    let replacement = lost
        .as_ref()
        .zip(request.replaces.as_ref())
        .map(|(lost, replaced)| Replacement {
            lost,
            replaced,
            agent: request.agent.as_deref(),
            project: project.as_ref(),
            step: step.as_ref(),
            current: at.as_ref().map(|at| &at.row),
        });
    let recovery = replacement
        .map(|replacement| recovery::recovery(store, ctx, &replacement, clock))
        .transpose()?;
    if step.is_none() && (held.is_some() || other_runs > 0) {
        // Work of others is open and named below, so "nothing is open" would be wrong.
        step_problem.get_or_insert_default();
    }
    let mut next = next_action(
        ctx,
        step.as_ref(),
        owner_notice.as_deref(),
        position.as_ref(),
        step_problem,
    );
    if step.is_none() {
        next.commands
            .splice(0..0, lost_task(ctx, lost.as_ref(), position.as_ref(), request));
    }
    let mail = messages::messages_for(store, ctx, me.as_ref(), request, clock)?;
    let mut facts = WakeFacts {
        reason: request.reason.as_str().to_owned(),
        agent: me.as_ref().map_or_else(String::new, shown_name),
        project: addresses::own_name(ctx),
        branch: ctx.branch(),
        recovery,
        held,
        other_runs,
        tasks: Vec::new(),
        waited_for: Vec::new(),
        again: full_command(ctx, request),
        closed: Some(0),
        total: 0,
        skill: None,
        plan: None,
        learnt: Vec::new(),
        activity: Vec::new(),
        questions: mail.questions,
        messages: mail.messages,
        more_messages: mail.more,
        next,
        step,
        position,
    };
    (facts.closed, facts.total) = at.as_ref().map_or(Ok((Some(0), 0)), |at| counts(store, at))?;
    // An agent that still remembers the rest sees only what is new.
    if lost.is_some() || !request.reason.remembers() {
        let (run, at, agent) = (run.as_ref(), at.as_ref(), task_agent.as_ref());
        add_history(store, ctx, &mut facts, run, at, agent, clock)?;
    }
    Ok(Gathered {
        facts,
        project,
        read: mail.read,
    })
}

/// Adds what an agent needs that has lost its memory: related tasks, history, skill and plan.
fn add_history(
    store: &mut Store,
    ctx: &Context,
    facts: &mut WakeFacts,
    run: Option<&OpenRun>,
    at: Option<&CurrentTask>,
    task_agent: Option<&AgentName>,
    clock: ShortClock<'_>,
) -> Result<(), AppError> {
    // The siblings of the task, then of its ancestors, the nearest first.
    let mut beside = Vec::new();
    if let Some(at) = at {
        for row in std::iter::once(&at.row).chain(&at.above).take(MAX_LEVELS) {
            beside.push(store.beside(row, MAX_BESIDE)?);
        }
    }
    let related = match at {
        Some(at) => Some(history::related_tasks(store, at, &beside)?),
        None => None,
    };
    facts.learnt = history::learnt(run, related.as_ref())?;
    facts.activity = history::activity(store, ctx, run, related.as_ref(), &facts.learnt, clock)?;
    if let Some(at) = at {
        facts.tasks = tasks_around(store, ctx, at, beside, task_agent, &facts.agent)?;
        facts.waited_for = history::waited_for(store, &facts.tasks)?;
        facts.skill = skill_for(store, ctx, at)?;
        facts.plan = match &at.plan {
            Some((plan, file)) => Some(plan_view(store, ctx, &at.row, &at.above, plan, file.as_ref())?),
            None => None,
        };
    }
    Ok(())
}

/// The session of a named agent; without one, the name itself.
fn session_of(store: &mut Store, name: &str, me: Option<&Me>) -> Result<SessionId, AppError> {
    let row = match me.and_then(|me| me.project.as_ref().map(|project| (project, &me.address))) {
        Some((project, address)) => store.agent(project, address)?,
        None => None,
    };
    let session = row.and_then(|row| row.session);
    Ok(session.unwrap_or_else(|| SessionId(name.trim_start_matches('@').to_owned())))
}

/// The current step of a run; `None` if the run is paused or over.
pub(super) fn step_of(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Option<StepView>, AppError> {
    match runs::step_reply(store, ctx, run, true) {
        Ok(Reply::Step(step)) => Ok(Some(*step)),
        Ok(Reply::End(_)) | Err(AppError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The current task with its ancestors, their siblings, and its subtree, in order.
fn tasks_around(
    store: &mut Store,
    ctx: &Context,
    at: &CurrentTask,
    beside: Vec<Vec<TaskRow>>,
    task_agent: Option<&AgentName>,
    agent: &str,
) -> Result<Vec<TaskLine>, AppError> {
    let CurrentTask { row, above, .. } = at;
    let inside = store.window(&row.project, Some(&row.path), true, MAX_INSIDE)?;
    // The siblings of the task and of its parent; further up only the ancestors.
    let mut all = vec![inside, above.clone()];
    all.extend(beside.into_iter().take(2));
    let around: BTreeMap<String, TaskRow> = all
        .into_iter()
        .flatten()
        .map(|row| (row.path.as_str().to_owned(), row))
        .collect();
    let rows: Vec<TaskRow> = around.into_values().collect();
    let mut lines = line_views(&rows, Some(&row.task.id));
    let reader = tasks::worker_for(store, ctx, &row.project, task_agent)?;
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for holder in lines.iter_mut().filter_map(|line| line.task.agent.as_mut()) {
        if !known.contains_key(holder) {
            let shown = match AgentName::new(holder.as_str()) {
                Ok(name) => tasks::other_holder_name(store, ctx, &row.project, &name, reader.as_ref())?,
                Err(_) => Some(holder.clone()),
            };
            // The woken agent itself has the name that it is woken up with.
            known.insert(holder.clone(), shown.unwrap_or_else(|| agent.to_owned()));
        }
        if let Some(shown) = known.get(holder) {
            holder.clone_from(shown);
        }
    }
    Ok(lines)
}

/// How many tasks of the plan, or of the outermost task, are closed, and how many there are.
fn counts(store: &mut Store, at: &CurrentTask) -> Result<(Option<u32>, u32), AppError> {
    if let Some((plan, _)) = &at.plan {
        let (total, closed) = store.plan_counts(&plan.id, MAX_COUNTED + 1)?;
        let closed = Some(closed).filter(|_| total <= MAX_COUNTED);
        return Ok((closed, total.min(MAX_COUNTED)));
    }
    let root = at.above.last().unwrap_or(&at.row);
    let closed = root.children.saturating_sub(root.open_children);
    Ok((Some(closed), root.children))
}

fn skill_for(store: &mut Store, ctx: &Context, at: &CurrentTask) -> Result<Option<WakeSkill>, AppError> {
    let row = &at.row;
    let sections = tasks::sections_for(store, ctx, row, &at.skill, None)?;
    let choice = at.skill.view.clone();
    let Some(name) = choice.skill else { return Ok(None) };
    let sections = sections.map(section_views).unwrap_or_default();
    let version = choice.pinned.as_ref().map(|pin| {
        let hash = pin.hash.get(..12).unwrap_or(&pin.hash);
        pin.version
            .as_ref()
            .map_or(hash.to_owned(), |version| format!("{version} ({hash})"))
    });
    Ok(Some(WakeSkill {
        whole: (!sections.is_empty())
            .then(|| ctx.command(&["task", "skill", row.task.id.as_str(), "--text"])),
        name,
        because: choice.because,
        version,
        sections,
        reminders: choice.reminders,
        notices: [choice.notices, at.skill.notices.clone()].concat(),
    }))
}

/// The plan of a task, or of its nearest planned ancestor.
pub(super) fn plan_for(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
) -> Result<Option<WakePlan>, AppError> {
    let above = store.above(row)?;
    let Some(plan) = tasks::plan_above(store, row, &above)? else {
        return Ok(None);
    };
    let here = projects::project(store, ctx)?;
    let file = plan_files::file_state(ctx, here.as_ref(), &plan);
    plan_view(store, ctx, row, &above, &plan, file.as_ref()).map(Some)
}

/// Like [`plan_for`], with the task's ancestors, the plan and its file already read.
fn plan_view(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    above: &[TaskRow],
    plan: &PlanRow,
    file: Option<&FileState>,
) -> Result<WakePlan, AppError> {
    // A task below a planned one (a review of it, for example) uses the text of that one.
    let planned = std::iter::once(row)
        .chain(above)
        .find(|row| row.task.plan.is_some());
    let reading = plan_files::read_excerpt(store, plan, planned.map(|row| &row.task), file)?;
    Ok(WakePlan {
        name: plan_name(plan),
        interfaces: reading.interfaces(),
        goal: reading.goal,
        constraints: reading.constraints,
        text: reading.text,
        notices: plan_files::file_notices(ctx, plan, file),
        task_command: planned.map(|row| {
            let id = row.task.id.as_str();
            ctx.command(&["task", "show", id, "--full"])
        }),
        command: ctx.command(&["plan", "show", plan.id.as_str()]),
    })
}

fn section_views((digested, relevant): Sections) -> Vec<WakeSection> {
    let view = |(at, section): (usize, DigestedSection)| {
        let found = relevant.iter().find(|relevance| relevance.section == at);
        WakeSection {
            title: section.title,
            score: found.map_or(0, |relevance| relevance.score),
            needed: found.is_some_and(Relevance::is_needed),
            full: section.full.text,
            digest: section.digest.text,
            pointer: section.pointer.text,
        }
    };
    digested.sections.into_iter().enumerate().map(view).collect()
}
