//! The state of a sub-agent, in a line.

use bugle_core::engine::ChildState;

use crate::text::excerpt;

/// The state of a sub-agent, in a line.
pub fn child_state(state: &ChildState) -> String {
    match state {
        ChildState::NotStarted => "not started".to_owned(),
        ChildState::Working(step) => format!("at work, at step `{step}`"),
        ChildState::Waiting => "waits for the user's answer".to_owned(),
        ChildState::Left => "stopped without a report; its start command goes on with it".to_owned(),
        ChildState::Paused => "paused".to_owned(),
        ChildState::Cancelled => "given up".to_owned(),
        ChildState::Finished(_) => "has reported".to_owned(),
        ChildState::Failed(reason) => format!("ended without success: \"{}\"", excerpt(reason)),
        ChildState::Escalated(kind, reason) => {
            format!("stopped ({}): \"{}\"", kind.as_str(), excerpt(reason))
        }
    }
}
