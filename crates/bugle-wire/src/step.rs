//! A step, the end of a run, a refusal.

use serde::Serialize;

use crate::dispatch::{DispatchView, OrchestratorView, ReviewLoopView, VerdictView};

/// A step, with everything that is needed to do it and nothing else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepView {
    /// Where this is.
    pub position: Position,
    /// What the step is called.
    pub title: String,
    /// The group it belongs to.
    pub phase: Option<String>,
    /// Who acts.
    pub role: String,
    /// What the role asks for, where a sub-agent begins.
    pub role_brief: Option<String>,
    /// The task that it is about.
    pub task: Option<TaskLabel>,
    /// Which round of a loop this is.
    pub round: Option<Round>,
    /// The verdict that led here, or that a person has to decide on.
    pub verdict: Option<VerdictView>,
    /// The side of a review loop that this step is on.
    pub review_loop: Option<ReviewLoopView>,
    /// Facts about the run that the agent should know, one sentence each.
    pub notices: Vec<String>,
    /// What to do.
    pub action: String,
    /// Documents that the step needs.
    pub resources: Vec<ResourceView>,
    /// What must not be done.
    pub forbidden: Vec<String>,
    /// Tools that may not be used.
    pub denied_tools: Vec<String>,
    /// Programs that may change files from the shell although the tools for that may not be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_programs: Vec<String>,
    /// The only tools that may be used, if there is such a list.
    pub allowed_tools: Vec<String>,
    /// What Bugle will check, one sentence each.
    pub evidence: Vec<String>,
    /// The expected result.
    pub result: Option<ResultView>,
    /// The sub-agents that carry it out.
    pub dispatch: Option<DispatchView>,
    /// The question that a person has to answer.
    pub ask: Option<AskView>,
    /// The command that ends the step; where a person has a choice, the commands stand with the question.
    pub command: Option<String>,
    /// The command that reports that the step cannot be done, if it has a way on from there.
    pub failure_command: Option<String>,
    /// The commands with which a sub-agent passes its work back, each with the word for its kind of trouble.
    pub escalations: Vec<Choice>,
    /// The file to write the reason of a failure or of an escalation to.
    pub failure_file: Option<String>,
}

/// A task by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskLabel {
    /// Its id.
    pub id: String,
    /// Its number in the plan; empty if it has none.
    pub number: String,
    /// Its title.
    pub title: String,
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The skill.
    pub skill: String,
    /// The run.
    pub run: String,
    /// The status of the run.
    pub status: RunStatus,
    /// The token of the visit.
    pub visit: Option<String>,
    /// The step.
    pub step: Option<String>,
}

text_enum! {
    /// The status of a run.
    RunStatus {
        /// An agent is at work.
        Active = "active",
        /// A person has to answer.
        Waiting = "waiting",
        /// Paused.
        Paused = "paused",
        /// At its end.
        Completed = "completed",
        /// Cancelled.
        Cancelled = "cancelled",
    }
}

/// Which round of a loop a visit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Which, from 1.
    pub number: u32,
    /// How many there are at most.
    pub limit: u32,
}

/// A document that a step needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResourceView {
    /// What it is called.
    pub name: String,
    /// What it is there for.
    pub purpose: String,
    /// The document.
    pub content: String,
}

/// The expected result of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultView {
    /// The file to write it to.
    pub file: String,
    /// What it must look like, as an outline of JSON.
    pub outline: String,
    /// Its fields.
    pub fields: Vec<FieldView>,
    /// What must hold of it beyond the types of its fields, one sentence each; the outline has them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// A field of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldView {
    /// What it is called.
    pub name: String,
    /// What it must look like, in words.
    pub expected: String,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub help: Option<String>,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskView {
    /// The question.
    pub question: String,
    /// Whether only a person can answer it, and no agent can relay the answer.
    pub in_person: bool,
    /// The answers to choose from.
    pub choices: Vec<Choice>,
    /// The file to write a free answer to.
    pub file: Option<String>,
    /// The file to write the reason of a decision to.
    pub reason_file: Option<String>,
}

/// An answer to choose.
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
    /// Where this is.
    pub position: Position,
    /// What it comes to, in a sentence.
    pub message: String,
    /// Facts about the run that the reader should know.
    pub notices: Vec<String>,
    /// The command that shows what the run found.
    pub command: String,
    /// For a sub-agent's run: what the agent that started it does next.
    pub orchestrator: Option<OrchestratorView>,
}

/// Why the rules do not allow something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalView {
    /// A stable word for the reason.
    pub code: String,
    /// What happened, in a sentence.
    pub message: String,
    /// The details, one line each.
    pub details: Vec<String>,
    /// What the result must look like, if it did not.
    pub outline: Option<String>,
    /// What to do about it.
    pub remedy: String,
    /// Where the run stands.
    pub position: Option<Position>,
    /// The command that goes on from there.
    pub command: Option<String>,
}

/// What was done, where there is nothing more to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// In a sentence or two.
    pub message: String,
}

/// Something went wrong outside the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// What happened and why.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// The exit code.
    pub exit: u8,
}
