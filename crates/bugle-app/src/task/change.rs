//! Changing tasks: read what is around one, decide, append, all in one transaction.

use std::collections::BTreeSet;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::name::AgentName;
use bugle_core::task::{
    Around, Task, TaskChanges, TaskCommand, TaskEvent, TaskRefusal, WaitSource, Waiting, break_cycles,
    decide_task,
};
use bugle_render::task_words::{self, label, spoken};
use bugle_store::{ProjectId, SqliteStore, TaskRow, TaskStore as _, TaskWait};
use bugle_wire::{RefusalView, TaskName, TasksChanged};

use super::held::{begun_by, first_for};
use super::{TaskScope, name_of, recorded, skill, task_view};
use crate::plan::reorder_plan;
use crate::{App, AppError, Place};

/// How many tasks are looked at for those of one agent.
const MOST_LOOKED_AT: u32 = 200;
/// How many tasks a refusal names.
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
        let id = self.task_row(id)?.task.id;
        let place = &self.place;
        let (changed, mut also) = self.store.together(|store| {
            let mut changed = false;
            let mut also = Vec::new();
            for command in commands {
                let (did, others) = carry_out(store, place, &id, command)?;
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

    /// Takes the first task that can start, so that nobody else gets it; nothing if none can.
    pub fn claim_task(
        &mut self,
        scope: &TaskScope,
        agent: Option<&AgentName>,
    ) -> Result<Option<TaskId>, AppError> {
        let Some(within) = self.startable(scope)? else {
            return Ok(None);
        };
        let worker = self.worker_for(&within.project, agent)?;
        let place = &self.place;
        self.store.together(|store| {
            // What was given to somebody is that one's. Mostly the first is free, and others wait meanwhile.
            let mut found = None;
            for limit in [1, MOST_LOOKED_AT] {
                let ready = store.ready(&within.project, within.path.as_ref(), true, limit)?;
                found = first_for(store, place, ready, worker.as_ref())?;
                if found.is_some() {
                    break;
                }
            }
            let Some(row) = found else { return Ok(None) };
            let command = TaskCommand::Start {
                agent: agent.cloned(),
                run: None,
                take_over: false,
            };
            carry_out(store, place, &row.task.id, &command)?;
            Ok(Some(row.task.id.clone()))
        })
    }

    /// The tasks that an agent, or whoever acts here, is at.
    pub fn own_tasks(&mut self, agent: Option<&AgentName>) -> Result<Vec<TaskName>, AppError> {
        let Some(project) = self.project()? else {
            return Ok(Vec::new());
        };
        let Some(worker) = self.worker_for(&project, agent)? else {
            return Ok(Vec::new());
        };
        let under_way = self.store.active(&project, None, MOST_LOOKED_AT)?;
        let mut own = Vec::new();
        for row in &under_way {
            if self.is_held_by(row, &worker)? {
                own.push(name_of(&row.task));
            }
        }
        Ok(own)
    }

    /// Has a task wait for others, or no longer.
    pub fn depend_task(
        &mut self,
        id: &TaskId,
        on: &[TaskId],
        no_more: bool,
    ) -> Result<TasksChanged, AppError> {
        let id = self.task_row(id)?.task.id;
        let on = self.whole_ids(on)?;
        let place = &self.place;
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
                        refuse_waiving(place)?;
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

/// Does something to a task inside a transaction: whether anything changed, and what became of others.
pub(crate) fn carry_out(
    store: &mut SqliteStore,
    place: &Place,
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
    let did = !changes.is_empty();
    let mut also = told(store, &changes, std::slice::from_ref(id))?;
    store.change_tasks(&row.project, &recorded(place, changes))?;
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

/// The order of a plan binds agents; a person can waive it.
fn refuse_waiving(place: &Place) -> Result<(), AppError> {
    if place.session.is_none() {
        return Ok(());
    }
    Err(AppError::Forbidden {
        what: "the order of a plan is waived by the user, in a terminal of their own".to_owned(),
        hints: vec![
            "Do the tasks in order, or ask the user to declare in the plan what can run in parallel."
                .to_owned(),
        ],
    })
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

fn waiting(waits: &[TaskWait]) -> Vec<Waiting> {
    let waits = waits.iter();
    waits
        .map(|wait| Waiting {
            task: wait.task.1.clone(),
            on: wait.on.1.clone(),
        })
        .collect()
}

/// Refuses if the tasks of a project would wait for each other in a circle, with these besides. The order of a plan gives
/// way to what is declared. Tasks that are new will not be there once that is refused.
pub(crate) fn refuse_cycle(
    store: &mut SqliteStore,
    place: &Place,
    project: &ProjectId,
    more: &[TaskWait],
    new: &[TaskId],
) -> Result<(), AppError> {
    let (ordered, mut waits): (Vec<TaskWait>, Vec<TaskWait>) = store
        .waiting(project)?
        .into_iter()
        .partition(|wait| wait.says == WaitSource::Order);
    waits.extend_from_slice(more);
    let circle = match break_cycles(&waiting(&waits), &waiting(&ordered)) {
        Ok(dropped) => {
            let dropped = dropped.into_iter().map(|place| &ordered[place]);
            let changes: TaskChanges = dropped
                .map(|wait| {
                    let on = wait.on.0.clone();
                    (wait.task.0.clone(), TaskEvent::WaitsNoMore { on })
                })
                .collect();
            store.change_tasks(project, &recorded(place, changes))?;
            return Ok(());
        }
        Err(circle) => circle,
    };
    let mut named = circle.iter().map(|edge| &waits[*edge].task.0);
    let first = named.find(|id| !new.contains(id)).cloned();
    let mut details = Vec::new();
    for edge in circle.iter().take(MOST_NAMED) {
        let (task, on) = (
            there(store, &waits[*edge].task.0)?,
            there(store, &waits[*edge].on.0)?,
        );
        details.push(format!(
            "{} {} waits for {} {}",
            task.task.id,
            label(&task.task),
            on.task.id,
            label(&on.task)
        ));
    }
    Err(AppError::Refused(Box::new(RefusalView {
        code: "circle".to_owned(),
        message: "Then tasks would wait for each other in a circle, and none of them could ever start.".to_owned(),
        details,
        outline: None,
        remedy: "Nothing was changed. A task also waits for what anything it lies in waits for, and cannot be closed \
                 before what lies in it."
            .to_owned(),
        position: None,
        command: first.map(|id| place.command(&["task", "show", id.as_str()])),
    })))
}

/// A refusal with the names of the tasks it speaks of, and the command that goes on.
pub(crate) fn refused(
    store: &mut SqliteStore,
    place: &Place,
    task: &Task,
    refusal: &TaskRefusal,
) -> Result<AppError, AppError> {
    let named: Vec<TaskId> = match refusal {
        TaskRefusal::OpenInside(ids) | TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => ids.clone(),
        TaskRefusal::ParentRemoved(id) => vec![id.clone()],
        _ => Vec::new(),
    };
    let mut labels = Vec::new();
    for id in named.iter().take(MOST_NAMED) {
        labels.push(format!("{id} {}", label(&there(store, id)?.task)));
    }
    if named.len() > MOST_NAMED {
        labels.push(format!("and {} more", named.len() - MOST_NAMED));
    }
    let own = task.id.as_str();
    let command = match refusal {
        TaskRefusal::OpenInside(_) => Some(place.command(&["task", "list", own])),
        TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => ids
            .first()
            .map(|id| place.command(&["task", "show", id.as_str()])),
        TaskRefusal::Closed(_) | TaskRefusal::Removed => Some(place.command(&["task", "reopen", own])),
        // Not the command that takes it over: whoever runs what is printed would take it from somebody.
        TaskRefusal::Held(_) => Some(place.command(&["task", "ready"])),
        TaskRefusal::ParentRemoved(id) => Some(place.command(&["task", "reopen", id.as_str()])),
        TaskRefusal::Empty(_) | TaskRefusal::TooLong { .. } => None,
    };
    let (code, words) = task_words::refusal(refusal, &label(task), &labels);
    Ok(AppError::Refused(Box::new(RefusalView {
        code: code.to_owned(),
        message: words.message,
        details: words.details,
        outline: None,
        remedy: words.remedy,
        position: None,
        command,
    })))
}
