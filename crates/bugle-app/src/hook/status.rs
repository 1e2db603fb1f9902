//! What stands open in a session, in one line.

use bugle_core::engine::Status;
use bugle_render::hook as words;
use bugle_store::MessageStore as _;

use crate::{App, AppError};

impl App {
    /// The run, its step, the task and the unread messages of the session that acts here; nothing if nothing is open.
    pub fn status_line(&mut self) -> Result<Option<String>, AppError> {
        let Some(session) = self.place.session.clone() else {
            return Ok(None);
        };
        let run = self.main_run(&session)?;
        let title = match &run {
            Some(row) => {
                let open = self.read(&row.id)?;
                let step = open
                    .state
                    .current()
                    .and_then(|visit| open.workflow.step(&visit.step));
                step.map(|step| step.title.clone()).unwrap_or_default()
            }
            None => String::new(),
        };
        let own = self.own_tasks(None)?;
        let unread = match self.mailbox_here()? {
            Some((project, agent)) => {
                let unread = self.store.unread(&project, &agent, 1)?;
                unread.rows.len() as u64 + unread.more
            }
            None => 0,
        };
        let line = words::status_line(
            run.as_ref().map(|row| {
                let waits = row.status == Status::Waiting;
                (row.skill.as_str(), row.id.as_str(), title.as_str(), waits)
            }),
            own.first().map(|task| task.label.as_str()),
            unread,
        );
        Ok(Some(line).filter(|line| !line.is_empty()))
    }
}
