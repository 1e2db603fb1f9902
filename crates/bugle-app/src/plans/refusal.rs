//! Refusals to import a plan.

use std::path::Path;

use bugle_core::code_help;
use bugle_core::reply::{RefusalView, TaskName};
use bugle_core::task::PlanCycle;
use bugle_render::plan as plan_text;
use bugle_store::{PlanRow, TaskRow};

use super::source::PlanSource;
use crate::{AppError, Context};

/// Maximum number of files, headings or tasks listed in a refusal.
const MAX_LISTED: usize = 5;

/// Refuses a file without tasks.
pub(super) fn no_tasks(source: &PlanSource) -> AppError {
    AppError::Refused(Box::new(RefusalView {
        code: code_help::NO_TASKS.code.to_owned(),
        message: format!("There are no tasks in {}, so nothing was imported.", source.key),
        details: source
            .plan
            .notes
            .iter()
            .map(plan_text::note)
            .chain(headings(source))
            .collect(),
        outline: None,
        remedy: "Give each task a heading such as `### Task 1: Title`, and import the file again.".to_owned(),
        position: None,
        command: None,
    }))
}

/// The first headings of a file without tasks.
fn headings(source: &PlanSource) -> Option<String> {
    let text = String::from_utf8_lossy(&source.bytes);
    let found: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .take(MAX_LISTED)
        .map(|line| format!("`{}`", line.trim()))
        .collect();
    (!found.is_empty()).then(|| format!("headings in the file: {}", found.join(", ")))
}

/// Refuses a file that lacks active tasks. The file may be an older version, or from another branch.
pub(super) fn active_vanish(ctx: &Context, source: &PlanSource, tasks: &[&TaskRow]) -> AppError {
    let line = |row: &&TaskRow| {
        let by = row
            .task
            .agent
            .as_ref()
            .map_or(String::new(), |agent| format!(" ({agent})"));
        format!("{} {}{by}", row.task.id, TaskName::of(&row.task).label())
    };
    AppError::Refused(Box::new(RefusalView {
        code: code_help::ACTIVE_VANISH.code.to_owned(),
        message: format!(
            "{} no longer contains tasks that are in progress; importing the file would remove these tasks.",
            source.key
        ),
        details: tasks.iter().take(MAX_LISTED).map(line).collect(),
        outline: None,
        remedy:
            "Nothing was imported. If the file is an older version, for example from another branch, do not \
                 import it. To remove these tasks, import the file with `--drop-active`."
                .to_owned(),
        position: None,
        command: Some(ctx.command(&["task", "list"])),
    }))
}

/// Refuses a file that is probably a known plan under another name.
pub(super) fn renamed(ctx: &Context, file: &Path, other: &PlanRow) -> AppError {
    let file = file.to_string_lossy();
    let command = |flags: &[&str]| {
        let all: Vec<&str> = ["plan", "import", &file]
            .into_iter()
            .chain(flags.iter().copied())
            .collect();
        ctx.command_here(&all)
    };
    AppError::Refused(Box::new(RefusalView {
        code: code_help::PERHAPS_RENAMED.code.to_owned(),
        message: format!(
            "Plan {} has the same title, but its file {} is missing. The new file may be the same plan, renamed.",
            other.id, other.file
        ),
        details: vec![
            format!(
                "to keep the existing plan's tasks: {}",
                command(&["--was", other.id.as_str()])
            ),
            format!("to import the file as a new plan: {}", command(&["--new"])),
        ],
        outline: None,
        remedy: "Nothing was imported. Choose one of these commands.".to_owned(),
        position: None,
        command: Some(ctx.command(&["plan", "show", other.id.as_str()])),
    }))
}

/// Refuses a file that was already imported as another plan.
pub(super) fn imported_twice(ctx: &Context, source: &PlanSource, was: &PlanRow, other: &PlanRow) -> AppError {
    AppError::Refused(Box::new(RefusalView {
        code: code_help::IMPORTED_TWICE.code.to_owned(),
        message: format!(
            "{} was already imported as plan {}, so it cannot also be imported as {}.",
            source.key, other.id, was.id
        ),
        details: vec![format!("{} {}", other.root, other.title)],
        outline: None,
        remedy:
            "Check the progress of the existing plan. If you do not need this plan, remove its root task and \
                 import the file again."
                .to_owned(),
        position: None,
        command: Some(ctx.command(&["plan", "show", other.id.as_str()])),
    }))
}

/// Refuses a plan whose dependencies form a cycle.
pub(super) fn refused_cycle(source: &PlanSource, cycle: &PlanCycle) -> AppError {
    let nodes = source.plan.nodes();
    let label = |index: usize| {
        let node = nodes.get(index).copied();
        let line = node
            .and_then(|node| source.plan.extent(node))
            .map_or(0, |extent| extent.line);
        match node {
            Some(bugle_core::plan::Node::Task(index)) => {
                format!("Task {} (line {line})", source.plan.tasks[index].number)
            }
            Some(bugle_core::plan::Node::Group(index)) => {
                format!("{} (line {line})", source.plan.groups[index].title)
            }
            None => "a task".to_owned(),
        }
    };
    AppError::Refused(Box::new(RefusalView {
        code: code_help::CYCLE.code.to_owned(),
        message: format!(
            "The tasks in {} form a dependency cycle, so nothing was imported.",
            source.key
        ),
        details: cycle
            .0
            .iter()
            .map(|(task, on)| format!("{} waits for {}", label(*task), label(*on)))
            .collect(),
        outline: None,
        remedy: "Remove one of these dependencies from the plan, and import the file again.".to_owned(),
        position: None,
        command: None,
    }))
}
