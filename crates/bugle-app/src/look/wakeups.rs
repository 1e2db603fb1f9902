//! Wake-ups that were given, a page at a time, and one beside the one before it.

use bugle_core::id::{BadId, WakeupId};
use bugle_store::LookStore as _;
use bugle_wire::{WakeupLook, WakeupsLook};

use crate::wake::summary;
use crate::{App, AppError};

/// How many wake-ups are shown at a time.
const WAKEUPS_ON_A_PAGE: u32 = 50;

impl App {
    /// The wake-ups of this project, the latest first: those behind the one that is named.
    pub fn look_at_wakeups(&mut self, behind: Option<&str>) -> Result<WakeupsLook, AppError> {
        let before: Option<WakeupId> =
            behind
                .map(str::parse)
                .transpose()
                .map_err(|bad: BadId| AppError::Usage {
                    what: bad.to_string(),
                    hints: Vec::new(),
                })?;
        let mut rows = match self.project()? {
            Some(project) => self
                .store
                .wakeups_page(&project, before.as_ref(), WAKEUPS_ON_A_PAGE + 1)?,
            None => Vec::new(),
        };
        let more = rows.len() > WAKEUPS_ON_A_PAGE as usize;
        rows.truncate(WAKEUPS_ON_A_PAGE as usize);
        Ok(WakeupsLook {
            next: rows.last().filter(|_| more).map(|row| row.id.to_string()),
            wakeups: rows.iter().map(summary).collect(),
            later: before.is_some(),
        })
    }

    /// A wake-up, and what is different from the one that the same agent was given before.
    pub fn look_at_wakeup(&mut self, id: &str) -> Result<WakeupLook, AppError> {
        let row = self.wakeup_row(id)?;
        let detail = self.show_wakeup(id)?;
        let before = self.store.wakeup_before(&row)?;
        let difference = match &before {
            Some(before) => self.compare_wakeups(before.id.as_str(), row.id.as_str())?.lines,
            None => Vec::new(),
        };
        Ok(WakeupLook {
            detail,
            before: before.as_ref().map(summary),
            difference,
        })
    }
}
