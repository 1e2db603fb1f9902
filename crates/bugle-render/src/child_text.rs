//! The state of a sub-agent, in a line.

use bugle_core::engine::ChildState;

use crate::text::excerpt;

/// The state of a sub-agent, in a line.
pub fn child_state(state: &ChildState) -> String {
    match state {
        ChildState::NotStarted => "not started".to_owned(),
        ChildState::Working(step) => format!("working on step `{step}`"),
        ChildState::Waiting => "is waiting for the user's answer".to_owned(),
        ChildState::Left => "stopped without a report; its start command resumes it".to_owned(),
        ChildState::Paused => "paused".to_owned(),
        ChildState::Cancelled => "cancelled".to_owned(),
        ChildState::Finished(_) => "has reported".to_owned(),
        ChildState::Failed(reason) => format!("failed: \"{}\"", excerpt(reason)),
        ChildState::Escalated(kind, reason) => {
            format!("stopped ({}): \"{}\"", kind.as_str(), excerpt(reason))
        }
    }
}
