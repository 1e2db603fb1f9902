//! Spending limits from the project's and the user's settings. Bugle starts no more turns or agents for an agent or
//! run that has reached a limit, and notifies the user once.

use bugle_core::agent::{Expense, Reached};
use bugle_core::id::RunId;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, Store};

use crate::settings::Settings;
use crate::store_location::SETTINGS_FILE;
use crate::{AppError, Context, addresses, messages, projects};

/// The agent or run whose spending is limited.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spender<'a> {
    /// One agent.
    Agent(&'a AgentRow),
    /// All agents that work for a run.
    Run(&'a RunId),
}

/// The limit that an agent or a run has reached, if any. Notifies the user when the limit is first reached.
pub(crate) fn limit_reached(
    store: &mut Store,
    ctx: &Context,
    spender: Spender<'_>,
    expense: Expense,
) -> Result<Option<Reached>, AppError> {
    let settings = Settings::load(ctx);
    let (limits, spent, whose) = match spender {
        Spender::Agent(row) => (settings.agent, row.spent, format!("@{}", row.address)),
        Spender::Run(run) => (
            settings.run,
            store.spent_on_run(run)?,
            format!("run {run} with all its agents"),
        ),
    };
    let Some(reached) = limits.reached(&spent, expense) else {
        return Ok(None);
    };
    let project = match spender {
        Spender::Agent(row) => row.project.clone(),
        Spender::Run(_) => projects::ensure_project(store, ctx)?,
    };
    let here = match spender {
        Spender::Agent(row) => row.address.home(),
        Spender::Run(_) => addresses::home(ctx),
    };
    // A limit that is reached again after it was raised causes another notice.
    let what = format!(
        "limit {whose} {} {} {}",
        reached.cap.as_str(),
        reached.limit,
        settings.notices.join(" ")
    );
    let mut text = format!(
        "{whose} has reached a limit: {reached}. Bugle will not start more work for it until you raise \
         `limits` in .bugle/{SETTINGS_FILE} or {}.",
        ctx.bugle_home.join(SETTINGS_FILE).display()
    );
    for notice in settings.notices {
        text.push(' ');
        text.push_str(&notice);
    }
    messages::notify_user(
        store,
        ctx,
        &project,
        &AgentAddress::human(&here),
        &text,
        Some(&what),
    )?;
    Ok(Some(reached))
}

/// The error for an action that a limit forbids.
pub(crate) fn beyond_limit(ctx: &Context, what: &str, reached: &Reached) -> AppError {
    let notices = Settings::load(ctx).notices;
    if notices.is_empty() {
        return AppError::Forbidden {
            what: format!("{what}: limit reached: {reached}"),
            hints: vec![format!(
                "To continue, raise `limits` in .bugle/{SETTINGS_FILE} or {}.",
                ctx.bugle_home.join(SETTINGS_FILE).display()
            )],
        };
    }
    AppError::Forbidden {
        what: format!("{what}: cannot read the limits"),
        hints: notices,
    }
}

/// The limit of the agent or of its run that prevents another turn.
pub(crate) fn limit_of(
    store: &mut Store,
    ctx: &Context,
    row: &AgentRow,
) -> Result<Option<Reached>, AppError> {
    if let Some(reached) = limit_reached(store, ctx, Spender::Agent(row), Expense::Turn)? {
        return Ok(Some(reached));
    }
    match &row.run {
        Some(run) => limit_reached(store, ctx, Spender::Run(run), Expense::Turn),
        None => Ok(None),
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
