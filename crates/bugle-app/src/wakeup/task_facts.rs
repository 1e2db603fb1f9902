//! Facts about the current task for a wake-up: related tasks and their history, the skill and the plan.

use std::collections::BTreeMap;

use bugle_core::digest::{Claim, DigestedSection, StepKind, WorkPosition, without_start_command};
use bugle_core::name::AgentName;
use bugle_core::reply::{
    ReviewLoopView, SkillNotice, StepView, TaskLine, WakeFacts, WakePlan, WakeSection, WakeSkill,
};
use bugle_core::role::AgentRole;
use bugle_store::{Plan, PlanRow, Store, StoreError, TaskRow};

use super::ShortClock;
use super::actor_names::ActorNames;
use crate::open_run::RunWithEvents;
use crate::ownership::Worker;
use crate::plan_files::FileState;
use crate::tasks::{CurrentTask, Sections, line_views, plan_name};
use crate::wakeup::history;
use crate::{AppError, Context, plan_files, plans, projects, tasks};

/// Maximum number of subtasks of the current task to read.
const MAX_INSIDE: u32 = 39;
/// Maximum number of siblings to read on each side of a task.
const MAX_BESIDE: u32 = 20;
/// Number of tree levels at which to read siblings: the task's level and the levels of its nearest ancestors.
const MAX_LEVELS: usize = 4;
/// Maximum number of a plan's tasks to count, because counting takes time.
const MAX_COUNTED: u32 = 1_000;

/// The woken agent's work.
pub(super) struct CurrentWork<'a> {
    /// The agent's run.
    pub run: Option<&'a RunWithEvents>,
    /// The agent's task.
    pub at: Option<&'a CurrentTask>,
    /// The woken agent, as a task holder.
    pub worker: Option<&'a Worker>,
    /// The woken agent's role.
    pub role: Option<AgentRole>,
}

/// Plans the queries for the tasks around the current task.
pub(super) fn read_ahead(plan: &mut Plan<'_>, row: &TaskRow) -> Result<(), StoreError> {
    plan.beside(row, MAX_BESIDE)?;
    plan.each_ancestor(row, |plan, ancestor| plan.beside(ancestor, MAX_BESIDE).map(drop))?;
    plan.inside(row, MAX_INSIDE)?;
    plan.each_skill_pin(&row.root, |plan, hash| plan.blob(hash).map(drop))?;
    if let Some(link) = &row.task.plan {
        plan.plan_counts(&link.plan, MAX_COUNTED + 1)?;
        plan.each_plan_source(&link.plan, |plan, source| {
            plan_files::plan_outline(plan, source, Some(&row.task))
        })?;
    }
    plan.each_related_task(row, MAX_BESIDE, |plan, id| plan.task_events(id).map(drop))
}

/// Adds the facts for an agent that has lost its context: related tasks, history, skill and plan.
pub(super) fn add_history(
    store: &mut Store,
    ctx: &Context,
    facts: &mut WakeFacts,
    work: &CurrentWork<'_>,
    names: &mut ActorNames<'_>,
    clock: ShortClock<'_>,
) -> Result<(), AppError> {
    let CurrentWork {
        run,
        at,
        worker,
        role,
    } = *work;
    // The siblings of the task, then of its ancestors, nearest first.
    let mut beside = Vec::new();
    if let Some(at) = at {
        for row in std::iter::once(&at.row).chain(&at.above).take(MAX_LEVELS) {
            beside.push(store.beside(row, MAX_BESIDE)?);
        }
    }
    if let Some(at) = at {
        tasks::plan_sections(store, &at.skill)?;
        if let Some((plan, _)) = &at.plan {
            let planned = planned_task(&at.row, &at.above).map(|row| &row.task);
            store.read_ahead(|ahead| plan_files::plan_outline(ahead, &plan.source, planned))?;
        }
    }
    let related = match at {
        Some(at) => Some(history::related_tasks(store, at, &beside)?),
        None => None,
    };
    facts.learnt = history::learnt(run.map(|run| &run.run), related.as_ref())?;
    facts.activity = history::activity(store, names, run, related.as_ref(), &facts.learnt, clock)?;
    if let (Some(at), Some(related)) = (at, related) {
        let open_beside = open_beside(at, beside.first());
        facts.tasks = tasks_around(store, ctx, at, beside, worker, &facts.agent)?;
        let waits = at.waits.iter().map(|(row, _)| row);
        let known: Vec<&TaskRow> = related.sources.iter().chain(waits).collect();
        facts.waited_for = history::waited_for(store, &facts.tasks, &known)?;
        let open_beside: Vec<&str> = open_beside.iter().map(String::as_str).collect();
        let step = facts.step.as_ref();
        let position = WorkPosition {
            title: &at.row.task.title,
            open_beside: &open_beside,
            step: step.and_then(step_kind),
            step_title: step.map(|step| step.title.as_str()),
            role: role.or_else(|| step?.role.parse().ok()),
            delegates: false,
        };
        facts.skill = skill_for(store, ctx, at, run, &position)?;
        facts.plan = match &at.plan {
            Some((plan, file)) => Some(plan_view(store, ctx, &at.row, &at.above, plan, file.as_ref())?),
            None => None,
        };
    }
    Ok(())
}

/// The current task with its ancestors, its subtree and nearby siblings, in order.
fn tasks_around(
    store: &mut Store,
    ctx: &Context,
    at: &CurrentTask,
    beside: Vec<Vec<TaskRow>>,
    reader: Option<&Worker>,
    agent: &str,
) -> Result<Vec<TaskLine>, AppError> {
    let CurrentTask { row, above, .. } = at;
    let inside = store.inside(row, MAX_INSIDE)?;
    // Include the siblings of the task and of its parent. At higher levels, include only the ancestors.
    let mut all = vec![inside, above.clone()];
    all.extend(beside.into_iter().take(2));
    let around: BTreeMap<String, TaskRow> = all
        .into_iter()
        .flatten()
        .map(|row| (row.path.as_str().to_owned(), row))
        .collect();
    let rows: Vec<TaskRow> = around.into_values().collect();
    let mut lines = line_views(&rows, Some(&row.task.id));
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for holder in lines.iter_mut().filter_map(|line| line.task.agent.as_mut()) {
        if !known.contains_key(holder) {
            let shown = match AgentName::new(holder.as_str()) {
                Ok(name) => tasks::other_holder_name(store, ctx, &row.project, &name, reader)?,
                Err(_) => Some(holder.clone()),
            };
            // For the woken agent, show its name in this wake-up.
            known.insert(holder.clone(), shown.unwrap_or_else(|| agent.to_owned()));
        }
        if let Some(shown) = known.get(holder) {
            holder.clone_from(shown);
        }
    }
    Ok(lines)
}

/// The number of closed tasks and the number of all tasks, in the plan or directly under the outermost task.
pub(super) fn counts(store: &mut Store, at: &CurrentTask) -> Result<(Option<u32>, u32), AppError> {
    if let Some((plan, _)) = &at.plan {
        let (total, closed) = store.plan_counts(&plan.id, MAX_COUNTED + 1)?;
        let closed = Some(closed).filter(|_| total <= MAX_COUNTED);
        return Ok((closed, total.min(MAX_COUNTED)));
    }
    let root = at.above.last().unwrap_or(&at.row);
    let closed = root.children.saturating_sub(root.open_children);
    Ok((Some(closed), root.children))
}

/// The skill for the task. If `run` already runs this skill, the skill's text omits the command that starts the skill.
fn skill_for(
    store: &mut Store,
    ctx: &Context,
    at: &CurrentTask,
    run: Option<&RunWithEvents>,
    position: &WorkPosition<'_>,
) -> Result<Option<WakeSkill>, AppError> {
    let row = &at.row;
    let sections = tasks::sections_for(store, ctx, &at.skill, position)?;
    let choice = at.skill.view.clone();
    let Some(name) = choice.skill else { return Ok(None) };
    let stage = sections.as_ref().and_then(|sections| sections.stage.clone());
    let mut sections = sections.map(section_views).unwrap_or_default();
    if run.is_some_and(|run| at.skill.skill.as_ref() == Some(&run.run.state.skill)) {
        let own_name = name.rsplit(':').next().unwrap_or(&name);
        for section in &mut sections {
            omit_start_command(section, own_name);
        }
    }
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
        reason: choice.reason,
        version,
        stage,
        sections,
        reminders: choice.reminders,
        notices: choice
            .notices
            .into_iter()
            .chain(at.skill.problems.iter().cloned().map(SkillNotice::Rules))
            .collect(),
    }))
}

/// The plan of a task or its nearest planned ancestor.
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

/// Like [`plan_for`], but the caller has already read the task's ancestors, the plan and the plan's file.
fn plan_view(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    above: &[TaskRow],
    plan: &PlanRow,
    file: Option<&FileState>,
) -> Result<WakePlan, AppError> {
    // A task below a planned task, such as a review, uses the planned task's text.
    let planned = planned_task(row, above);
    let reading = plan_files::read_excerpt(store, plan, planned.map(|row| &row.task), file)?;
    Ok(WakePlan {
        name: plan_name(plan),
        interfaces: reading.interfaces(),
        goal: reading.goal,
        constraints: reading.constraints,
        text: reading.text,
        notices: plan_files::file_notice(ctx, plan, file).into_iter().collect(),
        task_command: planned.map(|row| {
            let id = row.task.id.as_str();
            ctx.command(&["task", "show", id, "--full"])
        }),
        command: plans::text_command(ctx, &plan.id),
    })
}

/// The task whose text in the plan applies: the current one, or its nearest planned ancestor.
fn planned_task<'a>(row: &'a TaskRow, above: &'a [TaskRow]) -> Option<&'a TaskRow> {
    std::iter::once(row)
        .chain(above)
        .find(|row| row.task.plan.is_some())
}

fn omit_start_command(section: &mut WakeSection, skill: &str) {
    section.full = without_start_command(&section.full, skill);
    section.digest = without_start_command(&section.digest, skill);
    if section.full.trim().is_empty() {
        section.pointer.clear();
    }
}

fn section_views(sections: Sections) -> Vec<WakeSection> {
    let Sections {
        digested, relevant, ..
    } = sections;
    let view = |(at, section): (usize, DigestedSection)| {
        let found = relevant.iter().find(|relevance| relevance.section == at);
        WakeSection {
            title: section.title,
            claim: found.map_or(Claim::Unrelated, |relevance| relevance.claim),
            score: found.map_or(0, |relevance| relevance.score),
            full: section.full.text,
            digest: section.digest.text,
            pointer: section.pointer.text,
        }
    };
    digested.sections.into_iter().enumerate().map(view).collect()
}

/// The titles of the open tasks beside the current task.
fn open_beside(at: &CurrentTask, beside: Option<&Vec<TaskRow>>) -> Vec<String> {
    let others = beside.into_iter().flatten();
    let open = others.filter(|row| row.task.id != at.row.task.id && row.task.status.is_open());
    open.map(|row| row.task.title.clone()).collect()
}

/// What kind of step the agent's run is at, if that determines the stage of the work.
fn step_kind(step: &StepView) -> Option<StepKind> {
    let sent_back = step.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
    if step.ask.is_some() {
        Some(StepKind::Asks)
    } else if matches!(
        step.review_loop,
        Some(ReviewLoopView::Gate { .. } | ReviewLoopView::Review { .. })
    ) {
        Some(StepKind::Reviews)
    } else if sent_back {
        Some(StepKind::Reworks)
    } else if step.dispatch.is_some() {
        Some(StepKind::Dispatches)
    } else {
        None
    }
}
