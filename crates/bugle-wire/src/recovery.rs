//! What a replacement needs to know about the agent it replaces.

use serde::Serialize;

use crate::activity::{ActivityView, WakeMessage};
use crate::task::CommandView;

/// The state that an agent left behind when it died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecoveryView {
    /// The agent, by its name or session.
    pub agent: String,
    /// Its unfinished work, the most urgent first.
    pub work: Vec<UnfinishedWork>,
    /// How many more items there are.
    pub more_work: u64,
    /// Its recorded actions, the latest last.
    pub did: Vec<ActivityView>,
    /// How many earlier actions there are.
    pub did_before: u64,
    /// Its last messages, the latest last.
    pub said: Vec<WakeMessage>,
    /// How many messages to it are unread.
    pub unread: u64,
    /// The command that shows these and marks them as read.
    pub unread_command: String,
    /// The end of its log.
    pub log: Option<LogView>,
    /// What was found in the worktree.
    pub checks: RecoveryChecks,
    /// The commands that show what is left out here.
    pub commands: Vec<CommandView>,
}

/// Unfinished work of an agent.
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

/// The checks of the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecoveryChecks {
    /// Uncommitted changes; nothing outside git.
    pub uncommitted: Option<UncommittedView>,
    /// The file of the open step's result, if it is written but not submitted.
    pub result: Option<String>,
    /// The evidence of the open step, and whether it is there, one sentence each.
    pub evidence: Vec<String>,
    /// The files that the task names.
    pub files: Vec<TaskFile>,
    /// How many more files it names.
    pub more_files: u64,
}

/// The uncommitted changes of a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UncommittedView {
    /// Files, each with git's two-letter status.
    pub files: Vec<String>,
    /// How many more.
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
