//! The problems that a run's agents noticed outside their steps, and tasks made of them.

use std::collections::BTreeSet;

use bugle_core::engine::{FoundProblem, RunState};
use bugle_core::reply::{FoundList, RunNotice, TasksChanged};
use bugle_store::Store;

use super::{RunSelector, select};
use crate::tasks::{self, AddRequest, TaskScope};
use crate::{AppError, Context, delegation, open_run};

/// The problems that a run's agents and their sub-agents reported.
pub fn found(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<FoundList, AppError> {
    let row = select::select(store, ctx, selector)?;
    let state = open_run::read_state(store, &row.id)?;
    let known = task_titles(store, ctx)?;
    let has_news = state
        .also_found
        .iter()
        .any(|found| !known.contains(&title(found)));
    Ok(FoundList {
        command: has_news.then(|| task_command(ctx, &state)),
        run: state.id,
        problems: state.also_found,
    })
}

/// The titles of the project's tasks.
fn task_titles(store: &mut Store, ctx: &Context) -> Result<BTreeSet<String>, AppError> {
    let known = tasks::task_tree(store, ctx, &TaskScope::Project, true, u32::MAX)?;
    Ok(known.tasks.into_iter().map(|line| line.task.title).collect())
}

/// The title of the task for a problem.
fn title(found: &FoundProblem) -> String {
    let words: Vec<&str> = found.problem.what.split_whitespace().collect();
    words.join(" ")
}

/// Adds a task for each problem that the project has no task for yet.
pub fn add_found(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<TasksChanged, AppError> {
    let list = found(store, ctx, selector)?;
    let mut known = task_titles(store, ctx)?;
    let mut added: Option<TasksChanged> = None;
    for found in list.problems {
        let title = title(&found);
        if !known.insert(title.clone()) {
            continue;
        }
        let severity = found.problem.severity;
        let severity = severity.map_or_else(String::new, |severity| format!("{}, ", severity.as_str()));
        let note = format!(
            "{severity}{}. Found at {}#{}.",
            found.problem.place, list.run, found.visit
        );
        let request = AddRequest {
            titles: vec![title],
            under: None,
            neighbour: None,
            skill: None,
            agent: None,
            waits_for: Vec::new(),
            note: Some(note),
        };
        let changed = tasks::add_tasks(store, ctx, &request)?;
        match &mut added {
            Some(all) => {
                all.outcomes.extend(changed.outcomes);
                all.tasks.extend(changed.tasks);
                all.also.extend(changed.also);
                all.next = changed.next;
            }
            None => added = Some(changed),
        }
    }
    added.ok_or_else(|| AppError::NotFound {
        what: format!("run {} has no problem without a task", list.run),
        hints: vec![format!(
            "To see the problems, run: {}",
            ctx.command(&["run", "found", list.run.as_str()])
        )],
    })
}

/// A notice about the problems of a run, unless the run belongs to a sub-agent: its orchestrator's run has them too.
pub(super) fn notice(ctx: &Context, state: &RunState) -> Option<RunNotice> {
    let count = state.also_found.len();
    (count > 0 && delegation::child_of(state).is_none()).then(|| RunNotice::AlsoFound {
        count,
        command: task_command(ctx, state),
    })
}

fn task_command(ctx: &Context, state: &RunState) -> String {
    ctx.command(&["run", "found", state.id.as_str(), "--tasks"])
}
