//! Tasks: a tree, one task in detail, and the result of a command.

use super::author::Author;
use super::next_command::CommandView;
use super::task_name::{TaskName, TaskPlace};
use super::task_notice::{PlanNotice, SkillNotice, TaskNotice};
use super::timeline::TimelineEntry;
use crate::engine::RunStatus;
use crate::id::{PlanId, RunId, TaskId, Timestamp};
use crate::role::AgentRole;
use crate::skill_selection::RuleOrigin;
use crate::task::TaskState;
use serde::Serialize;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskView {
    /// The task's id.
    pub id: TaskId,
    /// The task's number in its plan.
    pub number: Option<String>,
    /// The task's title.
    pub title: String,
    /// Number and title together.
    pub label: String,
    /// The task's state.
    pub state: TaskState,
    /// Whether all subtasks are closed, so that the task can be closed too.
    pub ready_to_close: bool,
    /// Why the task is skipped, failed or blocked.
    pub reason: Option<String>,
    /// The assigned agent.
    pub agent: Option<String>,
    /// The skill that the task names.
    pub skill: Option<String>,
    /// The run that is working on the task.
    pub run: Option<RunId>,
    /// Number of retries after failures.
    pub retries: u32,
    /// Number of children.
    pub children: u32,
    /// Number of open children.
    pub open_children: u32,
    /// The task's dependencies, declared in the plan or by a person.
    pub waits_for: Vec<TaskId>,
    /// The earlier tasks in plan order.
    pub comes_after: Vec<TaskId>,
    /// Whether the task was removed.
    pub removed: bool,
}

/// Task trees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskTree {
    /// The tasks in order, a parent before its children.
    pub tasks: Vec<TaskLine>,
    /// Whether there are more tasks.
    pub more: bool,
    /// The current position.
    pub position: Option<TaskPosition>,
}

/// A task in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskLine {
    /// The task's depth, starting at 0.
    pub depth: u32,
    /// Whether this is the current task.
    pub current: bool,
    /// The task.
    #[serde(flatten)]
    pub task: TaskView,
}

/// The current position in the task tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskPosition {
    /// The first open task without an open child.
    pub task: TaskView,
    /// The task's ancestors, nearest first.
    pub above: Vec<TaskName>,
    /// The task's place among other tasks.
    pub place: TaskPlace,
    /// The skill for the task.
    pub skill: SkillChoiceView,
    /// The task's plan.
    pub plan: Option<PlanName>,
    /// The next commands.
    pub commands: Vec<CommandView>,
    /// Notices.
    pub notices: Vec<TaskNotice>,
}

/// The current position, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextView {
    /// The current position.
    Position(Box<TaskPosition>),
    /// All tasks are closed.
    AllClosed {
        /// The plans whose files have changed and may contain new tasks.
        changed_plans: Vec<ChangedPlan>,
    },
    /// The project has no tasks.
    NoTasks {
        /// The command that imports a plan.
        import: String,
        /// The command that adds a task.
        add: String,
    },
}

impl NextView {
    /// The current position.
    pub fn position(&self) -> Option<&TaskPosition> {
        match self {
            Self::Position(position) => Some(position),
            Self::AllClosed { .. } | Self::NoTasks { .. } => None,
        }
    }
}

/// A plan whose file has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPlan {
    /// The plan's file.
    pub file: String,
    /// What changed.
    pub notice: PlanNotice,
}

/// The skill that applies to a task, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillChoiceView {
    /// The task.
    pub task: TaskName,
    /// The skill; `None` if none applies.
    pub skill: Option<String>,
    /// Why the skill applies.
    pub reason: SkillReason,
    /// Rules from other skills that also apply, one line each.
    pub reminders: Vec<ReminderView>,
    /// The pinned version.
    pub pinned: Option<PinView>,
    /// The installed version; `None` if the skill is not installed.
    pub installed: Option<String>,
    /// Notices, for example that another version is installed, or that the skill is not installed.
    pub notices: Vec<SkillNotice>,
    /// The sections of the skill that this task needs.
    pub sections: Vec<SectionView>,
    /// The versions that the task used, oldest first.
    pub history: Vec<PinView>,
}

/// Why a skill was chosen for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillReason {
    /// The task names the skill.
    Explicit,
    /// This ancestor names the skill.
    Inherited(Option<TaskName>),
    /// A rule matches the task's title. The rule may select no skill.
    Rule {
        /// The rule's origin.
        origin: RuleOrigin,
        /// The rule's number within its origin, from 1.
        number: usize,
        /// The title's matching words, as written.
        words: Vec<String>,
    },
    /// The skill is this role's default.
    Role(AgentRole),
    /// No skill applies.
    Nothing,
}

/// A rule that applies across skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReminderView {
    /// The rule.
    pub line: String,
    /// The skill that explains the rule.
    pub skill: String,
}

/// The exact version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinView {
    /// The skill.
    pub skill: String,
    /// The hash of the skill's files.
    pub hash: String,
    /// The skill's own version number.
    pub version: Option<String>,
    /// Where the skill was found.
    pub source: Option<String>,
}

/// A section of a skill, and whether a task needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionView {
    /// The section's heading.
    pub title: String,
    /// The section's score.
    pub score: u32,
    /// Whether the task needs the section.
    pub needed: bool,
    /// The section's length in characters.
    pub characters: usize,
    /// The length of the section's digest in characters.
    pub digest_characters: usize,
}

/// A task with its details.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskDetail {
    /// The task.
    pub task: TaskView,
    /// The task's ancestors, nearest first.
    pub above: Vec<TaskName>,
    /// The task's place among other tasks.
    pub place: TaskPlace,
    /// The skill for the task.
    pub skill: SkillChoiceView,
    /// The dependent tasks.
    pub needed_by: Vec<TaskName>,
    /// The task's notes, oldest first.
    pub notes: Vec<NoteView>,
    /// Number of earlier notes that are not shown.
    pub earlier_notes: usize,
    /// The latest runs that were started for the task, oldest first.
    pub runs: Vec<TaskRun>,
    /// The task's children, if requested.
    pub inside: Vec<TaskLine>,
    /// The task's plan.
    pub plan: Option<PlanName>,
    /// The plan's text about the task, if requested.
    pub text: Option<PlanText>,
    /// The constraints for all tasks of the plan, if requested.
    pub constraints: Vec<String>,
    /// The task's events, if requested.
    pub history: Vec<TimelineEntry>,
    /// The next commands.
    pub commands: Vec<CommandView>,
    /// Notices.
    pub notices: Vec<TaskNotice>,
}

/// A run that was started for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskRun {
    /// The run.
    pub run: RunId,
    /// The run's skill.
    pub skill: String,
    /// The run's status.
    pub status: RunStatus,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteView {
    /// The time.
    pub at: Timestamp,
    /// The note's author.
    pub by: Author,
    /// The person for whom the author acted, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// The note's text.
    pub text: String,
}

/// The tasks that can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadyList {
    /// The tasks, in order.
    pub tasks: Vec<TaskView>,
    /// Whether there are more tasks.
    pub more: bool,
    /// Whether the tasks are elsewhere in the project, because no task in the current tree can start.
    pub elsewhere: bool,
}

/// A plan by id, file and title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanName {
    /// The plan's id.
    pub id: PlanId,
    /// The plan's file.
    pub file: String,
    /// The plan's title.
    pub title: String,
}

/// A part of a plan, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanText {
    /// The file.
    pub file: String,
    /// The 1-based line where the text starts in the file.
    pub line: usize,
    /// The text.
    pub text: String,
}
