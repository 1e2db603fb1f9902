//! Activity in wake-ups: notes on a task.

use bugle_core::reply::{ActivitySubject, ActivityView, AgentLabel, Author, Change, TaskName};
use bugle_core::task::TaskEvent;

use crate::wake_facts::name;

/// The second task.
pub(crate) fn login_task() -> TaskName {
    TaskName {
        numbered: Some("Task 2".to_owned()),
        ..name("t-3", "Add login endpoint")
    }
}

/// An agent's note on the second task.
pub(crate) fn noted(at: &str, by: &str, text: &str) -> ActivityView {
    ActivityView {
        at: at.to_owned(),
        by: Author::Agent(AgentLabel::Address(by.trim_start_matches('@').to_owned())),
        subject: ActivitySubject::Task(login_task()),
        change: note(text),
    }
}

pub(crate) fn note(text: &str) -> Change {
    Change::Task(TaskEvent::Noted {
        text: text.to_owned(),
    })
}
