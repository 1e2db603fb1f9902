//! Text about recorded wake-ups.

use std::fmt::Write as _;

use bugle_core::reply::{WakePart, WakeupDetail, WakeupDiff, WakeupList, WakeupSummary};
use bugle_core::wake::PartResult;

use super::diff::hunks;
use crate::run::Clock;
use crate::text::printable;

/// Recorded wake-ups, one per line.
pub fn list(view: &WakeupList, clock: Clock<'_>) -> String {
    if view.wakeups.is_empty() {
        let place = match &view.agent {
            Some(agent) => format!("for {agent}"),
            None => "in this project".to_owned(),
        };
        return printable(&format!("No wake-ups are recorded {place}.\n"));
    }
    let mut out = String::new();
    for wakeup in &view.wakeups {
        let _ = writeln!(out, "{}", line(wakeup, clock));
    }
    printable(&out)
}

fn line(wakeup: &WakeupSummary, clock: Clock<'_>) -> String {
    format!(
        "{}  {}  {:<9} {}  {} of {} {}",
        wakeup.id,
        clock(wakeup.at),
        wakeup.reason,
        wakeup.agent,
        wakeup.size,
        wakeup.limit,
        wakeup.unit
    )
}

/// A recorded wake-up with its text.
pub fn detail(view: &WakeupDetail, clock: Clock<'_>) -> String {
    printable(&format!("{}\n\n{}\n", line(&view.wakeup, clock), view.text))
}

/// The difference between two wake-ups.
pub fn difference(view: &WakeupDiff) -> String {
    if view.lines.iter().all(|line| line.starts_with(' ')) {
        return printable(&format!("{} and {} are identical.\n", view.from.id, view.to.id));
    }
    let mut out = String::new();
    for change in &view.parts {
        let _ = writeln!(
            out,
            "{}: {} -> {}",
            change.after.part.title(),
            shown(&change.before),
            shown(&change.after)
        );
    }
    let _ = writeln!(out, "--- {}\n+++ {}", view.from.id, view.to.id);
    for hunk in hunks(&view.lines) {
        let _ = writeln!(out, "{}", hunk.header);
        for line in hunk.lines {
            let _ = writeln!(out, "{line}");
        }
    }
    printable(&out)
}

/// How a wake-up shows a part: its form and its size.
fn shown(part: &WakePart) -> String {
    match (part.verdict, part.detail) {
        (PartResult::Whole, _) => format!("whole {}", part.size),
        (_, Some(detail)) => format!("{detail} {}", part.size),
        (verdict, None) => verdict.to_string(),
    }
}
