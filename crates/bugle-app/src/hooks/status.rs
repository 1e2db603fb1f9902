//! A session's status line.

use bugle_core::engine::RunStatus;
use bugle_core::reply::TaskName;
use bugle_render::hook_text;
use bugle_store::Store;

use super::agent_state;
use super::session::main_run;
use crate::{AppError, Context, open_run, tasks};

/// The run, step, task and unread messages of the current session; `None` if nothing is open.
pub fn status_line(store: &mut Store, ctx: &Context) -> Result<Option<String>, AppError> {
    let Some(session) = ctx.session.clone() else {
        return Ok(None);
    };
    let run = main_run(store, &session)?;
    let title = match &run {
        Some(row) => {
            let open = open_run::read(store, &row.id, &row.directory)?;
            let step = open
                .state
                .current()
                .and_then(|visit| open.workflow.step(&visit.step));
            step.map(|step| step.title.clone()).unwrap_or_default()
        }
        None => String::new(),
    };
    let own = tasks::own_tasks(store, ctx, None)?;
    let unread = match agent_state::own_mailbox(store, ctx)? {
        Some((project, agent)) => {
            let unread = store.unread(&project, &agent, 1)?;
            unread.rows.len() as u64 + unread.more
        }
        None => 0,
    };
    let line = hook_text::status_line(
        run.as_ref().map(|row| {
            let waits = row.status == RunStatus::Waiting;
            (row.skill.as_str(), row.id.as_str(), title.as_str(), waits)
        }),
        own.first().map(TaskName::label).as_deref(),
        unread,
    );
    Ok(Some(line).filter(|line| !line.is_empty()))
}
