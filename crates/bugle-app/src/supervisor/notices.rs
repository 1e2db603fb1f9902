//! Reports how Bugle's agents ended, and which agents failed to start.

use bugle_core::agent::{AgentStatus, Delivery, Signal, Spent};
use bugle_core::count::counted;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, RunFilter, Store, SupervisedRow};

use crate::agents::apply_signal;
use crate::ownership::names_of;
use crate::{AppError, Context, agents, messages};

/// Maximum number of open runs to read. Also the maximum number of open tasks.
const MAX_OPEN: u32 = 200;
/// Maximum number of unread messages to compare with a report.
const MAX_UNREAD: u32 = 100;
/// Maximum length of a client's error in a report.
const MAX_ERROR_CHARS: usize = 500;

/// How a client process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientExit {
    /// The exit code, or the negated signal number; `None` if the process could not be started.
    pub code: Option<i32>,
    /// The tokens and cost that the client reported.
    pub spent: Spent,
    /// The client's last error.
    pub error: Option<String>,
}

/// An agent's open runs and tasks.
pub(super) struct OpenWork {
    runs: Vec<String>,
    tasks: Vec<String>,
}

impl OpenWork {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.tasks.is_empty()
    }

    fn summary(&self) -> String {
        let mut parts = Vec::new();
        if !self.runs.is_empty() {
            parts.push(format!("open runs: {}", self.runs.join(", ")));
        }
        if !self.tasks.is_empty() {
            parts.push(format!("open tasks: {}", self.tasks.join(", ")));
        }
        if parts.is_empty() {
            "no open run or task".to_owned()
        } else {
            parts.join("; ")
        }
    }
}

/// The supervisor's next action for an agent that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// No further action.
    Nothing,
    /// Restart the agent.
    Recovered,
    /// Stop restarting the agent, because it crashed too often.
    RecoveryAbandoned,
}

/// Reads an agent's open runs and tasks.
pub(super) fn open_work(store: &mut Store, row: &AgentRow) -> Result<OpenWork, AppError> {
    let runs = match row.runs() {
        Some(scope) => store.runs(&RunFilter {
            scope,
            open_only: true,
            limit: MAX_OPEN,
        })?,
        None => Vec::new(),
    };
    let mut tasks = store.active(&row.project, None, MAX_OPEN)?;
    let names = names_of(row);
    tasks.retain(|task| {
        let holder = task.task.agent.as_ref();
        holder.is_some_and(|holder| names.include(holder.as_str()))
    });
    Ok(OpenWork {
        runs: runs.iter().map(|run| run.id.to_string()).collect(),
        tasks: tasks.iter().map(|row| row.task.id.to_string()).collect(),
    })
}

/// Reports how an agent ended to the agent or user that started it. Records the report in the same transaction, so that
/// each end is reported once. `work` is the agent's open work, if the caller has read it.
pub(super) fn report(
    store: &mut Store,
    ctx: &Context,
    supervised: &SupervisedRow,
    work: Option<OpenWork>,
    afterwards: Afterwards,
) -> Result<(), AppError> {
    let row = &supervised.agent;
    let work = match work {
        Some(work) => work,
        None => open_work(store, row)?,
    };
    let text = report_text(ctx, supervised, &work, afterwards);
    let person = AgentAddress::human(&row.address.home());
    let to = match afterwards {
        Afterwards::RecoveryAbandoned => person,
        Afterwards::Nothing | Afterwards::Recovered => row.started_by.clone().unwrap_or(person),
    };
    let now = ctx.now();
    let posted = store.transaction(|tx| {
        // Read again inside the transaction: another process may have handled the end in the meantime.
        let Some((row, mut delivery)) = agents::agent_with_delivery(tx, &row.project, &row.address)? else {
            return Ok(None);
        };
        if delivery.state != Delivery::Exited {
            return Ok(None);
        }
        if afterwards == Afterwards::Recovered {
            // A recovery can be retried, but is reported only once.
            let what = format!(
                "recovery {} {} {}",
                row.address, row.recoveries, delivery.changed_at.0
            );
            if !tx.record_once(&row.project, &what, now)? {
                return Ok(None);
            }
        } else {
            delivery.state = Delivery::Settled;
            delivery.changed_at = now;
            tx.keep_delivery(&delivery)?;
        }
        let (project, home) = (row.project.clone(), row.address.home());
        if afterwards == Afterwards::RecoveryAbandoned {
            apply_signal(tx, ctx, row, Signal::RecoveryAbandoned)?;
        }
        // Until the reader has seen the first report, further turns that end in the same way are no news.
        let unread = tx.unread(&project, &to, MAX_UNREAD)?;
        if unread.rows.iter().any(|row| row.message.text == text) {
            return Ok(None);
        }
        messages::post_from_bugle(tx, ctx, &project, &home, to.clone(), &text).map(Some)
    })?;
    if let Some(message) = posted {
        messages::notify(ctx, &message);
    }
    Ok(())
}

fn report_text(ctx: &Context, supervised: &SupervisedRow, work: &OpenWork, afterwards: Afterwards) -> String {
    let row = &supervised.agent;
    let home = row.address.home();
    let name = row.address.seen_from(&home);
    let how = exit_text(row.exit_code);
    let unread = supervised.unread;
    let work = work.summary();
    let status = row.state.status.as_str();
    let mut text = format!("@{name} {how}. Status: {status}; unread messages: {unread}; {work}.");
    match afterwards {
        Afterwards::Recovered => {
            text.push_str(&format!(
                " Bugle is restarting the agent (restart {}).",
                row.recoveries + 1
            ));
        }
        Afterwards::RecoveryAbandoned => text.push_str(&format!(
            " The agent crashed {}, so Bugle will not restart it. `{}` shows the log; `{}` restarts the agent.",
            counted(row.recoveries + 1, "time"),
            ctx.command(&["agent", "logs", &name]),
            ctx.command(&["agent", "recover", &name]),
        )),
        Afterwards::Nothing if row.state.status != AgentStatus::Failed => text.push_str(&format!(
            " `{}` prints the agent's answer.",
            ctx.command(&["agent", "result", &name])
        )),
        Afterwards::Nothing => text.push_str(&format!(
            " `{}` shows the agent's log.",
            ctx.command(&["agent", "logs", &name])
        )),
    }
    text
}

/// Notifies the user that Bugle could not start an agent's client. Notifies once per cause.
pub(super) fn report_failed_start(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
    exit: &ClientExit,
) -> Result<(), AppError> {
    let home = row.address.home();
    let name = row.address.seen_from(&home);
    let client = row.client.as_deref().unwrap_or("its client");
    let why = exit.error.as_deref().map_or_else(
        || format!("{client} {} without output", exit_text(exit.code)),
        |error| error.chars().take(MAX_ERROR_CHARS).collect::<String>(),
    );
    let why = why.trim_end_matches('.');
    let text = format!(
        "Cannot start @{name} in {client}: {why}. Its messages are still unread. `{}` retries with a prompt from \
         stdin; `{}` restarts the agent in a new session.",
        ctx.command(&["agent", "prompt", &name, "-"]),
        ctx.command(&["agent", "recover", &name])
    );
    let what = format!("not started {} {why}", row.address);
    messages::notify_user(
        store,
        ctx,
        &row.project,
        &AgentAddress::human(&home),
        &text,
        Some(&what),
    )
}

/// Describes how a process ended, as the predicate of a sentence.
pub(super) fn exit_text(code: Option<i32>) -> String {
    match code {
        Some(code) if code < 0 => format!("was killed by signal {}", -code),
        Some(code) => format!("exited with code {code}"),
        None => "exited".to_owned(),
    }
}
