//! A step's sub-agents and reviews.

use super::author::Author;
use crate::engine::{Assignment, ChildState};
use crate::id::{RunId, VisitToken};
use crate::interface::Interface;
use crate::review::{Finding, Severity};
use serde::Serialize;

/// A step's sub-agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DispatchView {
    /// The sub-agents' role.
    pub role: String,
    /// The sub-agents' model size: small, medium or large.
    pub model: Option<String>,
    /// Whether the sub-agents follow a workflow. If not, each gets a brief.
    pub led_by_workflow: bool,
    /// The sub-agents.
    pub children: Vec<ChildView>,
    /// Number of sub-agents that must report before the step can end.
    pub needed: usize,
    /// Number of sub-agents that have reported.
    pub reported: usize,
    /// Number of sub-agents with an open question.
    pub asking: usize,
    /// The command that ends the step while sub-agents have open questions. A gate has no such command.
    pub unanswered: Option<String>,
}

/// One sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChildView {
    /// The sub-agent's number, starting at 1.
    pub slot: u32,
    /// The command that starts or resumes the sub-agent.
    pub command: String,
    /// The values passed to the sub-agent.
    pub context: Vec<VariableView>,
    /// The sub-agent's run; `None` until the sub-agent starts.
    pub run: Option<RunId>,
    /// The sub-agent's state.
    pub state: ChildState,
    /// Whether the sub-agent reviewed an older version of the files.
    pub outdated: bool,
    /// Whether the sub-agent has reported.
    pub reported: bool,
    /// How to restart the sub-agent, if it stopped without success.
    pub retry: Option<RetryView>,
}

/// A value for a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariableView {
    /// The name of the value.
    pub name: String,
    /// The value.
    pub value: String,
}

/// How to restart a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RetryView {
    /// The file to write the answer to, if the sub-agent stopped with a question.
    pub answer_file: Option<String>,
    /// The command.
    pub command: String,
}

/// A gate's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictView {
    /// The gate.
    pub gate: String,
    /// Whether the gate passed.
    pub passed: bool,
    /// The number of the review, starting at 1.
    pub iteration: u32,
    /// Maximum number of reviews; after that, the user decides.
    pub limit: u32,
    /// Number of blocking findings.
    pub blocking: usize,
    /// Number of blocking findings that were accepted as risks.
    pub accepted: usize,
    /// Number of non-blocking findings.
    pub noted: usize,
    /// The user's decision, if the gate needed a decision.
    pub decision: Option<String>,
    /// The agent that relayed the decision; `None` if the user entered the decision.
    pub passed_on_by: Option<Author>,
    /// Whether this was a self-review: the session that did the work also reviewed it.
    pub self_review: bool,
    /// The commit and fingerprint of the reviewed files.
    pub tree: Option<String>,
    /// The command that shows the findings.
    pub command: String,
}

/// A step's part in a review loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewLoopView {
    /// The gate's own step.
    Gate {
        /// The gate.
        gate: String,
        /// The number of the review, starting at 1.
        iteration: u32,
        /// Maximum number of reviews; after that, the user decides.
        limit: u32,
        /// The severities that block in this review.
        blocking: Vec<Severity>,
    },
    /// A reviewer.
    Review {
        /// The gate.
        gate: String,
        /// The number of the review, starting at 1.
        iteration: u32,
        /// The checks that the report must cover.
        checks: Vec<String>,
        /// The findings that were accepted as risks.
        accepted: Vec<FindingView>,
        /// Earlier findings that the author disputes.
        disputed: Vec<DisputeView>,
        /// Non-blocking findings from earlier gates.
        deferred: Vec<FindingView>,
    },
    /// The author of the rework.
    Rework {
        /// The gate.
        gate: String,
        /// The number of the review that sent the work back, starting at 1.
        iteration: u32,
        /// The findings to fix; empty if sub-agents fix them.
        findings: Vec<FindingView>,
        /// Number of findings.
        count: usize,
        /// The command that shows the findings.
        command: Option<String>,
    },
}

/// A review finding in a review loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingView {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Number of reviews that reported the finding.
    pub seen: u32,
    /// The number that `bugle run accept` and disputes use, if the finding blocks.
    pub number: Option<u32>,
}

/// An earlier finding that the author of the work disputes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisputeView {
    /// The finding.
    pub finding: FindingView,
    /// The author's evidence against the finding.
    pub evidence: String,
}

/// A gate's findings, for `bugle run findings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingsView {
    /// The gate's visit.
    pub visit: VisitToken,
    /// The verdict.
    pub verdict: VerdictView,
    /// The person for whom the review was reported, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// The people for whom risks were accepted, as recorded by the server of a shared store.
    pub accepted_by: Vec<String>,
    /// Whether the files have changed since the review.
    pub stale: bool,
    /// The findings that block.
    pub blocking: Vec<FindingView>,
    /// The blocking findings that were accepted as risks.
    pub accepted: Vec<FindingView>,
    /// The findings that do not block.
    pub noted: Vec<FindingView>,
    /// The checks in this review.
    pub checks: Vec<String>,
}

/// The content of a sub-agent's report to its orchestrator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedWork {
    /// A review with this number of findings.
    Review(usize),
    /// A recorded result.
    Result,
    /// No result: the sub-agent's state.
    Unfinished(ChildState),
}

impl ReportedWork {
    /// The work that a sub-agent with this assignment reports in this state.
    pub fn of(assignment: &Assignment, state: ChildState) -> Self {
        match (assignment, state) {
            (Assignment::Review(_), ChildState::Finished(Some(result))) => {
                match result.get("findings").and_then(|findings| findings.as_array()) {
                    Some(findings) => Self::Review(findings.len()),
                    None => Self::Result,
                }
            }
            (_, ChildState::Finished(_)) => Self::Result,
            (_, state) => Self::Unfinished(state),
        }
    }
}

/// The effect of a sub-agent's report on the dispatching step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportProgress {
    /// The step has all the reports that it needs.
    Complete,
    /// The step needs more reports.
    Partial {
        /// Number of sub-agents that have reported.
        reported: usize,
        /// Number of reports that the step needs.
        wanted: usize,
    },
    /// The orchestrator's run has continued without the report.
    Late(RunId),
}

/// A sub-agent's final message to its orchestrator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrchestratorView {
    /// The reported work.
    pub work: ReportedWork,
    /// The effect of the report on the dispatching step.
    pub progress: ReportProgress,
    /// The command that shows the sub-agent's report.
    pub report: String,
    /// The command to run next.
    pub command: String,
    /// The interface of the command.
    #[serde(skip)]
    pub interface: Interface,
}
