//! Commands to run next.

use serde::Serialize;

use super::run::RunLabel;
use super::step::AnswerForm;
use crate::agent::AgentStatus;
use crate::engine::RunStatus;

/// A command and its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandView {
    /// The command's purpose.
    pub purpose: Purpose,
    /// The command line.
    pub command: String,
}

/// The purpose of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Closes the task, once its work is done.
    FinishTask,
    /// Shows everything about the task or the run.
    ShowDetails,
    /// Restores a removed task.
    RestoreTask,
    /// Reopens a closed task.
    ReopenTask,
    /// Starts the task.
    StartTask,
    /// Starts a blocked or failed task again.
    RetryTask,
    /// Takes the task over from another agent.
    TakeOverTask,
    /// Shows the next task.
    NextTask,
    /// Shows the next subtask.
    NextSubtask,
    /// Lists the tasks that can start.
    ListReady,
    /// Lists tasks that can start instead of this task.
    ListOtherReady,
    /// Shows the current step of the task's run.
    ShowStepOfTask,
    /// Ends the step, once its work is done.
    FinishStep,
    /// Ends a step that a lost agent left unfinished.
    EndLostStep,
    /// Shows a step that a lost agent left unfinished.
    ShowLostStep,
    /// Gives this answer.
    Answer(String),
    /// Shows the sub-agents' questions.
    ShowQuestions,
    /// Shows the agent's messages.
    ShowMessages,
    /// Shows this number of unread messages.
    ReadMessages(u64),
    /// Continues the run of this skill.
    ContinueRun(String),
    /// Shows a run that has ended.
    ShowEndedRun {
        /// The run's skill.
        skill: String,
        /// How the run ended.
        status: RunStatus,
    },
    /// Lists the skills.
    ListSkills,
    /// Explains how to connect a client.
    SetUpClient,
    /// Plays the demo.
    WatchDemo,
    /// Handles an item that needs the user's attention.
    Attend {
        /// The project's name; `None` if it is the current project.
        project: Option<String>,
        /// The item that needs the user's attention.
        need: Need,
    },
}

/// An item that needs the user's attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// An agent's question in a message.
    Question {
        /// The agent.
        agent: String,
        /// The question.
        text: String,
    },
    /// A paused run.
    PausedRun(RunLabel),
    /// A run's question.
    RunQuestion {
        /// The run.
        run: RunLabel,
        /// The question.
        question: String,
        /// The answer that the command gives.
        answer: AnswerForm,
    },
    /// Another answer to the same question.
    OtherAnswer {
        /// The answer that the command gives.
        answer: AnswerForm,
    },
    /// The question above, in full.
    WholeQuestion,
    /// A run that waits for a decision.
    Decision(RunLabel),
    /// An agent that is blocked or has failed.
    Agent {
        /// The agent.
        agent: String,
        /// Its status.
        status: AgentStatus,
    },
    /// Unread messages.
    Messages {
        /// The number of messages, without questions.
        number: u64,
        /// Whether the inbox also lists questions.
        besides_questions: bool,
    },
}
