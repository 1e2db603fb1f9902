//! A step, the end of a run, a refusal.

use super::dispatch::{DispatchView, OrchestratorView, ReviewLoopView, VerdictView};
use super::run_notice::RunNotice;
use crate::engine::{GateDecision, RunState, RunStatus};
use crate::id::{RunId, TaskId, VisitToken};
use crate::interface::Interface;
use crate::message::TEXT_PLACEHOLDER;
use crate::name::StepId;
use crate::outcome::Outcome;
use serde::Serialize;

/// A step with everything the agent needs to do it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepView {
    /// The step's position.
    pub position: Position,
    /// The step's title.
    pub title: String,
    /// The step's phase.
    pub phase: Option<String>,
    /// The role of the agent.
    pub role: String,
    /// The role's brief, for a sub-agent that is starting or whose conversation was compacted.
    pub role_brief: Option<String>,
    /// The step's task.
    pub task: Option<TaskLabel>,
    /// The round of a loop.
    pub round: Option<Round>,
    /// The verdict that led to this step, or that the user must decide on.
    pub verdict: Option<VerdictView>,
    /// The step's part in a review loop.
    pub review_loop: Option<ReviewLoopView>,
    /// Notices about the run.
    pub notices: Vec<RunNotice>,
    /// The instructions.
    pub action: String,
    /// The documents of the step.
    pub resources: Vec<ResourceView>,
    /// Actions that the agent must not take.
    pub forbidden: Vec<String>,
    /// The tools the agent must not use.
    pub denied_tools: Vec<String>,
    /// Programs that may change files from the shell even if the tools for editing are denied.
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
    /// The command that reports a failure, if the workflow allows it.
    pub failure_command: Option<String>,
    /// The commands that a sub-agent uses to escalate, one per kind.
    pub escalations: Vec<Choice>,
    /// The file for the reason for a failure or an escalation.
    pub failure_file: Option<String>,
    /// The interface of the agent that does the step.
    #[serde(skip)]
    pub interface: Interface,
}

/// A step's task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskLabel {
    /// The task's id.
    pub id: TaskId,
    /// The task's number in the plan; empty if it has no number.
    pub number: String,
    /// The task's title.
    pub title: String,
}

/// A run's position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The skill.
    pub skill: String,
    /// The run.
    pub run: RunId,
    /// The status of the run.
    pub status: RunStatus,
    /// The visit's token.
    pub visit: Option<VisitToken>,
    /// The step.
    pub step: Option<String>,
}

/// A round in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Round {
    /// The round's number, starting at 1.
    pub number: u32,
    /// The maximum number of rounds.
    pub limit: u32,
}

/// A document of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResourceView {
    /// The document's name.
    pub name: String,
    /// The document's purpose.
    pub purpose: String,
    /// The document's text.
    pub content: String,
}

/// The expected result of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultView {
    /// The file for the result.
    pub file: String,
    /// The result's shape, as an outline of JSON.
    pub outline: String,
    /// The result's fields.
    pub fields: Vec<FieldView>,
    /// The checks on the result, one sentence each; the outline contains the checks too.
    pub checks: Vec<String>,
}

/// A field of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldView {
    /// The field's name.
    pub name: String,
    /// The field's type, in words.
    pub expected: String,
    /// Whether the field is required.
    pub required: bool,
    /// The field's purpose.
    pub help: Option<String>,
}

/// A question for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskView {
    /// The question.
    pub question: String,
    /// Whether the user must answer in person, so that no agent can relay the answer.
    pub in_person: bool,
    /// The answers to choose from.
    pub choices: Vec<Choice>,
    /// The file for a free answer.
    pub file: Option<String>,
    /// The file for the reason for a decision.
    pub reason_file: Option<String>,
}

impl AskView {
    /// The answer that a choice's command gives. Accepting a gate's findings needs a reason.
    pub fn form(&self, choice: &Choice) -> AnswerForm {
        let answer = choice.answer.clone();
        if self.reason_file.is_some() && answer == GateDecision::Accept.as_str() {
            AnswerForm::WithReason {
                answer,
                has_placeholder: choice.command.contains(TEXT_PLACEHOLDER),
            }
        } else {
            AnswerForm::Fixed(answer)
        }
    }
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The answer.
    pub answer: String,
    /// The command that gives the answer.
    pub command: String,
}

/// The answer that a command gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// This answer.
    Fixed(String),
    /// This answer, with a reason that the user writes.
    WithReason {
        /// The answer.
        answer: String,
        /// Whether the command contains a placeholder for the reason.
        has_placeholder: bool,
    },
    /// An answer that the user writes.
    Text,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// The run is complete.
    Complete,
    /// The run's last step failed.
    Failed {
        /// The step.
        step: StepId,
        /// The reason, if one was given.
        reason: Option<String>,
    },
    /// The run was cancelled.
    Cancelled,
}

impl RunEnding {
    /// How a run ended. A run that is not cancelled fails if its last visit failed.
    pub fn of(state: &RunState) -> Self {
        if state.status == RunStatus::Cancelled {
            return Self::Cancelled;
        }
        let failed = state.head().and_then(|visit| {
            let ending = visit.ending.as_ref();
            let ending = ending.filter(|ending| ending.outcome == Outcome::Fail)?;
            Some(Self::Failed {
                step: visit.step.clone(),
                reason: ending.reason.clone(),
            })
        });
        failed.unwrap_or(Self::Complete)
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EndView {
    /// The run's position.
    pub position: Position,
    /// How the run ended.
    pub ending: RunEnding,
    /// Notices about the run.
    pub notices: Vec<RunNotice>,
    /// The command that shows the run's results.
    pub command: String,
    /// For a sub-agent's run: the final message to its orchestrator.
    pub orchestrator: Option<OrchestratorView>,
}

/// A refusal in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalView {
    /// The stable code of the reason.
    pub code: String,
    /// What happened, as one sentence.
    pub message: String,
    /// The details, one line each.
    pub details: Vec<String>,
    /// The required shape of the result, if the result does not match it.
    pub outline: Option<String>,
    /// The instructions.
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
