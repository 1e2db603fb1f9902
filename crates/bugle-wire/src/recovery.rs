//! What a replacement needs to know about the agent it replaces.

use serde::Serialize;

use crate::activity::{ActivityView, WakeMessage};
use crate::task::CommandView;

/// The state that an agent left behind when it died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecoveryView {
    /// The agent's name or session.
    pub agent: String,
    /// Its unfinished work, most urgent first.
    pub work: Vec<UnfinishedWork>,
    /// How many more items there are.
    pub more_work: u64,
    /// Its recorded actions, latest last.
    pub did: Vec<ActivityView>,
    /// How many earlier actions are not listed.
    pub did_before: u64,
    /// Its last messages, latest last.
    pub said: Vec<WakeMessage>,
    /// How many messages to it are unread.
    pub unread: u64,
    /// The command that shows these messages and marks them as read.
    pub unread_command: String,
    /// The end of its log.
    pub log: Option<LogView>,
    /// The state of the worktree.
    pub checks: RecoveryChecks,
    /// The commands that show what is omitted here.
    pub commands: Vec<CommandView>,
}

/// An agent's unfinished work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfinishedWork {
    /// The id of the run or the task.
    pub id: String,
    /// A description.
    pub what: String,
    /// The command that continues it.
    pub command: CommandView,
    /// How often it was reported as failed.
    pub failed: u32,
    /// How often its agent died, including this time.
    pub died: u32,
    /// The command that explains how to split it, if it has failed too often.
    pub split: Option<String>,
}

/// The last lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogView {
    /// Its file.
    pub file: String,
    /// The lines.
    pub lines: Vec<String>,
    /// Whether the log has more lines.
    pub is_cut: bool,
    /// Why it could not be read.
    pub trouble: Option<String>,
    /// The command that shows more of it.
    pub command: String,
}

/// The state of the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecoveryChecks {
    /// Uncommitted changes; `None` outside a git repository.
    pub uncommitted: Option<UncommittedView>,
    /// The file with the open step's result, if it was written but not submitted.
    pub result: Option<String>,
    /// The evidence that the open step requires, and whether it exists, one sentence each.
    pub evidence: Vec<String>,
    /// The files that the task names.
    pub files: Vec<TaskFile>,
    /// How many more files it names.
    pub more_files: u64,
}

/// The uncommitted changes in a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UncommittedView {
    /// Files, each with git's two-letter status.
    pub files: Vec<String>,
    /// How many more files have changes.
    pub more: u64,
    /// The command that shows them.
    pub command: String,
}

/// A file that a task names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskFile {
    /// Its path, as in the plan.
    pub path: String,
    /// Whether it exists.
    pub exists: bool,
}
