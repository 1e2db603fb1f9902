//! The facts for a wake-up, and the assembled wake-up.

use super::activity::{ActivityView, WakeMessage};
use super::next_command::CommandView;
use super::recovery::RecoveryView;
use super::step::StepView;
use super::task::{PlanName, PlanText, ReminderView, SkillReason, TaskLine, TaskPosition};
use super::task_name::TaskName;
use super::task_notice::{PlanNotice, SkillNotice};
use super::wake_notice::WakeNotice;
use crate::digest::{Claim, Detail, WorkStage};
use crate::id::{MessageId, RunId, Timestamp, WakeupId};
use crate::interface::Interface;
use crate::ownership::Ownership;
use crate::wake::{Part, PartResult, WakeReason};
use serde::{Deserialize, Serialize};

/// The facts for an agent that wakes up, before anything is cut.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeFacts {
    /// Why the agent wakes up.
    pub reason: WakeReason,
    /// Whether the agent still has its context. If so, it needs only new information.
    pub remembers: bool,
    /// The parts that the agent still has in its context, but only shortened or as a pointer.
    pub given_in_part: Vec<Part>,
    /// The agent's name.
    pub agent: String,
    /// The name of the project's folder.
    pub project: String,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// The work of a lost agent that this agent replaces, if any.
    pub recovery: Option<RecoveryView>,
    /// The current step of the agent's run.
    pub step: Option<StepView>,
    /// An open run of another session, if the agent has no run.
    pub held: Option<HeldRun>,
    /// Number of other open runs.
    pub other_runs: u32,
    /// The current position in the task tree.
    pub position: Option<TaskPosition>,
    /// The current task with its ancestors, siblings and children, in order.
    pub tasks: Vec<TaskLine>,
    /// Tasks elsewhere that some of the listed tasks are waiting for.
    pub waited_for: Vec<TaskName>,
    /// Number of closed tasks in the plan; without a plan, number of closed subtasks of the root task. `None` if
    /// there are too many to count.
    pub closed: Option<u32>,
    /// Number of tasks; a lower bound if there are too many to count.
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
    /// The agent's own question that has no answer yet.
    pub asked: Option<AskedQuestion>,
    /// Unread messages, oldest first.
    pub messages: Vec<WakeMessage>,
    /// Number of further unread messages.
    pub more_messages: u64,
    /// The command that prints the omitted parts.
    pub again: String,
    /// The next action.
    pub next: NextAction,
    /// The interface of the agent.
    pub interface: Interface,
}

/// A question of the agent that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskedQuestion {
    /// The message's id.
    pub id: MessageId,
    /// The recipients, relative to the agent, each as `@name`.
    pub to: Vec<String>,
    /// The question, word for word.
    pub text: String,
}

/// An open run of this project that belongs to another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldRun {
    /// The run's id.
    pub run: RunId,
    /// The run's skill.
    pub skill: String,
    /// The run's owner, an agent as `@name`; `None` if the run was started outside any session.
    pub with: Option<String>,
    /// Whether the owner's session has ended.
    pub is_over: bool,
    /// Milliseconds since the owner was last active.
    pub idle: i64,
    /// The command that takes the run over.
    pub command: String,
}

/// The skill that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeSkill {
    /// The skill's name.
    pub name: String,
    /// Why the skill applies.
    pub reason: SkillReason,
    /// The skill's own version number and the hash of its files.
    pub version: Option<String>,
    /// The stage of the work, if it is known: the sections are chosen for it.
    pub stage: Option<WorkStage>,
    /// The skill's sections in order, each at every size.
    pub sections: Vec<WakeSection>,
    /// Rules from other skills that also apply, one line each.
    pub reminders: Vec<ReminderView>,
    /// Notices, for example that another version is installed, or that the skill is not installed.
    pub notices: Vec<SkillNotice>,
    /// Where the full text is: a file, or a command that prints it.
    pub whole: Option<String>,
}

/// A section of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeSection {
    /// The section's heading; empty for the text before the first heading.
    pub title: String,
    /// How strongly the work needs the section.
    pub claim: Claim,
    /// The section's score among the sections with the same claim.
    pub score: u32,
    /// The section's full text.
    pub full: String,
    /// The section's digest: only its instructions.
    pub digest: String,
    /// One line that names the section.
    pub pointer: String,
}

/// The current plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakePlan {
    /// The plan's id, file and title.
    pub name: PlanName,
    /// The plan's goal.
    pub goal: Option<String>,
    /// The constraints for all of the plan's tasks.
    pub constraints: Vec<String>,
    /// The current task's interfaces with other tasks, one line each.
    pub interfaces: Vec<String>,
    /// The plan's text about the current task, word for word.
    pub text: Option<PlanText>,
    /// Notices about the plan's file.
    pub notices: Vec<PlanNotice>,
    /// The command that shows all of the plan's text about the current task.
    pub task_command: Option<String>,
    /// The command that shows the rest of the plan.
    pub command: String,
}

/// The result of an earlier step or task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearntView {
    /// The result's source: a step, a task, a note.
    pub from: String,
    /// The result's text, word for word.
    pub what: String,
}

/// The open work that the next action is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenWork {
    /// The step with this title waits for the user's answer.
    Asks(String),
    /// Sub-agents of a step have questions.
    SubagentsAsk {
        /// The step's title.
        step: String,
        /// Number of sub-agents with a question.
        asking: usize,
    },
    /// A step is open.
    Step {
        /// The step's title.
        step: String,
        /// The owner of the step's run, if the agent must know the owner.
        owner: Option<RunOwner>,
    },
    /// A step that cannot be shown, and why.
    Unreadable(String),
    /// No open work.
    Nothing,
}

/// The owner of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOwner {
    /// How the owner's session relates to the run.
    pub ownership: Ownership,
    /// The owner's name.
    pub name: String,
    /// If the run now belongs to the woken session: the command that pauses the run.
    pub handed_over: Option<String>,
}

/// The next action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextAction {
    /// The open work; `None` if another part of the wake-up already shows it.
    pub open: Option<OpenWork>,
    /// The next commands, in order. Each runs as printed.
    pub commands: Vec<CommandView>,
}

/// A wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeView {
    /// The wake-up's id, if the wake-up is recorded.
    pub id: Option<String>,
    /// Why the agent wakes up.
    pub reason: WakeReason,
    /// The wake-up's agent.
    pub agent: String,
    /// The text.
    pub text: String,
    /// The wake-up's size.
    pub size: usize,
    /// The budget.
    pub limit: usize,
    /// The unit of the size and the budget.
    pub unit: String,
    /// The result for each part.
    pub parts: Vec<WakePart>,
    /// The wake-up's size, if the parts that are never dropped exceed the budget.
    pub too_small: Option<usize>,
    /// The wake-up's template; `None` for the default template.
    pub template: Option<String>,
    /// Notices outside the text.
    pub notices: Vec<WakeNotice>,
    /// The commands that explain the wake-ups of this project's agents; empty unless a person explains their own
    /// wake-up.
    pub explain_agents: Vec<String>,
}

/// The result for one part of a wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakePart {
    /// The part.
    pub part: Part,
    /// The part's result.
    pub verdict: PartResult,
    /// How much of the part is shown.
    pub detail: Option<Detail>,
    /// The part's size.
    pub size: usize,
    /// The part's full size.
    pub whole: usize,
    /// How much more space the next larger size needs, if the part is cut or left out.
    pub needs: Option<usize>,
    /// The command that shows the whole part, if the wake-up does not.
    pub command: Option<String>,
    /// The stage of the work for which the part was shortened.
    pub stage: Option<WorkStage>,
}

/// A recorded wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupSummary {
    /// The wake-up's id.
    pub id: WakeupId,
    /// The wake-up's agent.
    pub agent: String,
    /// The wake-up's reason.
    pub reason: WakeReason,
    /// The time.
    pub at: Timestamp,
    /// The wake-up's size.
    pub size: u64,
    /// The budget.
    pub limit: usize,
    /// The unit of the size and the budget.
    pub unit: String,
    /// The hash of the wake-up's text.
    pub hash: String,
}

/// Recorded wake-ups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupList {
    /// The agent whose wake-ups are listed; `None` for all agents.
    #[serde(skip)]
    pub agent: Option<String>,
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
    /// The wake-up's template; `None` for the default template, and in records of earlier versions.
    pub template: Option<String>,
    /// Notices outside the text; empty in records of earlier versions.
    pub notices: Vec<WakeNotice>,
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
    /// The parts that the two wake-ups show differently.
    pub parts: Vec<WakePartChange>,
    /// The lines of both: `-` if only in the first, `+` if only in the second, a space if in both.
    pub lines: Vec<String>,
}

/// How two wake-ups show one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakePartChange {
    /// The part in the first wake-up.
    pub before: WakePart,
    /// The part in the second wake-up.
    pub after: WakePart,
}

/// A sub-agent's brief for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BriefView {
    /// The sub-agent's role.
    pub role: String,
    /// The role's brief.
    pub role_text: String,
    /// The task.
    pub task: TaskName,
    /// The plan's text about the task, word for word.
    pub text: Option<PlanText>,
    /// The constraints for all tasks of the plan.
    pub constraints: Vec<String>,
    /// The task's interfaces with other tasks.
    pub interfaces: Vec<String>,
    /// The notes on the task.
    pub notes: Vec<String>,
    /// Context from the orchestrator.
    pub context: Option<String>,
    /// Rules from other skills that also apply, one line each.
    pub reminders: Vec<ReminderView>,
}
