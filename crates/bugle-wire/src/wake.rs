//! The facts of a wake-up before anything is cut, and the assembled wake-up.

use serde::Serialize;

use crate::activity::{ActivityView, WakeMessage};
use crate::recovery::RecoveryView;
use crate::step::StepView;
use crate::task::{CommandView, PlanName, PlanText, ReminderView, TaskLine, TaskName, TaskPosition};

/// Everything that may be said to an agent that wakes up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WakeFacts {
    /// Why it wakes up.
    pub reason: WakeReason,
    /// Whether it still has what it knew, so that only what is new has to be said.
    pub remembers: bool,
    /// What it is called.
    pub agent: String,
    /// The project's folder, by name.
    pub project: String,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// What is to be taken over, if the agent replaces one that died.
    pub recovery: Option<RecoveryView>,
    /// The runs that are open, the one that the agent is at first; of that one, its step.
    pub step: Option<StepView>,
    /// Where the agent has none, the run here that another one has.
    pub held: Option<HeldRun>,
    /// How many other runs are open here.
    pub other_runs: u32,
    /// Where work stands in the tree of tasks.
    pub position: Option<TaskPosition>,
    /// The current task, its ancestors, siblings and children, in order.
    pub tasks: Vec<TaskLine>,
    /// The tasks that some of these wait for and that stand elsewhere.
    pub waited_for: Vec<TaskName>,
    /// How many tasks of the plan are closed; without a plan, how many under the outermost task. Nothing if there are
    /// too many to count.
    pub closed: Option<u32>,
    /// How many of these there are; if there are too many to count, how many there are at least.
    pub total: u32,
    /// The skill for it.
    pub skill: Option<WakeSkill>,
    /// The plan it comes from.
    pub plan: Option<WakePlan>,
    /// What earlier steps and tasks found, the most useful first.
    pub learnt: Vec<LearntView>,
    /// What happened lately, the latest last.
    pub activity: Vec<ActivityView>,
    /// What the agent was asked, has read and has not answered, the oldest first.
    pub questions: Vec<WakeMessage>,
    /// What was said to the agent and it has not read, the oldest first.
    pub messages: Vec<WakeMessage>,
    /// How many more there are.
    pub more_messages: u64,
    /// The command that shows everything that is left out here.
    pub again: String,
    /// What to do next.
    pub next: NextAction,
}

text_enum! {
    /// Why an agent wakes up.
    WakeReason {
        /// A session begins.
        Startup = "startup",
        /// A session continues with all it knew.
        Resume = "resume",
        /// A session was emptied.
        Clear = "clear",
        /// A session was compacted, and lost what is not in its summary.
        Compact = "compact",
        /// It received a message.
        Mention = "mention",
        /// Something happened that it waits for.
        Event = "event",
        /// It is a sub-agent, and begins.
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
    /// Its owner: an agent as `@name`; none if it was started outside any session.
    pub with: Option<String>,
    /// Whether that one's session is over.
    pub is_over: bool,
    /// How long ago that one was heard of, in words.
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
    /// The version it calls itself, and the hash of its bytes.
    pub version: Option<String>,
    /// Its sections in the order of its text, each at every size.
    pub sections: Vec<WakeSection>,
    /// What else holds, a line each.
    pub reminders: Vec<ReminderView>,
    /// What the reader should know: that another version is installed, or none.
    pub notices: Vec<String>,
    /// Where the whole text is: a file, or the command that prints it.
    pub whole: Option<String>,
}

/// A section of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeSection {
    /// Its heading; empty for what stands before the first.
    pub title: String,
    /// How much speaks for it.
    pub score: u32,
    /// Whether the task or step needs it.
    pub needed: bool,
    /// All of it.
    pub full: String,
    /// What it asks for.
    pub digest: String,
    /// That it exists, in a line.
    pub pointer: String,
}

/// The plan that is worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakePlan {
    /// Its id, file and title.
    pub name: PlanName,
    /// What it is for.
    pub goal: Option<String>,
    /// What holds for all its tasks.
    pub constraints: Vec<String>,
    /// What the current task takes from others and gives to them, a line each.
    pub interfaces: Vec<String>,
    /// What it says about the current task, word for word.
    pub text: Option<PlanText>,
    /// What the reader should know about its file.
    pub notices: Vec<String>,
    /// The command that shows all that it says about the current task.
    pub task_command: Option<String>,
    /// The command that shows the rest.
    pub command: String,
}

/// Something that an earlier step or task found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearntView {
    /// Where it comes from: a step, a task, a note.
    pub from: String,
    /// What it is, as it was written.
    pub what: String,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextAction {
    /// In a sentence or two, as a fact: what is open and what closes it. Empty where the position says it.
    pub says: String,
    /// The next commands, in order. Each runs as printed.
    pub commands: Vec<CommandView>,
}

/// A wake-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeView {
    /// Its id, if it was kept.
    pub id: Option<String>,
    /// Why the agent wakes up.
    pub reason: WakeReason,
    /// Whom it is for.
    pub agent: String,
    /// The text.
    pub text: String,
    /// Its size.
    pub size: usize,
    /// How large it may be.
    pub limit: usize,
    /// In what both are counted.
    pub unit: String,
    /// How each part came out.
    pub parts: Vec<WakePart>,
    /// The size of what is never cut, if that alone is more than the budget.
    pub too_small: Option<usize>,
    /// The template that gives it its shape, if it has not the usual one.
    pub template: Option<String>,
    /// What is wrong with the template that should give it its shape.
    pub notices: Vec<String>,
}

/// How a part of a wake-up came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakePart {
    /// Which part.
    pub part: String,
    /// What became of it.
    pub verdict: PartResult,
    /// How much of it is shown.
    pub detail: Option<PartDetail>,
    /// How large it is.
    pub size: usize,
    /// How large it would be whole.
    pub whole: usize,
}

text_enum! {
    /// What became of a part of a wake-up.
    PartResult {
        /// It is shown at its largest size.
        Whole = "whole",
        /// It is shown at a smaller size, because the larger ones did not fit.
        Cut = "cut",
        /// It is not shown, because not even its smallest size fitted.
        LeftOut = "left out",
        /// There was nothing to say.
        Empty = "empty",
        /// It is not shown, because the template of the wake-up has no place for it.
        Unwanted = "not in the template",
    }
}

text_enum! {
    /// How much of a part is shown.
    PartDetail {
        /// A line that says that it exists.
        Pointer = "pointer",
        /// What it asks for.
        Digest = "digest",
        /// All of it.
        Full = "full",
    }
}

/// A wake-up that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupSummary {
    /// Its id.
    pub id: String,
    /// Whom it was for.
    pub agent: String,
    /// Why.
    pub reason: WakeReason,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// How large it was.
    pub size: u64,
    /// How large it might be.
    pub limit: usize,
    /// In what both are counted.
    pub unit: String,
    /// The hash of its text.
    pub hash: String,
}

/// Wake-ups that were given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupList {
    /// The latest first.
    pub wakeups: Vec<WakeupSummary>,
}

/// A wake-up that was given, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupDetail {
    /// The wake-up.
    pub wakeup: WakeupSummary,
    /// How each part came out.
    pub parts: Vec<WakePart>,
    /// The text.
    pub text: String,
}

/// What one wake-up says and another does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupDiff {
    /// The one.
    pub from: WakeupSummary,
    /// The other.
    pub to: WakeupSummary,
    /// The lines of both: `-` only in the first, `+` only in the second, a space in both.
    pub lines: Vec<String>,
}

/// What a sub-agent needs for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BriefView {
    /// Its role.
    pub role: String,
    /// The brief of the role.
    pub role_text: String,
    /// The task.
    pub task: TaskName,
    /// What the plan says about it, word for word.
    pub text: Option<PlanText>,
    /// What holds for all tasks of the plan.
    pub constraints: Vec<String>,
    /// What the task takes from others and gives to them.
    pub interfaces: Vec<String>,
    /// What is noted with the task.
    pub notes: Vec<String>,
    /// What the sender of the task adds.
    pub context: Option<String>,
    /// What else holds, a line each.
    pub reminders: Vec<ReminderView>,
}
