//! Taking the first task that can start, and what to say if none can.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::task::TaskCommand;
use bugle_store::TaskStore as _;
use bugle_wire::TaskName;

use super::change::change_by_hand;
use super::held::first_for;
use super::{TaskScope, name_of};
use crate::{App, AppError};

/// How many tasks are looked at for those of one agent.
const MOST_LOOKED_AT: u32 = 200;
/// How many tasks that can start elsewhere are named.
const MOST_ELSEWHERE: usize = 3;

impl App {
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
        let plan_runs = self.plan_runs()?;
        let place = &self.place;
        self.store.together(|store| {
            // A task that is assigned to an agent is for that agent. Mostly the first task is free, and others wait.
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
            change_by_hand(store, place, &plan_runs, &row.task.id, &command)?;
            Ok(Some(row.task.id.clone()))
        })
    }

    /// Why `claim_task` found nothing to take in a part of the tree.
    pub fn nothing_to_claim(
        &mut self,
        scope: &TaskScope,
        agent: Option<&AgentName>,
    ) -> Result<AppError, AppError> {
        let mut hints: Vec<String> = self
            .own_tasks(agent)?
            .into_iter()
            .map(|task| format!("You are at {} ({}).", task.label, task.id))
            .collect();
        let elsewhere = self.startable_elsewhere(scope, agent)?;
        let what = if elsewhere.is_empty() {
            "no task can start now"
        } else {
            "no task can start where work stands"
        };
        for task in elsewhere {
            let start = self.place.command(&["task", "start", &task.id]);
            hints.push(format!(
                "Elsewhere in this project: {}. `{start}` begins it.",
                task.label
            ));
        }
        let list = self.place.command(&["task", "list"]);
        hints.push(format!("`{list}` shows what is open, and what it waits for."));
        Ok(AppError::NotFound {
            what: what.to_owned(),
            hints,
        })
    }

    /// A few tasks of the project that this one may begin, if the part of the tree that was looked at was not named.
    fn startable_elsewhere(
        &mut self,
        scope: &TaskScope,
        agent: Option<&AgentName>,
    ) -> Result<Vec<TaskName>, AppError> {
        let here = self.startable(scope)?.filter(|_| *scope == TaskScope::Here);
        let Some(within) = here.filter(|within| within.path.is_some()) else {
            return Ok(Vec::new());
        };
        let worker = self.worker_for(&within.project, agent)?;
        let mut found = Vec::new();
        for row in self.store.ready(&within.project, None, true, MOST_LOOKED_AT)? {
            let row = first_for(&mut self.store, &self.place, vec![row], worker.as_ref())?;
            found.extend(row.map(|row| name_of(&row.task)));
            if found.len() == MOST_ELSEWHERE {
                break;
            }
        }
        Ok(found)
    }

    /// The tasks that an agent works on; without a name, the one that acts here.
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
}
