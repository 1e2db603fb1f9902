//! A run's timeline, as its page shows it.

use bugle_core::id::Timestamp;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{TimelineEntry, TimelineKind};
use bugle_render::{author_text, timeline_text};
use serde::Serialize;
use serde_json::Value;

/// An entry of the timeline.
#[derive(Serialize)]
pub(super) struct TimelineItem<'a> {
    seq: u64,
    at: Timestamp,
    by: String,
    person: Option<&'a str>,
    kind: TimelineKind,
    outcome: Option<Outcome>,
    summary: String,
    details: Option<Value>,
    left_behind: bool,
}

impl<'a> From<&'a TimelineEntry> for TimelineItem<'a> {
    fn from(entry: &'a TimelineEntry) -> Self {
        Self {
            seq: entry.seq,
            at: entry.at,
            by: author_text::author(&entry.by),
            person: entry.person.as_deref(),
            kind: entry.kind(),
            outcome: entry.outcome(),
            summary: timeline_text::change(&entry.change),
            details: timeline_text::details(&entry.change),
            left_behind: entry.left_behind,
        }
    }
}
