//! An agent's activity, merged from runs and tasks in chronological order.

use std::collections::BTreeMap;

use bugle_core::id::Timestamp;
use bugle_core::reply::{ActivitySubject, ActivityView, Author, Change};

use super::ShortClock;

/// Maximum number of entries in a wake-up.
const MAX_ACTIVITY: usize = 15;

/// Entries in chronological order. Entries with the same time keep their insertion order.
#[derive(Default)]
pub(super) struct Activity {
    by_time: BTreeMap<(Timestamp, usize), (Author, ActivitySubject, Change)>,
}

impl Activity {
    pub(super) fn add(&mut self, at: Timestamp, by: Author, subject: ActivitySubject, change: Change) {
        self.by_time
            .insert((at, self.by_time.len()), (by, subject, change));
    }

    /// The latest entries, and the number of earlier ones.
    pub(super) fn latest(self, clock: ShortClock<'_>) -> (Vec<ActivityView>, u64) {
        let before = self.by_time.len().saturating_sub(MAX_ACTIVITY);
        let latest = self.by_time.into_iter().skip(before);
        let views = latest.map(|((at, _), (by, subject, change))| ActivityView {
            at: clock(at),
            by,
            subject,
            change,
        });
        (views.collect(), before as u64)
    }
}
