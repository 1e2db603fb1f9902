//! The facts for a wake-up, and the assembled wake-up.

use serde::Serialize;

use crate::activity::{ActivityView, WakeMessage};
use crate::recovery::RecoveryView;
use crate::step::StepView;
use crate::task::{CommandView, PlanName, PlanText, ReminderView, TaskLine, TaskName, TaskPosition};

/// The facts for an agent that wakes up, before anything is cut.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WakeFacts {
    /// Why it wakes up.
    pub reason: WakeReason,
    /// Whether it still has its memory, so that it needs only what is new.
    pub remembers: bool,
    /// Its name.
    pub agent: String,
    /// The name of the project's folder.
    pub project: String,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// What it takes over, if it replaces an agent that died.
    pub recovery: Option<RecoveryView>,
    /// The current step of its run.
    pub step: Option<StepView>,
    /// An open run of another session, if the agent has no run.
    pub held: Option<HeldRun>,
    /// How many other runs are open here.
    pub other_runs: u32,
    /// The current position in the task tree.
    pub position: Option<TaskPosition>,
    /// The current task, its ancestors, siblings and children, in order.
    pub tasks: Vec<TaskLine>,
    /// Tasks elsewhere that some of these wait for.
    pub waited_for: Vec<TaskName>,
    /// How many of the plan's tasks are closed; without a plan, how many of the root task's subtasks. `None` if there are too
    /// many to count.
    pub closed: Option<u32>,
    /// How many tasks there are; a lower bound if there are too many to count.
    pub total: u32,
    /// The skill for the current task.
    pub skill: Option<WakeSkill>,
    /// The plan of the current task.
    pub plan: Option<WakePlan>,
    /// The results of earlier steps and tasks, most useful first.
    pub learnt: Vec<LearntView>,
    /// Recent events, latest last.
    pub activity: Vec<ActivityView>,
    /// Questions that the agent has read and not answered, oldest first.
    pub questions: Vec<WakeMessage>,
    /// Unread messages, oldest first.
    pub messages: Vec<WakeMessage>,
    /// How many more unread messages there are.
    pub more_messages: u64,
    /// The command that prints everything that was omitted.
    pub again: String,
    /// What to do next.
    pub next: NextAction,
}

text_enum! {
    /// Why an agent wakes up.
    WakeReason {
        /// A session starts.
        Startup = "startup",
        /// A session continues with its memory.
        Resume = "resume",
        /// A session was cleared.
        Clear = "clear",
        /// A session was compacted and lost everything outside its summary.
        Compact = "compact",
        /// It received a message.
        Mention = "mention",
        /// Something it was waiting for has happened.
        Event = "event",
        /// It starts as a sub-agent.
        Subagent = "subagent",
    }
}

/// An open run of this project that belongs to another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldRun {
    /// Its id.
    pub run: String,
    /// Its skill.
    pub skill: String,
    /// Its owner, an agent as `@name`; `None` if the run was started outside any session.
    pub with: Option<String>,
    /// Whether the owner's session has ended.
    pub is_over: bool,
    /// When the owner was last active: `5 minutes ago`.
    pub seen: String,
    /// The command that takes it over.
    pub command: String,
}

/// The skill that applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeSkill {
    /// Its name.
    pub name: String,
    /// Why it applies.
    pub because: String,
    /// Its own version number and its hash.
    pub version: Option<String>,
    /// Its sections in order, each at every size.
    pub sections: Vec<WakeSection>,
    /// Rules from other skills that also apply, one line each.
    pub reminders: Vec<ReminderView>,
    /// Notices, for example that another version is installed, or none.
    pub notices: Vec<String>,
    /// Where the whole text is: a file, or the command that prints it.
    pub whole: Option<String>,
}

/// A section of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeSection {
    /// Its heading; empty for the text before the first heading.
    pub title: String,
    /// Its score.
    pub score: u32,
    /// Whether the task or step needs it.
    pub needed: bool,
    /// Its full text.
    pub full: String,
    /// Its digest: only its instructions.
    pub digest: String,
    /// One line that names it.
    pub pointer: String,
}

/// The current plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakePlan {
    /// Its id, file and title.
    pub name: PlanName,
    /// Its goal.
    pub goal: Option<String>,
    /// The constraints for all its tasks.
    pub constraints: Vec<String>,
    /// The current task's interfaces with other tasks, one line each.
    pub interfaces: Vec<String>,
    /// Its text about the current task, word for word.
    pub text: Option<PlanText>,
    /// Notices about its file.
    pub notices: Vec<String>,
    /// The command that shows all of its text about the current task.
    pub task_command: Option<String>,
    /// The command that shows the rest of the plan.
    pub command: String,
}

/// The result of an earlier step or task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearntView {
    /// Its source: a step, a task, a note.
    pub from: String,
    /// Its text, word for word.
    pub what: String,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextAction {
    /// What is open and how to close it, in one or two sentences. Empty if the position already says so.
    pub says: String,
    /// The next commands, in order. Each runs as printed.
    pub commands: Vec<CommandView>,
}

/// A wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeView {
    /// Its id, if it is recorded.
    pub id: Option<String>,
    /// Why the agent wakes up.
    pub reason: WakeReason,
    /// Its agent.
    pub agent: String,
    /// The text.
    pub text: String,
    /// Its size.
    pub size: usize,
    /// The budget.
    pub limit: usize,
    /// The unit of both.
    pub unit: String,
    /// The result for each part.
    pub parts: Vec<WakePart>,
    /// The size of the parts that are never cut, if they exceed the budget.
    pub too_small: Option<usize>,
    /// Its template, if it is not the default one.
    pub template: Option<String>,
    /// What is wrong with its template.
    pub notices: Vec<String>,
}

/// The result for one part of a wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakePart {
    /// The part's name.
    pub part: String,
    /// Its result.
    pub verdict: PartResult,
    /// How much of it is shown.
    pub detail: Option<PartDetail>,
    /// Its size.
    pub size: usize,
    /// Its full size.
    pub whole: usize,
}

text_enum! {
    /// The result for one part of a wake-up.
    PartResult {
        /// It is shown at its largest size.
        Whole = "whole",
        /// It is shown at a smaller size.
        Cut = "cut",
        /// It is not shown, because not even its smallest size fits.
        LeftOut = "left out",
        /// It has no content.
        Empty = "empty",
        /// It is not shown, because the template does not use it.
        Unwanted = "not in the template",
    }
}

text_enum! {
    /// How much of a part is shown.
    PartDetail {
        /// One line that names it.
        Pointer = "pointer",
        /// Its digest: only its instructions.
        Digest = "digest",
        /// Its full text.
        Full = "full",
    }
}

/// A recorded wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupSummary {
    /// Its id.
    pub id: String,
    /// Its agent.
    pub agent: String,
    /// Its reason.
    pub reason: WakeReason,
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// Its size.
    pub size: u64,
    /// The budget.
    pub limit: usize,
    /// The unit of both.
    pub unit: String,
    /// The hash of its text.
    pub hash: String,
}

/// Recorded wake-ups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupList {
    /// The wake-ups, latest first.
    pub wakeups: Vec<WakeupSummary>,
}

/// A recorded wake-up with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupDetail {
    /// The wake-up.
    pub wakeup: WakeupSummary,
    /// The result for each part.
    pub parts: Vec<WakePart>,
    /// The text.
    pub text: String,
}

/// The difference between two wake-ups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupDiff {
    /// The first wake-up.
    pub from: WakeupSummary,
    /// The second wake-up.
    pub to: WakeupSummary,
    /// The lines of both: `-` if only in the first, `+` if only in the second, a space if in both.
    pub lines: Vec<String>,
}

/// A sub-agent's brief for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BriefView {
    /// Its role.
    pub role: String,
    /// The role's brief.
    pub role_text: String,
    /// The task.
    pub task: TaskName,
    /// The plan's text about it, word for word.
    pub text: Option<PlanText>,
    /// The constraints for all tasks of the plan.
    pub constraints: Vec<String>,
    /// The task's interfaces with other tasks.
    pub interfaces: Vec<String>,
    /// The notes on the task.
    pub notes: Vec<String>,
    /// What the orchestrator adds.
    pub context: Option<String>,
    /// Rules from other skills that also apply, one line each.
    pub reminders: Vec<ReminderView>,
}
