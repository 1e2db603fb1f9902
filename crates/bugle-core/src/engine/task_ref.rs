//! References to tasks.

use serde::{Deserialize, Serialize};

use crate::id::TaskId;
use crate::task::TaskBrief;

/// A reference to a task, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRef {
    /// The task.
    pub id: TaskId,
    /// The task's number in the plan; empty if it has none.
    pub number: String,
    /// The task's title.
    pub title: String,
}

impl TaskRef {
    /// Number, title and id.
    pub fn label(&self) -> String {
        format!("{} {} ({})", self.number, self.title, self.id)
            .trim()
            .to_owned()
    }
}

impl From<&TaskBrief> for TaskRef {
    fn from(task: &TaskBrief) -> Self {
        Self {
            id: task.id.clone(),
            number: task.number.clone(),
            title: task.title.clone(),
        }
    }
}
