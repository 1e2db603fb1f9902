//! The wake-up pages: the list, and one wake-up compared with the previous wake-up of its agent.

use bugle_core::id::{BadId, WakeupId};
use bugle_core::reply::{WakeupDetail, WakeupSummary};
use bugle_store::Store;
use serde::Serialize;

use crate::wakeup::summary;
use crate::{AppError, Context, projects, wakeup};

/// Maximum number of wake-ups on a page.
const WAKEUPS_PER_PAGE: u32 = 50;

/// A page of wake-ups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupsPage {
    /// The wake-ups, latest first.
    pub wakeups: Vec<WakeupSummary>,
    /// The last wake-up on this page, if there is a next page.
    pub next: Option<String>,
    /// Whether there is a previous page.
    pub later: bool,
}

/// A wake-up compared with the previous wake-up of its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupPage {
    /// The wake-up.
    pub detail: WakeupDetail,
    /// The agent's previous wake-up.
    pub before: Option<WakeupSummary>,
    /// The line diff from the previous wake-up: `-` marks removed lines, `+` added lines, and a space unchanged lines.
    pub difference: Vec<String>,
}

/// A page of this project's wake-ups, latest first. The page starts after the wake-up `behind`, if given.
pub fn wakeups_page(store: &mut Store, ctx: &Context, behind: Option<&str>) -> Result<WakeupsPage, AppError> {
    let before: Option<WakeupId> =
        behind
            .map(str::parse)
            .transpose()
            .map_err(|bad: BadId| AppError::Usage {
                what: bad.to_string(),
                hints: Vec::new(),
            })?;
    let mut rows = match projects::project(store, ctx)? {
        Some(project) => store.wakeups_page(&project, before.as_ref(), WAKEUPS_PER_PAGE + 1)?,
        None => Vec::new(),
    };
    let more = rows.len() > WAKEUPS_PER_PAGE as usize;
    rows.truncate(WAKEUPS_PER_PAGE as usize);
    Ok(WakeupsPage {
        next: rows.last().filter(|_| more).map(|row| row.id.to_string()),
        wakeups: rows.iter().map(summary).collect(),
        later: before.is_some(),
    })
}

/// A wake-up and its diff from the previous wake-up of its agent.
pub fn wakeup_page(store: &mut Store, ctx: &Context, id: &str) -> Result<WakeupPage, AppError> {
    let row = wakeup::wakeup_row(store, ctx, id)?;
    let detail = wakeup::show_wakeup(store, ctx, id)?;
    let before = store.wakeup_before(&row)?;
    let difference = match &before {
        Some(before) => wakeup::compare_wakeups(store, ctx, before.id.as_str(), row.id.as_str())?.lines,
        None => Vec::new(),
    };
    Ok(WakeupPage {
        detail,
        before: before.as_ref().map(summary),
        difference,
    })
}
