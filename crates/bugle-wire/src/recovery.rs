//! What a replacement has to know about the agent that it takes over from.

use serde::Serialize;

use crate::activity::{ActivityView, WakeMessage};
use crate::task::CommandView;

/// What is to be taken over from an agent that died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecoveryView {
    /// The agent, by its name or session.
    pub agent: String,
    /// What it began and did not finish, the most urgent first.
    pub work: Vec<UnfinishedWork>,
    /// How many more pieces of work there are.
    pub more_work: u64,
    /// What it did, as far as it is kept, the latest last.
    pub did: Vec<ActivityView>,
    /// How much more it did before that.
    pub did_before: u64,
    /// What it said last, the latest last.
    pub said: Vec<WakeMessage>,
    /// How many messages to it are unread.
    pub unread: u64,
    /// The command that shows and takes these.
    pub unread_command: String,
    /// What it printed last.
    pub log: Option<LogView>,
    /// What stands in the work tree.
    pub checks: RecoveryChecks,
    /// The commands that show what is left out here.
    pub commands: Vec<CommandView>,
}

/// Work that an agent began and did not finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfinishedWork {
    /// The id of the run or of the task.
    pub id: String,
    /// What it is, in words.
    pub what: String,
    /// How it goes on.
    pub command: CommandView,
    /// How often it was said to have failed.
    pub failed: u32,
    /// How often its agent died, including this time.
    pub died: u32,
    /// The command that says how to split it, if it has failed so often that this is better than to try again.
    pub split: Option<String>,
}

/// The last lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogView {
    /// Its file.
    pub file: String,
    /// The lines.
    pub lines: Vec<String>,
    /// Whether there is more in it.
    pub is_cut: bool,
    /// Why it could not be read.
    pub trouble: Option<String>,
    /// The command that shows more of it.
    pub command: String,
}

/// What was looked at in the work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecoveryChecks {
    /// What is not committed; nothing outside git.
    pub uncommitted: Option<UncommittedView>,
    /// The file of the open step's result, if it was written and not handed in.
    pub result: Option<String>,
    /// What the open step will be checked for, and how that stands, one sentence each.
    pub evidence: Vec<String>,
    /// The files that the task names.
    pub files: Vec<TaskFile>,
    /// How many more it names.
    pub more_files: u64,
}

/// What of a work tree is not committed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UncommittedView {
    /// Files, each with git's two letters before it.
    pub files: Vec<String>,
    /// How many more.
    pub more: u64,
    /// The command that shows it.
    pub command: String,
}

/// A file that a task names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskFile {
    /// Its path, as the plan has it.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
}
