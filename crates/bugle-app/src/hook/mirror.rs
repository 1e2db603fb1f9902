//! The client's own list of things to do becomes tasks, and stays in step with it.

use bugle_core::hook::{MirrorAct, Mirrored, TodoState, mirror};
use bugle_core::id::{SessionId, TaskId};
use bugle_core::task::{Standing, TaskCommand};
use bugle_render::hook as words;
use bugle_store::{SessionStore as _, TaskStore as _};
use bugle_wire::hook::HookCall;

use crate::holder::worker;
use crate::task::{AddRequest, task_id};
use crate::{App, AppError};

impl App {
    /// Brings the tasks that stand for the list in step with it.
    pub(super) fn mirror(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        change: &Mirrored,
    ) -> Result<(), AppError> {
        let mut row = self.session_row(call, session)?;
        let memory = &mut row.memory;
        // A list that is over is left as it is; what comes next is another one.
        let over = match &memory.list {
            Some(list) => {
                let list = self.store.task(list)?;
                list.is_none_or(|list| !list.task.standing.is_open() || list.task.removed.is_some())
            }
            None => true,
        };
        if over {
            memory.list = None;
            memory.listed.clear();
        }
        let acts = mirror(&memory.listed, change);
        if acts.is_empty() {
            return Ok(());
        }
        let list = match &memory.list {
            Some(list) => list.clone(),
            None => self.new_list(session, call)?,
        };
        memory.list = Some(list.clone());
        for act in acts {
            match act {
                MirrorAct::Add { key, title, state } => {
                    let task = self.added(&title, Some(&list))?;
                    self.bring(&task, state)?;
                    memory.listed.insert(key, task);
                }
                MirrorAct::Set { task, title, state } => {
                    if let Some(title) = title {
                        self.quietly(&task, &TaskCommand::Retitle(title))?;
                    }
                    if let Some(state) = state {
                        self.bring(&task, state)?;
                    }
                }
                MirrorAct::Drop { key, task } => {
                    // What is done stays done; what is not is no longer meant to be.
                    if self.standing(&task)?.is_some_and(Standing::is_open) {
                        self.quietly(&task, &TaskCommand::Remove)?;
                    }
                    memory.listed.remove(&key);
                }
            }
        }
        let mut open = false;
        for task in memory.listed.values() {
            open |= self.standing(task)?.is_some_and(Standing::is_open);
        }
        if !open {
            self.quietly(&list, &TaskCommand::Done)?;
        }
        Ok(self.store.keep_session(&row)?)
    }

    /// The task for a new list: in the task that the agent is at, if it is at one.
    fn new_list(&mut self, session: &SessionId, call: &HookCall) -> Result<TaskId, AppError> {
        let run = self.main_run(session)?;
        let title = words::list_title(
            call.client.title(),
            run.as_ref().map(|run| (run.skill.as_str(), run.id.as_str())),
        );
        let own = self.own_tasks(None)?;
        let under = match own.first() {
            Some(task) => Some(task_id(&task.id)?),
            None => None,
        };
        let list = self.added(&title, under.as_ref())?;
        self.bring(&list, TodoState::Active)?;
        Ok(list)
    }

    fn added(&mut self, title: &str, under: Option<&TaskId>) -> Result<TaskId, AppError> {
        let agent = worker(&mut self.store, &self.place)?.map(|worker| worker.name);
        let changed = self.add_tasks(&AddRequest {
            titles: vec![title.to_owned()],
            under: under.cloned(),
            agent,
            ..AddRequest::default()
        })?;
        let added = changed
            .tasks
            .first()
            .ok_or_else(|| AppError::System("a task that was added is not there".to_owned()))?;
        task_id(&added.id)
    }

    fn standing(&mut self, task: &TaskId) -> Result<Option<Standing>, AppError> {
        let row = self.store.task(task)?;
        Ok(row
            .filter(|row| row.task.removed.is_none())
            .map(|row| row.task.standing))
    }

    /// Brings a task to where the list has it.
    fn bring(&mut self, task: &TaskId, state: TodoState) -> Result<(), AppError> {
        let Some(standing) = self.standing(task)? else {
            return Ok(());
        };
        let start = TaskCommand::Start {
            agent: None,
            run: None,
            take_over: false,
        };
        match (state, standing) {
            (TodoState::Pending, Standing::Pending)
            | (TodoState::Active, Standing::Active)
            | (TodoState::Done, Standing::Done) => Ok(()),
            (TodoState::Pending, _) => self.quietly(task, &TaskCommand::Reopen),
            (TodoState::Active, standing) => {
                if !standing.is_open() {
                    self.quietly(task, &TaskCommand::Reopen)?;
                }
                self.quietly(task, &start)
            }
            (TodoState::Done, _) => self.quietly(task, &TaskCommand::Done),
        }
    }

    /// Does something to a task; what the rules refuse is left: the list is the agent's, the tree has its own rules.
    fn quietly(&mut self, task: &TaskId, command: &TaskCommand) -> Result<(), AppError> {
        match self.change_task(task, command) {
            Ok(_) | Err(AppError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
