//! Where runs meet the task tree: the board of a run's plan, what a decision does to its tasks, and the import of a plan.

use std::path::Path;

use bugle_core::engine::RunState;
use bugle_core::id::{RunId, TaskId};
use bugle_core::plan::Node;
use bugle_core::task::{Board, BoardTask, Substance, TaskBrief, TaskCommand, TaskEffect};
use bugle_skill::{parse_plan, plan_section};
use bugle_store::{SqliteStore, TaskRow, TaskStore as _};

use super::OpenRun;
use crate::evidence::ImportedPlan;
use crate::plan::{ImportRequest, PlanIndex};
use crate::task::{carry_out, there};
use crate::{App, AppError, Place};

/// What a decision does to tasks.
pub(super) struct TaskEffects {
    /// What happens to which, in this order.
    pub effects: Vec<(TaskId, TaskEffect)>,
    /// Whether the run goes back, and what was closed meanwhile is to be done again.
    pub rewound: bool,
}

impl App {
    /// The tasks of the plan with this root, as they stand; none if there is no plan.
    pub(super) fn board(&mut self, root: Option<&TaskId>) -> Result<Option<Board>, AppError> {
        let Some(root) = root else { return Ok(None) };
        let root = there(&mut self.store, root)?;
        let source = match &root.task.plan {
            Some(link) => {
                let plan = self.plan_row(&link.plan)?;
                self.imported_text(&plan)?
            }
            None => String::new(),
        };
        let plan = parse_plan(&source);
        let index = PlanIndex::new(&plan);
        let mut tasks = Vec::new();
        for row in self.store.subtree(&root.project, &root.path)? {
            if row.task.removed.is_some() {
                continue;
            }
            let node = row.task.plan.as_ref().and_then(|link| index.find(link));
            let files = match node {
                Some(Node::Task(index)) => plan.tasks[index]
                    .files
                    .iter()
                    .map(|file| file.path.clone())
                    .collect(),
                _ => Vec::new(),
            };
            let text = node
                .and_then(|node| plan_section(&source, &plan, node))
                .unwrap_or_default();
            let is_root = row.task.id == root.task.id;
            tasks.push(BoardTask {
                waits_for: self.waits_on_board(&row, is_root)?,
                parent: row.task.parent.clone().filter(|_| !is_root),
                substance: if row.task.is_group() || is_root {
                    Substance::Group
                } else {
                    Substance::Work
                },
                standing: row.task.standing,
                brief: TaskBrief {
                    number: row.task.number().unwrap_or_default().to_owned(),
                    text: text.to_owned(),
                    files,
                    skill: row.task.skill,
                    title: row.task.title,
                    id: row.task.id,
                },
            });
        }
        Ok(Some(Board::new(tasks)))
    }

    /// What a task waits for: itself, and for the root also what it lies in. What is closed needs no waiting for.
    fn waits_on_board(&mut self, row: &TaskRow, is_root: bool) -> Result<Vec<TaskId>, AppError> {
        if row.blockers == 0 {
            return Ok(Vec::new());
        }
        if is_root {
            let open = self.store.waits_for(row)?;
            return Ok(open.into_iter().map(|(on, _)| on.task.id).collect());
        }
        let mut waits = Vec::new();
        for on in row.task.waits_for.keys() {
            if there(&mut self.store, on)?.task.is_open() {
                waits.push(on.clone());
            }
        }
        Ok(waits)
    }

    /// Imports a plan for a run, or says why not.
    pub(super) fn import_for(&mut self, run: &OpenRun, file: &Path) -> Result<ImportedPlan, String> {
        let request = ImportRequest {
            file: Path::new(&run.directory).join(file),
            under: None,
            was: None,
            another: true,
            trust_checkboxes: false,
            drop_active: false,
        };
        // The plan belongs to the run's project, wherever its commands are run.
        let there = self.place.moved_to(Path::new(&run.directory));
        let here = std::mem::replace(&mut self.place, there);
        let imported = self.import_plan(&request);
        self.place = here;
        match imported {
            Ok(imported) => Ok(ImportedPlan {
                root: imported
                    .plan
                    .root
                    .parse()
                    .map_err(|_| "its id cannot be read".to_owned())?,
                tasks: imported.plan.tasks,
            }),
            Err(AppError::Refused(refusal)) => {
                let details = refusal.details.join("; ");
                Err(format!("{} {details} {}", refusal.message, refusal.remedy))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Does to the tree what a decision about a run means for its tasks, inside the transaction that records it. False if a
/// task is no longer as the decision found it: then it has to be made anew.
pub(super) fn have_effect(
    store: &mut SqliteStore,
    place: &Place,
    run: &RunState,
    found: Option<&Board>,
    what: &TaskEffects,
) -> Result<bool, AppError> {
    let standing = |id: &TaskId| {
        let tasks = found.map(Board::tasks).unwrap_or_default();
        tasks
            .iter()
            .find(|task| task.brief.id == *id)
            .map(|task| task.standing)
    };
    for (id, _) in &what.effects {
        let row = there(store, id)?;
        if standing(id).is_some_and(|standing| standing != row.task.standing) {
            return Ok(false);
        }
    }
    for (id, effect) in &what.effects {
        let row = there(store, id)?;
        if row.task.removed.is_some() {
            continue;
        }
        let closed = !row.task.standing.is_open();
        for command in commands(effect, &run.id, closed, what.rewound) {
            carry_out(store, place, id, &command)?;
        }
        close_groups(store, place, &row)?;
    }
    Ok(true)
}

/// What an effect asks of a task. What was closed by somebody else stays so, unless the run goes back.
fn commands(effect: &TaskEffect, run: &RunId, closed: bool, rewound: bool) -> Vec<TaskCommand> {
    let reason = |text: &String| {
        if text.trim().is_empty() {
            "no reason was given".to_owned()
        } else {
            text.clone()
        }
    };
    let start = TaskCommand::Start {
        agent: None,
        run: Some(run.clone()),
        take_over: true,
    };
    match effect {
        TaskEffect::Start if closed => vec![TaskCommand::Reopen, start],
        TaskEffect::Start => vec![start],
        TaskEffect::Release if closed && !rewound => Vec::new(),
        TaskEffect::Release => vec![TaskCommand::Reopen],
        _ if closed => Vec::new(),
        TaskEffect::Done => vec![TaskCommand::Done],
        TaskEffect::Skip { reason: why } => vec![TaskCommand::Skip {
            reason: Some(reason(why)),
        }],
        TaskEffect::Fail { reason: why } => vec![TaskCommand::Fail { reason: reason(why) }],
        TaskEffect::Block { reason: why } => vec![TaskCommand::Block { reason: reason(why) }],
    }
}

/// Groups are over with the last of their tasks: nobody who follows a workflow has to close them.
fn close_groups(store: &mut SqliteStore, place: &Place, row: &TaskRow) -> Result<(), AppError> {
    for above in store.above(row)? {
        // Read anew: the group below it may just have been closed.
        let above = there(store, &above.task.id)?;
        if above.task.is_group() && !above.task.is_open() {
            continue;
        }
        let over = above.task.is_group() && above.task.is_open() && above.open_children == 0;
        if !over || above.blockers > 0 {
            return Ok(());
        }
        carry_out(store, place, &above.task.id, &TaskCommand::Done)?;
    }
    Ok(())
}
