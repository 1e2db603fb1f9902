//! A step, the end of a run, a refusal.

use serde::Serialize;

use crate::dispatch::{DispatchView, OrchestratorView, ReviewLoopView, VerdictView};

/// A step with everything the agent needs to do it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepView {
    /// Its position.
    pub position: Position,
    /// Its title.
    pub title: String,
    /// Its phase.
    pub phase: Option<String>,
    /// The role of the agent.
    pub role: String,
    /// The role's brief, for a sub-agent that is starting or has lost its memory.
    pub role_brief: Option<String>,
    /// Its task.
    pub task: Option<TaskLabel>,
    /// The round of a loop.
    pub round: Option<Round>,
    /// The verdict that led here, or that the user must decide on.
    pub verdict: Option<VerdictView>,
    /// The step's part in a review loop.
    pub review_loop: Option<ReviewLoopView>,
    /// Notices about the run, one sentence each.
    pub notices: Vec<String>,
    /// What to do.
    pub action: String,
    /// The documents of the step.
    pub resources: Vec<ResourceView>,
    /// What the agent must not do.
    pub forbidden: Vec<String>,
    /// The tools the agent must not use.
    pub denied_tools: Vec<String>,
    /// Programs that may change files from the shell even if the tools for editing are denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_programs: Vec<String>,
    /// The only tools the agent may use, if there is such a list.
    pub allowed_tools: Vec<String>,
    /// The evidence that Bugle will check, one sentence each.
    pub evidence: Vec<String>,
    /// The expected result.
    pub result: Option<ResultView>,
    /// The sub-agents that do the work.
    pub dispatch: Option<DispatchView>,
    /// The question for the user.
    pub ask: Option<AskView>,
    /// The command that ends the step; a question with choices has its own commands.
    pub command: Option<String>,
    /// The command that reports that the step failed, if the workflow allows it.
    pub failure_command: Option<String>,
    /// The commands that a sub-agent uses to escalate, one per kind.
    pub escalations: Vec<Choice>,
    /// The file for the reason for a failure or an escalation.
    pub failure_file: Option<String>,
}

/// A step's task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskLabel {
    /// Its id.
    pub id: String,
    /// Its number in the plan; empty if it has no number.
    pub number: String,
    /// Its title.
    pub title: String,
}

/// A run's position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The skill.
    pub skill: String,
    /// The run.
    pub run: String,
    /// The status of the run.
    pub status: RunStatus,
    /// The visit's token.
    pub visit: Option<String>,
    /// The step.
    pub step: Option<String>,
}

text_enum! {
    /// The status of a run.
    RunStatus {
        /// An agent is working on it.
        Active = "active",
        /// It is waiting for the user's answer.
        Waiting = "waiting",
        /// Paused.
        Paused = "paused",
        /// It has ended.
        Completed = "completed",
        /// Cancelled.
        Cancelled = "cancelled",
    }
}

/// A round in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// The maximum number of rounds.
    pub limit: u32,
}

/// A document of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResourceView {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub purpose: String,
    /// Its text.
    pub content: String,
}

/// The expected result of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultView {
    /// The file for it.
    pub file: String,
    /// Its shape, as an outline of JSON.
    pub outline: String,
    /// Its fields.
    pub fields: Vec<FieldView>,
    /// Its checks, one sentence each; the outline contains them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// A field of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldView {
    /// Its name.
    pub name: String,
    /// Its type, in words.
    pub expected: String,
    /// Whether it is required.
    pub required: bool,
    /// What it is for.
    pub help: Option<String>,
}

/// A question for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskView {
    /// The question.
    pub question: String,
    /// Whether only the user can answer it, so that no agent can relay the answer.
    pub in_person: bool,
    /// The answers to choose from.
    pub choices: Vec<Choice>,
    /// The file for a free answer.
    pub file: Option<String>,
    /// The file for the reason for a decision.
    pub reason_file: Option<String>,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The answer.
    pub answer: String,
    /// The command that gives it.
    pub command: String,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndView {
    /// Its position.
    pub position: Position,
    /// How the run ended, as one sentence.
    pub message: String,
    /// Notices about the run.
    pub notices: Vec<String>,
    /// The command that shows the run's results.
    pub command: String,
    /// For a sub-agent's run: the final message to its orchestrator.
    pub orchestrator: Option<OrchestratorView>,
}

/// A refusal: the rules do not allow the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalView {
    /// The stable code of the reason.
    pub code: String,
    /// What happened, as one sentence.
    pub message: String,
    /// The details, one line each.
    pub details: Vec<String>,
    /// The required shape of the result, if the result did not have it.
    pub outline: Option<String>,
    /// What to do.
    pub remedy: String,
    /// The run's position.
    pub position: Option<Position>,
    /// The command to run next.
    pub command: Option<String>,
}

/// The answer to a command that returns no other data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// What was done, in one or two sentences.
    pub message: String,
}

/// An error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// What happened and why.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// The exit code.
    pub exit: u8,
}
