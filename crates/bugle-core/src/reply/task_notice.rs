//! Notices about a task, its plan or its skill.

use super::task_name::{ActiveTask, TaskName};
use crate::id::ContentHash;
use crate::name::SkillAddress;
use crate::task::TaskStatus;
use serde::{Deserialize, Serialize};

/// A notice about a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskNotice {
    /// The session of the task's agent ended while the task was in progress.
    HolderGone {
        /// The holder.
        holder: String,
        /// The command that takes the task over.
        take_over: String,
    },
    /// Another agent or person is working on the task.
    HeldByOther {
        /// The holder.
        holder: String,
        /// The command that lists the tasks that can start.
        ready: String,
        /// The command that takes the task over.
        take_over: String,
    },
    /// The task is assigned to another agent.
    AssignedToOther {
        /// The agent.
        holder: String,
        /// The command that lists the tasks that can start.
        ready: String,
    },
    /// The task's plan needs attention.
    Plan(PlanNotice),
    /// The project has other open tasks.
    OpenElsewhere {
        /// The command that lists them.
        list: String,
    },
    /// The task was retried so often that it should be split.
    RetriedOften {
        /// Number of retries.
        retries: u32,
        /// The command that explains how to split the task.
        help: String,
    },
    /// Other tasks in progress.
    AlsoActive(Vec<ActiveTask>),
    /// The task has more subtasks than are shown.
    MoreSubtasks {
        /// The command that lists them.
        list: String,
    },
    /// The rules that select a skill have a mistake.
    Rules(RulesProblem),
}

/// A notice about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanNotice {
    /// The plan's file has changed since it was imported.
    FileChanged {
        /// The branch of the import, if another branch is checked out.
        imported_on: Option<String>,
        /// The command that imports the file again.
        import: String,
    },
    /// The plan's file is missing.
    FileMissing {
        /// The file.
        file: String,
        /// The branch of the import.
        imported_on: Option<String>,
    },
    /// The plan was removed from the task tree.
    Removed,
}

/// A notice about an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportNotice {
    /// A task is no longer in the plan and was removed.
    Vanished {
        /// The task.
        task: TaskName,
        /// The task's status before the import.
        status: TaskStatus,
        /// The command that restores the task.
        restore: String,
    },
    /// Number of further tasks that were removed.
    MoreVanished(usize),
    /// A task is in the plan, but was removed from the task tree.
    KeptOut {
        /// The task.
        task: TaskName,
        /// The command that restores the task.
        restore: String,
    },
    /// Tasks are marked as done in the file, but open in the store.
    MarkedAsDone {
        /// Number of tasks.
        tasks: usize,
        /// The command that closes them.
        import: String,
    },
}

/// A notice about a task's skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillNotice {
    /// The skill is not installed.
    NotInstalled(SkillAddress),
    /// Several plugins have a skill of this name.
    Ambiguous {
        /// The skill.
        skill: SkillAddress,
        /// The skill's address in each plugin.
        addresses: Vec<String>,
        /// The command that selects the first.
        select: String,
    },
    /// The pinned skill is no longer installed.
    Uninstalled(SkillAddress),
    /// Another version of the skill is installed.
    Changed {
        /// The skill.
        skill: SkillAddress,
        /// The pinned version.
        pinned: SkillVersion,
        /// The installed version.
        installed: SkillVersion,
        /// The command that pins the installed version.
        upgrade: String,
    },
    /// The rules that select a skill have a mistake.
    Rules(RulesProblem),
}

/// A version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillVersion {
    /// The skill's own version number.
    pub version: Option<String>,
    /// The hash of the skill's files.
    pub hash: ContentHash,
}

/// A mistake in a file with rules that select skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulesProblem {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        file: String,
        /// The operating system's error message.
        error: String,
    },
    /// The file is not valid UTF-8.
    NotUtf8 {
        /// The file.
        file: String,
    },
    /// A line of the file is wrong.
    Invalid {
        /// The file.
        file: String,
        /// The 1-based line.
        line: usize,
        /// The mistake.
        message: String,
        /// How to fix the mistake.
        fix: String,
    },
}
