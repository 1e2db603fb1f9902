//! Refusals: the rules do not allow a command.

use super::step::Position;
use super::task_name::TaskName;
use crate::code_help::{self, CodeHelp};
use crate::engine::Refusal;
use crate::id::{PlanId, TaskId};
use crate::name::AgentName;
use crate::plan::PlanNote;
use crate::rights::{Action, MissingAuthority};
use crate::task::TaskRefusal;

/// A refused command.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The reason.
    pub reason: RefusalReason,
    /// The required shape of the result as an outline, if the result does not match it.
    pub outline: Option<String>,
    /// The run's position.
    pub position: Option<Position>,
    /// The command to run next.
    pub command: Option<String>,
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum RefusalReason {
    /// The rules of a run, with the facts that help to continue.
    Run(Refusal, Box<RunHelp>),
    /// The result cannot be read.
    ResultUnreadable {
        /// The file with the result; `None` if the command contains the result.
        file: Option<String>,
        /// The error.
        error: String,
    },
    /// The actor lacks the authority for an action outside a run.
    NotAllowed {
        /// The action.
        action: Action,
        /// The missing authority.
        lack: MissingAuthority,
        /// The command that the user can run.
        command: String,
    },
    /// The rules of a task.
    Task {
        /// The refusal.
        refusal: TaskRefusal,
        /// The task.
        task: TaskName,
        /// The tasks that the refusal names.
        named: Vec<TaskName>,
        /// Number of further tasks.
        more: usize,
    },
    /// Dependencies would form a cycle: each of these tasks waits for the other.
    TaskCycle(Vec<(TaskName, TaskName)>),
    /// A plan cannot be imported.
    Plan(PlanRefusal),
}

/// The facts that help an agent to continue after its run refused a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunHelp {
    /// Whether the run has ended.
    pub has_ended: bool,
    /// The run's folder.
    pub directory: String,
    /// Where the visit's result is; `None` if no visit is current.
    pub result: Option<ResultPlace>,
    /// The file for a missing text.
    pub text_file: Option<TextFile>,
    /// The commands that answer the run's question.
    pub answers: Vec<AnswerCommand>,
    /// How to continue with each of the refusal's sub-agents, in the refusal's order.
    pub children: Vec<ChildCommand>,
    /// The command that ends the step while its sub-agents have open questions.
    pub end_unanswered: Option<String>,
    /// The files that changed after a review.
    pub changed_files: Option<ChangedFiles>,
    /// The commands by which the user trusts the run's skill.
    pub trust: Option<TrustCommands>,
}

/// Where the result of a visit is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultPlace {
    /// In this file.
    File(String),
    /// In the command.
    Command,
}

/// The file for a text that a command lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFile {
    /// The text of a visit.
    Visit(String),
    /// The reason for accepting findings, which the command can also contain.
    Reason(String),
    /// The answer to a sub-agent.
    Answer(String),
}

/// A command that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerCommand {
    /// Gives a fixed answer.
    Fixed {
        /// The answer.
        answer: String,
        /// Whether the command contains a placeholder for the reason.
        has_placeholder: bool,
        /// The command.
        command: String,
    },
    /// Gives the user's own answer, for which the command contains a placeholder.
    Text(String),
}

/// A command about a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildCommand {
    /// Starts or resumes the sub-agent.
    Start(String),
    /// Starts or resumes the sub-agent that reviews.
    StartReview(String),
    /// Restarts the reviewer.
    Restart(String),
    /// Restarts the sub-agent with the answer in a file.
    Answer {
        /// The file.
        file: String,
        /// The command.
        retry: String,
    },
    /// Shows the sub-agent's question and the commands that answer it.
    ShowQuestion(String),
}

/// Files that have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFiles {
    /// The first files.
    pub files: Vec<String>,
    /// Number of further files.
    pub more: usize,
}

/// The commands by which a user trusts a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustCommands {
    /// The command that upgrades the run, if the skill has changed since the run started.
    pub upgrade: Option<String>,
    /// The command that trusts the skill.
    pub trust: String,
}

/// Why a plan cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanRefusal {
    /// The file has no tasks.
    NoTasks {
        /// The file.
        file: String,
        /// What the parser could not read.
        notes: Vec<PlanNote>,
        /// The file's first headings.
        headings: Vec<String>,
    },
    /// The file lacks tasks that are in progress.
    ActiveVanish {
        /// The file.
        file: String,
        /// The tasks with their agents.
        tasks: Vec<(TaskName, Option<AgentName>)>,
    },
    /// The file is probably a known plan under another name.
    PerhapsRenamed {
        /// The plan.
        plan: PlanId,
        /// The plan's missing file.
        file: String,
        /// The command that keeps the plan's tasks.
        keep: String,
        /// The command that imports the file as a new plan.
        import_as_new: String,
    },
    /// The file was already imported as another plan.
    ImportedTwice {
        /// The file.
        file: String,
        /// The plan that the command names.
        named: PlanId,
        /// The plan of the file.
        plan: PlanId,
        /// The root task of the file's plan.
        root: TaskId,
        /// The title of the file's plan.
        title: String,
    },
    /// The plan's dependencies form a cycle: each of these nodes waits for the other.
    Cycle {
        /// The file.
        file: String,
        /// The cycle.
        waits: Vec<(PlanPlace, PlanPlace)>,
    },
}

/// A node of a plan's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanPlace {
    /// A task.
    Task {
        /// The task's number.
        number: String,
        /// The line.
        line: usize,
    },
    /// A group of tasks.
    Group {
        /// The group's title.
        title: String,
        /// The line.
        line: usize,
    },
    /// A node that is not in the file.
    Unknown,
}

impl Refused {
    /// A refusal outside any run, without a command to run next.
    pub fn new(reason: RefusalReason) -> Self {
        Self {
            reason,
            outline: None,
            position: None,
            command: None,
        }
    }
}

impl RefusalReason {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Run(refusal, _) => refusal.code(),
            Self::ResultUnreadable { .. } => code_help::RESULT_UNREADABLE.code,
            Self::NotAllowed { lack, .. } => lack.code(),
            Self::Task { refusal, .. } => refusal.code(),
            Self::TaskCycle(_) => code_help::CYCLE.code,
            Self::Plan(refusal) => refusal.help().code,
        }
    }
}

impl PlanRefusal {
    fn help(&self) -> CodeHelp {
        match self {
            Self::NoTasks { .. } => code_help::NO_TASKS,
            Self::ActiveVanish { .. } => code_help::ACTIVE_VANISH,
            Self::PerhapsRenamed { .. } => code_help::PERHAPS_RENAMED,
            Self::ImportedTwice { .. } => code_help::IMPORTED_TWICE,
            Self::Cycle { .. } => code_help::CYCLE,
        }
    }
}
