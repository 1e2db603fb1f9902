//! What an agent did, merged from runs and tasks in the order of time.

use std::collections::BTreeMap;

use bugle_core::id::Timestamp;
use bugle_wire::ActivityView;

use super::ShortClock;

/// How many entries a wake-up shows.
const MAX_ACTIVITY: usize = 15;

/// Entries in the order of time, then of insertion.
#[derive(Default)]
pub(super) struct Activity {
    by_time: BTreeMap<(Timestamp, usize), (String, String)>,
}

impl Activity {
    pub(super) fn add(&mut self, at: Timestamp, by: String, what: String) {
        self.by_time.insert((at, self.by_time.len()), (by, what));
    }

    /// The latest entries, and how many came before them.
    pub(super) fn latest(self, clock: ShortClock<'_>) -> (Vec<ActivityView>, u64) {
        let before = self.by_time.len().saturating_sub(MAX_ACTIVITY);
        let latest = self.by_time.into_iter().skip(before);
        let view = |((at, _), (by, what)): ((Timestamp, usize), (String, String))| ActivityView {
            at: clock(at.0),
            by,
            what,
        };
        (latest.map(view).collect(), before as u64)
    }
}
