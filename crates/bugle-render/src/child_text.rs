//! A sub-agent's state, on one line.

use bugle_core::engine::ChildState;

use crate::text::excerpt;

/// A sub-agent's state, on one line.
pub fn child_state(state: &ChildState) -> String {
    match state {
        ChildState::NotStarted => "not started".to_owned(),
        ChildState::Working(step) => format!("working on step `{step}`"),
        ChildState::Waiting => "waiting for the user's answer".to_owned(),
        ChildState::Left => "stopped without a report; resume it with its start command".to_owned(),
        ChildState::Paused => "paused".to_owned(),
        ChildState::Cancelled => "cancelled".to_owned(),
        ChildState::Finished(_) => "reported".to_owned(),
        ChildState::Failed(reason) => format!("failed: \"{}\"", excerpt(reason)),
        ChildState::Escalated(kind, reason) => {
            format!("stopped ({}): \"{}\"", kind.as_str(), excerpt(reason))
        }
    }
}
