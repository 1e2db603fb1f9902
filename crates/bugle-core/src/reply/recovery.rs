//! Facts about a lost agent, for the agent that replaces it.

use super::activity::{ActivityView, WakeMessage};
use super::next_command::CommandView;
use super::task_name::TaskName;
use crate::id::VisitToken;
use crate::task::TaskStatus;
use serde::Serialize;

/// The state that an agent left behind when it died.
#[derive(Debug, Clone, PartialEq)]
pub struct RecoveryView {
    /// The agent's name or session.
    pub agent: String,
    /// The agent's unfinished work, most urgent first.
    pub work: Vec<UnfinishedWork>,
    /// Number of further items.
    pub more_work: u64,
    /// The agent's recorded actions, latest last.
    pub did: Vec<ActivityView>,
    /// Number of earlier actions that are not listed.
    pub did_before: u64,
    /// The agent's last messages, latest last.
    pub said: Vec<WakeMessage>,
    /// Number of unread messages to the agent.
    pub unread: u64,
    /// The command that shows the unread messages and marks them as read.
    pub unread_command: String,
    /// The end of the agent's log.
    pub log: Option<LogView>,
    /// The state of the worktree.
    pub checks: RecoveryChecks,
    /// The commands that show the omitted parts.
    pub commands: Vec<CommandView>,
}

/// An agent's unfinished work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedWork {
    /// The run or the task.
    pub item: UnfinishedItem,
    /// The command that continues the work.
    pub command: CommandView,
    /// Number of reported failures.
    pub failed: u32,
    /// Number of agents that died while doing this work, including this one.
    pub died: u32,
    /// The command that explains how to split the work; `None` unless the work has failed too often.
    pub split: Option<String>,
}

/// A run or a task that an agent did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfinishedItem {
    /// A run, at a step.
    Run {
        /// The visit of the step.
        visit: VisitToken,
        /// The run's skill.
        skill: String,
        /// The step's title.
        step: String,
    },
    /// A task.
    Task {
        /// The task's name.
        name: TaskName,
        /// The task's status.
        status: TaskStatus,
    },
}

impl UnfinishedItem {
    /// The id of the run's visit or of the task.
    pub fn id(&self) -> String {
        match self {
            Self::Run { visit, .. } => visit.to_string(),
            Self::Task { name, .. } => name.id.to_string(),
        }
    }
}

/// The last lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogView {
    /// The log's file.
    pub file: String,
    /// The lines.
    pub lines: Vec<String>,
    /// Whether the log has more lines.
    pub is_cut: bool,
    /// Why the log could not be read.
    pub trouble: Option<String>,
    /// The command that shows more of the log.
    pub command: String,
}

/// The state of the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecoveryChecks {
    /// Uncommitted changes; `None` outside a git repository.
    pub uncommitted: Option<UncommittedView>,
    /// The file with the open step's result, if the agent wrote the file but did not submit it.
    pub result: Option<String>,
    /// The evidence that the open step requires, and whether that evidence exists, one sentence each.
    pub evidence: Vec<String>,
    /// The files that the task names.
    pub files: Vec<TaskFile>,
    /// Number of further files that the task names.
    pub more_files: u64,
}

/// The uncommitted changes in a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UncommittedView {
    /// Files, each with git's two-letter status.
    pub files: Vec<String>,
    /// Number of further files with changes.
    pub more: u64,
    /// The command that shows the changes.
    pub command: String,
}

/// A file that a task names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskFile {
    /// The file's path, as in the plan.
    pub path: String,
    /// Whether the file exists.
    pub exists: bool,
}
