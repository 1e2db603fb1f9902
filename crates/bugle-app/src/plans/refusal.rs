//! Refusals to import a plan.

use std::path::Path;

use bugle_core::plan::Node;
use bugle_core::reply::{PlanPlace, PlanRefusal, RefusalReason, Refused, TaskName};
use bugle_core::task::PlanCycle;
use bugle_store::{PlanRow, TaskRow};

use super::source::PlanSource;
use crate::{AppError, Context};

/// Maximum number of headings or tasks listed in a refusal.
const MAX_LISTED: usize = 5;

fn refused(refusal: PlanRefusal, command: Option<String>) -> AppError {
    AppError::Refused(Box::new(Refused {
        command,
        ..Refused::new(RefusalReason::Plan(refusal))
    }))
}

/// Refuses a file without tasks.
pub(super) fn no_tasks(source: &PlanSource) -> AppError {
    let text = String::from_utf8_lossy(&source.bytes);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let refusal = PlanRefusal::NoTasks {
        file: source.key.clone(),
        notes: source.plan.notes.clone(),
        headings: headings
            .take(MAX_LISTED)
            .map(|line| line.trim().to_owned())
            .collect(),
    };
    refused(refusal, None)
}

/// Refuses a file that lacks active tasks. The file may be an older version, or from another branch.
pub(super) fn active_vanish(ctx: &Context, source: &PlanSource, tasks: &[&TaskRow]) -> AppError {
    let named = |row: &&TaskRow| (TaskName::of(&row.task), row.task.agent.clone());
    let refusal = PlanRefusal::ActiveVanish {
        file: source.key.clone(),
        tasks: tasks.iter().take(MAX_LISTED).map(named).collect(),
    };
    refused(refusal, Some(ctx.command(&["task", "list"])))
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
    let refusal = PlanRefusal::PerhapsRenamed {
        plan: other.id.clone(),
        file: other.file.clone(),
        keep: command(&["--was", other.id.as_str()]),
        import_as_new: command(&["--new"]),
    };
    refused(refusal, Some(ctx.command(&["plan", "show", other.id.as_str()])))
}

/// Refuses a file that was already imported as another plan.
pub(super) fn imported_twice(ctx: &Context, source: &PlanSource, was: &PlanRow, other: &PlanRow) -> AppError {
    let refusal = PlanRefusal::ImportedTwice {
        file: source.key.clone(),
        named: was.id.clone(),
        plan: other.id.clone(),
        root: other.root.clone(),
        title: other.title.clone(),
    };
    refused(refusal, Some(ctx.command(&["plan", "show", other.id.as_str()])))
}

/// Refuses a plan whose dependencies form a cycle.
pub(super) fn refused_cycle(source: &PlanSource, cycle: &PlanCycle) -> AppError {
    let nodes = source.plan.nodes();
    let place = |index: usize| {
        let node = nodes.get(index).copied();
        let line = node
            .and_then(|node| source.plan.extent(node))
            .map_or(0, |extent| extent.line);
        match node {
            Some(Node::Task(index)) => PlanPlace::Task {
                number: source.plan.tasks[index].number.to_string(),
                line,
            },
            Some(Node::Group(index)) => PlanPlace::Group {
                title: source.plan.groups[index].title.clone(),
                line,
            },
            None => PlanPlace::Unknown,
        }
    };
    let refusal = PlanRefusal::Cycle {
        file: source.key.clone(),
        waits: cycle
            .0
            .iter()
            .map(|(task, on)| (place(*task), place(*on)))
            .collect(),
    };
    refused(refusal, None)
}
