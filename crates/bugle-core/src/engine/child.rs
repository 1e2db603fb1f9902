//! The types of a sub-agent's run: its origin, brief and state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::also_found::AlsoFound;
use super::task_ref::TaskRef;
use crate::id::{ChildToken, RunId, VisitNumber};
use crate::name::StepId;
use crate::path::SkillPath;
use crate::review::{Dispute, Finding, OpenFinding};
use crate::role::AgentRole;
use crate::workflow::{StepDef, Workflow, WorkflowDef};

/// The origin of a sub-agent's run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildOrigin {
    /// The dispatching visit, and the sub-agent's number within it.
    pub token: ChildToken,
    /// The attempt number, starting at 1: a failed sub-agent may be restarted.
    pub attempt: u32,
    /// The sub-agent's role.
    pub role: AgentRole,
    /// The workflow or brief that the sub-agent follows.
    pub work: ChildWork,
    /// The work that the sub-agent contributes to.
    #[serde(default, skip_serializing_if = "Assignment::is_plain")]
    pub assignment: Assignment,
    /// Why the previous attempt stopped, and the answer to its question or problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredEscalation>,
    /// The task that the sub-agent was dispatched for, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<TaskRef>>,
}

/// The workflow or brief that a sub-agent follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildWork {
    /// One of the skill's workflows.
    Workflow(SkillPath),
    /// A brief: a single step, built from the dispatching step.
    Brief(Box<StepDef>),
}

impl ChildWork {
    /// The workflow to follow: one of the skill's workflows, or the brief's single step. `None` if the skill has no
    /// such workflow.
    pub fn workflow(&self, skill: &BTreeMap<SkillPath, Workflow>) -> Option<Workflow> {
        match self {
            Self::Workflow(file) => skill.get(file).cloned(),
            Self::Brief(step) => Some(Workflow::proven(WorkflowDef::new([(**step).clone()]))),
        }
    }
}

/// The work that a sub-agent contributes to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assignment {
    /// The step itself.
    #[default]
    Plain,
    /// A review.
    Review(GateBrief),
    /// A fix for review findings.
    Rework(ReworkBrief),
}

impl Assignment {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// A sub-agent's input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildPlan {
    /// The sub-agent's params.
    pub params: Map<String, Value>,
    /// The plan task that the sub-agent was dispatched for, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
}

/// A reviewer's information about its gate. It includes only accepted, disputed and deferred earlier findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateBrief {
    /// The gate's name.
    pub name: String,
    /// The review number, starting at 1.
    pub iteration: u32,
    /// The checks that the reviewer's report must cover; empty in the first review.
    pub checks: Vec<String>,
    /// Findings that a person accepted as risks. The reviewer must not report them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Finding>,
    /// Earlier findings that the author disputes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<Dispute>,
    /// Non-blocking findings from earlier gates, if this is the last gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Finding>,
}

/// The input of the fixing agent: every open finding in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReworkBrief {
    /// The gate's name.
    pub name: String,
    /// The visit to the gate that sent the work back.
    pub visit: VisitNumber,
    /// The review number, starting at 1.
    pub iteration: u32,
    /// The blocking findings, and the number of times each was reported.
    pub findings: Vec<OpenFinding>,
    /// Why a person asked for another fix, if a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// Why an earlier attempt stopped, and the answer to its question or problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredEscalation {
    /// The kind of problem.
    pub kind: Escalation,
    /// The problem.
    pub reason: String,
    /// The answer.
    pub answer: String,
}

/// Why a sub-agent cannot continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// Something blocks the work.
    Blocked,
    /// A person must decide.
    NeedsDecision,
    /// Too much is unclear.
    Uncertainty,
}

enum_text!(Escalation {
    Blocked = "blocked",
    NeedsDecision = "needs_decision",
    Uncertainty = "uncertainty",
});

/// The store's record of a sub-agent's run.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildReport {
    /// The sub-agent's number, starting at 1.
    pub slot: u32,
    /// The sub-agent's run.
    pub run: RunId,
    /// The sub-agent's state.
    pub state: ChildState,
    /// The fingerprint of the project's files at the time of the sub-agent's report.
    pub tree: Option<String>,
    /// The problems that the sub-agent noticed outside its work.
    pub also_found: Vec<AlsoFound>,
}

/// A sub-agent's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildState {
    /// Not started.
    NotStarted,
    /// Working on this step.
    Working(StepId),
    /// Waiting for a person's answer.
    Waiting,
    /// The agent stopped without a report, and no other agent has resumed the run.
    Left,
    /// Paused.
    Paused,
    /// Cancelled.
    Cancelled,
    /// Succeeded, with the result of the last step.
    Finished(Option<Value>),
    /// Failed, with the reason.
    Failed(String),
    /// Stopped; a person or another agent must act.
    Escalated(Escalation, String),
}

impl ChildState {
    /// Whether an agent may start or resume the run.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::NotStarted | Self::Left)
    }

    /// Whether the sub-agent has an open question.
    pub fn asks(&self) -> bool {
        matches!(self, Self::Escalated(..) | Self::Waiting)
    }

    /// Whether the sub-agent has reported, successfully or not.
    pub fn has_reported(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_) | Self::Escalated(..))
    }
}
