//! Changing tasks: read what is around one, decide, append, all in one transaction.

use std::collections::BTreeSet;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::rights::Action;
use bugle_core::task::{Around, Task, TaskChanges, TaskCommand, TaskEvent, WaitSource, decide_task};
use bugle_render::task_words::{self, label, spoken};
use bugle_store::{SqliteStore, TaskRow, TaskStore as _, TaskWait};
use bugle_wire::TasksChanged;

use super::held::begun_by;
use super::refusal::{refuse_cycle, refused};
use super::rights::{PlanRun, permitted};
use super::{recorded, recorded_by, skill, task_view};
use crate::plan::reorder_plan;
use crate::{App, AppError, Place};

/// How many tasks besides those that were named an answer names.
const MOST_NAMED: usize = 10;

impl App {
    /// Does something to a task.
    pub fn change_task(&mut self, id: &TaskId, command: &TaskCommand) -> Result<TasksChanged, AppError> {
        self.change_task_by(id, std::slice::from_ref(command))
    }

    /// Does several things to a task, all or none.
    pub fn change_task_by(
        &mut self,
        id: &TaskId,
        commands: &[TaskCommand],
    ) -> Result<TasksChanged, AppError> {
        let row = self.task_row(id)?;
        let plan_runs = match &row.task.plan {
            Some(_) => self.plan_runs()?,
            None => Vec::new(),
        };
        let id = row.task.id;
        let place = &self.place;
        let (changed, mut also) = self.store.together(|store| {
            let mut changed = false;
            let mut also = Vec::new();
            for command in commands {
                let (did, others) = change_by_hand(store, place, &plan_runs, &id, command)?;
                changed |= did;
                also.extend(others);
            }
            Ok::<_, AppError>((changed, also))
        })?;
        if !changed {
            also.push("It was so already.".to_owned());
        }
        let row = self.task_row(&id)?;
        let said: Option<Vec<String>> = commands
            .iter()
            .map(|command| task_words::said(&row.task, command))
            .collect();
        match said {
            // What is only said about a task leaves work where it is.
            Some(said) if row.task.removed.is_none() => Ok(TasksChanged {
                message: said.join("\n"),
                tasks: vec![task_view(&row, self.is_begun(&row)?)],
                also,
                next: None,
            }),
            _ => self.changed(&id, also),
        }
    }

    /// Has a task wait for others, or no longer.
    pub fn depend_task(
        &mut self,
        id: &TaskId,
        on: &[TaskId],
        no_more: bool,
    ) -> Result<TasksChanged, AppError> {
        let task = self.task_row(id)?.task;
        let id = task.id;
        let on = self.whole_ids(on)?;
        let is_order = |on: &TaskId| task.waits_for.get(on) == Some(&WaitSource::Order);
        let waives = no_more && on.iter().any(is_order);
        let mut acting = self.place.clone();
        if waives {
            let named = [id.as_str()].into_iter().chain(on.iter().map(TaskId::as_str));
            let words: Vec<&str> = ["task", "depend", "--no-more"].into_iter().chain(named).collect();
            // The order of a plan binds agents: only the user waives it.
            acting.actor = self.permit(Action::WaiveOrder, &words)?;
        }
        let place = &acting;
        let also = self.store.together(|store| {
            let row = there(store, &id)?;
            let mut changes = TaskChanges::new();
            let mut also = Vec::new();
            let mut edges = Vec::new();
            let mut plans: BTreeSet<PlanId> = plan_of(&row).into_iter().collect();
            for on in on {
                let other = there(store, &on)?;
                if other.project != row.project {
                    return Err(AppError::Usage {
                        what: format!("{on} belongs to another project"),
                        hints: Vec::new(),
                    });
                }
                let said = row.task.waits_for.get(&on).copied();
                // To make sure of the plan's order is to say so by hand.
                let known = said.is_some_and(|said| no_more || said != WaitSource::Order);
                also.push(match (no_more, known) {
                    (true, true) => format!("It no longer waits for {}.", spoken(&other.task)),
                    (true, false) => format!("It did not wait for {}.", spoken(&other.task)),
                    (false, false) => format!("It waits for {} now.", spoken(&other.task)),
                    (false, true) => format!("It waited for {} already.", spoken(&other.task)),
                });
                match (no_more, known) {
                    (true, true) if said == Some(WaitSource::Order) => {
                        if !waives {
                            return Err(AppError::System(format!(
                                "another process has just changed {id}; try again"
                            )));
                        }
                        changes.push((id.clone(), TaskEvent::OrderWaived { on }));
                    }
                    (true, true) => changes.push((id.clone(), TaskEvent::WaitsNoMore { on })),
                    (false, false) => {
                        plans.extend(plan_of(&other));
                        edges.push(wait(&row, &other));
                        let says = WaitSource::Hand;
                        changes.push((id.clone(), TaskEvent::Waits { on, says }));
                    }
                    (true, false) | (false, true) => {}
                }
            }
            refuse_cycle(store, place, &row.project, &edges, &[])?;
            if !changes.is_empty() {
                store.change_tasks(&row.project, &recorded(place, changes))?;
                for plan in &plans {
                    reorder_plan(store, place, plan)?;
                }
                refuse_cycle(store, place, &row.project, &[], &[])?;
            }
            Ok::<_, AppError>(also)
        })?;
        self.changed(&id, also)
    }

    pub(super) fn whole_ids(&mut self, ids: &[TaskId]) -> Result<Vec<TaskId>, AppError> {
        ids.iter().map(|id| Ok(self.task_row(id)?.task.id)).collect()
    }

    pub(super) fn changed(&mut self, id: &TaskId, also: Vec<String>) -> Result<TasksChanged, AppError> {
        self.changed_views(std::slice::from_ref(id), also)
    }

    /// What a command has changed, and where work stands now.
    pub(super) fn changed_views(
        &mut self,
        ids: &[TaskId],
        also: Vec<String>,
    ) -> Result<TasksChanged, AppError> {
        let mut tasks = Vec::new();
        let mut messages = Vec::new();
        let mut project = None;
        for id in ids {
            let row = self.task_row(id)?;
            let became = match &row.task.removed {
                Some(_) => "is out of the tree; `reopen` puts it back",
                None => task_words::became(row.task.standing),
            };
            messages.push(format!("{id} {} {became}.", label(&row.task)));
            tasks.push(task_view(&row, self.is_begun(&row)?));
            project = Some(row.project);
        }
        let next = match project {
            Some(project) => self.position_of(project, None)?.map(|at| at.view),
            None => None,
        };
        let mut also = also;
        if next.is_none() {
            also.push("Every task here is closed.".to_owned());
        }
        Ok(TasksChanged {
            message: messages.join("\n"),
            tasks,
            also,
            next,
        })
    }
}

/// A task that must be there.
pub(crate) fn there(store: &mut SqliteStore, id: &TaskId) -> Result<TaskRow, AppError> {
    store.task(id)?.ok_or_else(|| AppError::NotFound {
        what: format!("there is no task {id}"),
        hints: vec!["`bugle task list` shows the tasks of a project.".to_owned()],
    })
}

/// Does something to a task inside a transaction, because a run or an import does: whether anything changed, and what became
/// of others.
pub(crate) fn carry_out(
    store: &mut SqliteStore,
    place: &Place,
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<String>), AppError> {
    change_in(store, place, None, id, command)
}

/// The same for an agent or person who asks for it, and may not be allowed to.
pub(super) fn change_by_hand(
    store: &mut SqliteStore,
    place: &Place,
    plan_runs: &[PlanRun],
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<String>), AppError> {
    change_in(store, place, Some(plan_runs), id, command)
}

fn change_in(
    store: &mut SqliteStore,
    place: &Place,
    by_hand: Option<&[PlanRun]>,
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<String>), AppError> {
    let row = there(store, id)?;
    let command = &begun_by(store, place, &row, command)?;
    let above = tasks(store.above(&row)?);
    let inside = match command {
        TaskCommand::Done | TaskCommand::Skip { .. } | TaskCommand::Reopen | TaskCommand::Remove => {
            tasks(store.subtree(&row.project, &row.path)?.split_off(1))
        }
        _ => Vec::new(),
    };
    let waits = store.waits_for(&row)?.into_iter();
    let (in_order, declared): (Vec<_>, Vec<_>) = waits.partition(|(_, says)| *says == WaitSource::Order);
    let ids = |rows: Vec<(TaskRow, WaitSource)>| -> Vec<TaskId> {
        rows.into_iter().map(|(row, _)| row.task.id).collect()
    };
    let (comes_after, waits_for) = (ids(in_order), ids(declared));
    let around = Around {
        above: &above,
        inside: &inside,
        waits_for: &waits_for,
        comes_after: &comes_after,
    };
    let changes = match decide_task(&row.task, around, command) {
        Ok(changes) => changes,
        Err(refusal) => return Err(refused(store, place, &row.task, &refusal)?),
    };
    let actor = match by_hand {
        Some(plan_runs) => permitted(store, place, plan_runs, &changes)?,
        None => place.actor.clone(),
    };
    let did = !changes.is_empty();
    let mut also = told(store, &changes, std::slice::from_ref(id))?;
    store.change_tasks(&row.project, &recorded_by(&actor, changes))?;
    let closes = matches!(
        command,
        TaskCommand::Done | TaskCommand::Skip { .. } | TaskCommand::Remove
    );
    if did && closes {
        if let Some(plan) = plan_of(&row).filter(|_| !comes_after.is_empty()) {
            // What was closed before its turn lets nothing overtake what is open before it.
            reorder_plan(store, place, &plan)?;
        }
        also.extend(close_phase(store, place, &row)?);
    }
    if did && *command == TaskCommand::Reopen {
        // What was closed may have come to wait for what waits for it.
        refuse_cycle(store, place, &row.project, &[], &[])?;
    }
    let works = !matches!(
        command,
        TaskCommand::Note(_)
            | TaskCommand::Retitle(_)
            | TaskCommand::NameSkill(_)
            | TaskCommand::Assign(_)
            | TaskCommand::Remove
    );
    if works {
        store.set_focus(&row.project, place.session.as_ref(), &row.root)?;
    }
    if did && matches!(command, TaskCommand::Start { .. }) {
        let started = there(store, id)?;
        skill::keep_to(store, place, &started)?;
    }
    Ok((did, also))
}

/// Closes the phase of a task if nothing in the phase is open any more: the next phase waits for it. The agent closes the
/// plan as a whole.
fn close_phase(store: &mut SqliteStore, place: &Place, row: &TaskRow) -> Result<Vec<String>, AppError> {
    let Some(parent) = &row.task.parent else {
        return Ok(Vec::new());
    };
    let phase = there(store, parent)?;
    let outer = match &phase.task.parent {
        Some(outer) => there(store, outer)?,
        None => return Ok(Vec::new()),
    };
    let is_phase = phase.task.is_group() && plan_of(&phase) == plan_of(&outer);
    if !is_phase || !phase.task.is_open() || phase.open_children > 0 || phase.blockers > 0 {
        return Ok(Vec::new());
    }
    let mut also = vec![format!("{parent} {}: done", label(&phase.task))];
    also.extend(carry_out(store, place, parent, &TaskCommand::Done)?.1);
    Ok(also)
}

fn plan_of(row: &TaskRow) -> Option<PlanId> {
    row.task.plan.as_ref().map(|link| link.plan.clone())
}

pub(super) fn tasks(rows: Vec<TaskRow>) -> Vec<Task> {
    rows.into_iter().map(|row| row.task).collect()
}

/// What happens to tasks besides those that were named, a line each.
pub(super) fn told(
    store: &mut SqliteStore,
    changes: &TaskChanges,
    named: &[TaskId],
) -> Result<Vec<String>, AppError> {
    let mut lines = Vec::new();
    let others: Vec<_> = changes
        .iter()
        .filter(|(id, event)| !named.contains(id) && !matches!(event, TaskEvent::Moved { .. }))
        .collect();
    for (id, event) in others.iter().take(MOST_NAMED) {
        let title = store.task(id)?.map(|row| label(&row.task)).unwrap_or_default();
        lines.push(format!("{id} {title}: {}", task_words::event(event).1));
    }
    if others.len() > MOST_NAMED {
        lines.push(format!("and {} more", others.len() - MOST_NAMED));
    }
    Ok(lines)
}

fn wait(row: &TaskRow, on: &TaskRow) -> TaskWait {
    TaskWait {
        task: (row.task.id.clone(), row.path.clone()),
        on: (on.task.id.clone(), on.path.clone()),
        says: WaitSource::Hand,
    }
}
