//! A sub-agent's state, on one line.

use bugle_core::count::counted;
use bugle_core::engine::ChildState;
use bugle_core::reply::{ChildView, OrchestratorView, ReportProgress, ReportedWork};

use crate::text::excerpt;

/// The state of a step's sub-agent, on one line.
pub fn child(child: &ChildView) -> String {
    if child.outdated {
        "reviewed an older version of the files".to_owned()
    } else {
        child_state(&child.state)
    }
}

/// A sub-agent's final message to its orchestrator, without the commands.
pub fn report(report: &OrchestratorView) -> String {
    let work = match &report.work {
        ReportedWork::Review(0) => "The review found nothing.".to_owned(),
        ReportedWork::Review(count) => format!("The review has {}.", counted(*count, "finding")),
        ReportedWork::Result => "The work is done, and the result is recorded.".to_owned(),
        ReportedWork::Unfinished(state) => format!("The sub-agent {}.", child_state(state)),
    };
    match &report.progress {
        ReportProgress::Complete => work,
        ReportProgress::Partial { reported, wanted } => {
            format!("{work} {reported} of {wanted} sub-agents have reported.")
        }
        ReportProgress::Late(run) => {
            format!("{work} The report is late: run {run} has continued without it.")
        }
    }
}

/// A sub-agent's state, on one line.
pub fn child_state(state: &ChildState) -> String {
    match state {
        ChildState::NotStarted => "not started".to_owned(),
        ChildState::Working(step) => format!("working on step `{step}`"),
        ChildState::Waiting => "waiting for the user's answer".to_owned(),
        ChildState::Left => {
            "stopped without a report; resume the sub-agent with its start command".to_owned()
        }
        ChildState::Paused => "paused".to_owned(),
        ChildState::Cancelled => "cancelled".to_owned(),
        ChildState::Finished(_) => "reported".to_owned(),
        ChildState::Failed(reason) => format!("failed: \"{}\"", excerpt(reason)),
        ChildState::Escalated(kind, reason) => {
            format!("stopped ({}): \"{}\"", kind.as_str(), excerpt(reason))
        }
    }
}
