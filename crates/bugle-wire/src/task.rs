//! Tasks: in a tree, one by one, and what a command changed.

use serde::Serialize;

use crate::run::TimelineEntry;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskView {
    /// Its id.
    pub id: String,
    /// Its number in its plan.
    pub number: Option<String>,
    /// What is to be done.
    pub title: String,
    /// Number and title in one, as people speak of it.
    pub label: String,
    /// Its state.
    pub state: TaskState,
    /// Whether everything in it is closed and only it is not.
    pub ready_to_close: bool,
    /// Why it is skipped, failed or blocked.
    pub reason: Option<String>,
    /// Whose it is.
    pub agent: Option<String>,
    /// The skill it names itself.
    pub skill: Option<String>,
    /// The run that works on it.
    pub run: Option<String>,
    /// How often it was begun again after it had failed.
    pub retries: u32,
    /// How many children it has.
    pub children: u32,
    /// How many of them are open.
    pub open_children: u32,
    /// The tasks it must wait for, because the plan declares it or a person said so.
    pub waits_for: Vec<String>,
    /// The tasks it comes after in the order of its plan.
    pub comes_after: Vec<String>,
    /// Whether it was taken out of the tree.
    pub removed: bool,
}

text_enum! {
    /// The state of a task, which follows from its status and from what it waits for.
    TaskState {
        /// It is finished.
        Done = "done",
        /// It is left out.
        Skipped = "skipped",
        /// Something it needs is open, or its agent waits.
        Blocked = "blocked",
        /// An agent works on it, or on something in it.
        Active = "active",
        /// It was tried and could not be finished.
        Failed = "failed",
        /// It can start.
        Pending = "pending",
    }
}

/// A task that is only named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskName {
    /// Its id.
    pub id: String,
    /// Number and title.
    pub label: String,
}

/// Tasks as trees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskTree {
    /// The tasks in order, a parent before its children.
    pub tasks: Vec<TaskLine>,
    /// Whether there are more than were asked for.
    pub more: bool,
    /// Where work stands.
    pub position: Option<TaskPosition>,
}

/// A task in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskLine {
    /// How deep it is, from 0.
    pub depth: u32,
    /// Whether it is the position.
    pub current: bool,
    /// The task.
    #[serde(flatten)]
    pub task: TaskView,
}

/// Where work stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskPosition {
    /// The first open task without an open child.
    pub task: TaskView,
    /// Its ancestors, the nearest first.
    pub above: Vec<TaskName>,
    /// Where that is, in a sentence.
    pub sentence: String,
    /// The skill for it.
    pub skill: SkillChoiceView,
    /// The plan it comes from.
    pub plan: Option<PlanName>,
    /// The commands that go on from here.
    pub commands: Vec<CommandView>,
    /// What else the reader should know.
    pub notices: Vec<String>,
}

/// The position, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextView {
    /// Where work stands; nothing if no task is open.
    pub position: Option<TaskPosition>,
    /// What to say if there is none.
    pub message: String,
}

/// A command, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandView {
    /// What it does.
    pub does: String,
    /// As it is to be typed.
    pub command: String,
}

/// The skill that applies to a task, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillChoiceView {
    /// The task.
    pub task: TaskName,
    /// The skill; nothing if none applies.
    pub skill: Option<String>,
    /// Why, in a sentence.
    pub because: String,
    /// The same as one word.
    pub reason: SkillReason,
    /// What else holds, a line each.
    pub reminders: Vec<ReminderView>,
    /// The exact version that its plan keeps to.
    pub pinned: Option<PinView>,
    /// Where it would be read from now; nothing if it is not installed.
    pub installed: Option<String>,
    /// What else the reader should know: that another version is installed, or none.
    pub notices: Vec<String>,
    /// The sections of the skill that this task needs.
    pub sections: Vec<SectionView>,
    /// The skills it was worked on with, the first one first.
    pub history: Vec<PinView>,
}

text_enum! {
    /// Why a skill was chosen for a task.
    SkillReason {
        /// The task names it.
        Explicit = "explicit",
        /// A task above names it.
        Inherited = "inherited",
        /// A rule of the user matches.
        UserRule = "user_rule",
        /// A built-in rule matches.
        BuiltInRule = "built_in_rule",
        /// It is the default of the role.
        Role = "role",
        /// No skill applies.
        Nothing = "nothing",
    }
}

/// A rule that holds across skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReminderView {
    /// The rule.
    pub line: String,
    /// The skill that says it in full.
    pub skill: String,
}

/// The exact version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinView {
    /// The skill.
    pub skill: String,
    /// The hash of its files.
    pub hash: String,
    /// The version it calls itself.
    pub version: Option<String>,
    /// Where it was found.
    pub source: Option<String>,
}

/// A section of a skill, and whether a task needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionView {
    /// Its heading.
    pub title: String,
    /// How much speaks for it.
    pub score: u32,
    /// Whether that is enough.
    pub needed: bool,
    /// Characters in full.
    pub characters: usize,
    /// Characters of its digest.
    pub digest_characters: usize,
}

/// A task with everything about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskDetail {
    /// The task.
    pub task: TaskView,
    /// Its ancestors, the nearest first.
    pub above: Vec<TaskName>,
    /// Where it stands, in a sentence.
    pub sentence: String,
    /// The skill for it.
    pub skill: SkillChoiceView,
    /// What it waits for and is open, because the plan declares it or a person said so.
    pub waits_for: Vec<TaskName>,
    /// What comes before it in the order of its plan and is open.
    pub comes_after: Vec<TaskName>,
    /// What waits for it.
    pub needed_by: Vec<TaskName>,
    /// What is noted, the first one first.
    pub notes: Vec<NoteView>,
    /// How many notes are not shown.
    pub earlier_notes: usize,
    /// Its children, if requested.
    pub inside: Vec<TaskLine>,
    /// The plan it comes from.
    pub plan: Option<PlanName>,
    /// What the plan says about it, if that is asked for.
    pub text: Option<PlanText>,
    /// What holds for all tasks of the plan, if that is asked for.
    pub constraints: Vec<String>,
    /// What happened to it, if that is asked for.
    pub history: Vec<TimelineEntry>,
    /// The commands that go on from here.
    pub commands: Vec<CommandView>,
    /// What else the reader should know.
    pub notices: Vec<String>,
}

/// Something that was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteView {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// By whom.
    pub by: String,
    /// What.
    pub text: String,
}

/// The tasks that a command changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TasksChanged {
    /// In a sentence or two.
    pub message: String,
    /// The tasks that the command was about.
    pub tasks: Vec<TaskView>,
    /// What happened to others because of it, a line each.
    pub also: Vec<String>,
    /// Where work stands now.
    pub next: Option<TaskPosition>,
}

/// Everything that can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadyList {
    /// The tasks, in order.
    pub tasks: Vec<TaskView>,
    /// Whether there are more than were asked for.
    pub more: bool,
    /// Whether nothing can start where work is done here, and these lie elsewhere in the project.
    pub elsewhere: bool,
}

/// A plan that is only named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanName {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its title.
    pub title: String,
}

/// A part of a plan, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanText {
    /// The file.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}
