//! What an agent did, gathered from several records and put into one order.

use std::collections::BTreeMap;

use bugle_core::id::Timestamp;
use bugle_wire::ActivityView;

use super::ShortClock;

/// How much of what an agent did is told.
const MOST_DEEDS: usize = 15;

/// What an agent did, by time, and in the order in which it is found where that is the same.
#[derive(Default)]
pub(super) struct Deeds {
    by_time: BTreeMap<(Timestamp, usize), (String, String)>,
}

impl Deeds {
    pub(super) fn add(&mut self, at: Timestamp, by: String, what: String) {
        self.by_time.insert((at, self.by_time.len()), (by, what));
    }

    /// The latest, and how many there are before.
    pub(super) fn latest(self, clock: ShortClock<'_>) -> (Vec<ActivityView>, u64) {
        let before = self.by_time.len().saturating_sub(MOST_DEEDS);
        let latest = self.by_time.into_iter().skip(before);
        let view = |((at, _), (by, what)): ((Timestamp, usize), (String, String))| ActivityView {
            at: clock(at.0),
            by,
            what,
        };
        (latest.map(view).collect(), before as u64)
    }
}
