//! Tasks by name, and a task's place among other tasks.

use crate::id::TaskId;
use crate::task::Task;
use serde::Serialize;

/// A task by id and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskName {
    /// The task's id.
    pub id: TaskId,
    /// The task's name in its plan: `Task 2`, `Phase 1`.
    pub numbered: Option<String>,
    /// The task's title.
    pub title: String,
}

impl TaskName {
    /// The name of a task.
    pub fn of(task: &Task) -> Self {
        let numbered = task.number().map(|number| {
            if task.is_group() {
                number.to_owned()
            } else {
                format!("Task {number}")
            }
        });
        Self {
            id: task.id.clone(),
            numbered,
            title: task.title.clone(),
        }
    }

    /// The name in a list: `Task 2: Add the login form`.
    pub fn label(&self) -> String {
        match &self.numbered {
            Some(numbered) if self.title == *numbered || self.title.is_empty() => numbered.clone(),
            Some(numbered) => format!("{numbered}: {}", self.title),
            None => self.title.clone(),
        }
    }

    /// The name in a sentence: `Task 2 (Add the login form)`.
    pub fn inline_label(&self) -> String {
        match &self.numbered {
            Some(numbered) if self.title == *numbered || self.title.is_empty() => numbered.clone(),
            Some(numbered) => format!("{numbered} ({})", self.title),
            None => format!("\"{}\"", self.title),
        }
    }
}

/// A task's place among other tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskPlace {
    /// The task.
    pub name: TaskName,
    /// The closed sibling before the task.
    pub before: Option<ClosedTask>,
    /// The next open sibling.
    pub after: Option<TaskName>,
    /// The agent or person that is working on the task.
    pub holder: Option<TaskHolder>,
    /// The task's open dependencies, declared in the plan or by a person.
    pub waits_for: Vec<TaskName>,
    /// The open tasks that come earlier in plan order.
    pub comes_after: Vec<TaskName>,
}

/// A closed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosedTask {
    /// The task.
    pub name: TaskName,
    /// Whether the task was skipped.
    pub skipped: bool,
}

/// A task in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActiveTask {
    /// The task.
    pub name: TaskName,
    /// The agent or person that is working on the task.
    pub holder: Option<TaskHolder>,
}

/// The agent or person that is working on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskHolder {
    /// The reader.
    You,
    /// Another agent or person.
    Other(String),
}
