//! Refusals: why the rules reject a command, with all the facts that an agent needs to continue.

use crate::engine::EvidenceReport;
use crate::engine::child::ChildState;
use crate::engine::status::RunStatus;
use crate::expression::FailingItem;
use crate::id::{ChildToken, RunId, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::rights::{Action, MissingAuthority};
use crate::shape::{Mismatch, Shape};

/// A check that a result fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// The requirement, in the author's words.
    pub say: String,
    /// The expression.
    pub that: String,
    /// The list items that fail the check, if the check tests all items of a list.
    pub items: Vec<FailingItem>,
    /// The error, if the check could not be evaluated.
    pub error: Option<String>,
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The run has no such visit.
    UnknownVisit(VisitNumber),
    /// The visit has ended, and the run has moved on.
    StaleVisit {
        /// The visit.
        visit: VisitNumber,
        /// How the visit ended; `None` if a rewind left the visit behind.
        ended: Option<Outcome>,
    },
    /// The run's status does not allow the command.
    WrongStatus(RunStatus),
    /// The step requires a result, and the command has none.
    ResultMissing(Shape),
    /// The result does not have the required shape.
    ResultMismatch {
        /// The mismatches.
        mismatches: Vec<Mismatch>,
        /// The required shape.
        expected: Shape,
    },
    /// The result has the required shape but fails these checks.
    ChecksFailed {
        /// The failed checks.
        failed: Vec<FailedCheck>,
        /// The required shape.
        expected: Shape,
    },
    /// The command has a result, and the step declares none.
    ResultUnexpected,
    /// Expected evidence is missing.
    EvidenceUnmet(Vec<EvidenceReport>),
    /// The step runs commands, and the skill is not trusted.
    Untrusted {
        /// The commands.
        commands: Vec<String>,
    },
    /// The step is a gate or has no transition for `fail`.
    CannotFail,
    /// A guard could not be evaluated.
    GuardFailed {
        /// The guard.
        guard: String,
        /// The error.
        message: String,
    },
    /// Too few sub-agents have reported.
    ChildrenMissing {
        /// The missing sub-agents and their states.
        missing: Vec<(u32, ChildState)>,
        /// The number of reports.
        reported: usize,
        /// The number of reports required.
        needed: usize,
    },
    /// Sub-agents have open questions.
    ChildrenAsking(Vec<(u32, ChildState)>),
    /// The step has no sub-agents that could have open questions.
    NoQuestion,
    /// The agent did or led the work that it was asked to review.
    SelfReview {
        /// The gate.
        gate: String,
        /// The sub-agent that must do the review instead.
        child: ChildToken,
    },
    /// These reviewers' reports have no list of findings, not even an empty list.
    ReportWithoutFindings(Vec<u32>),
    /// The reviewer's report lacks checks from earlier reviews.
    ChecksMissing(Vec<String>),
    /// These reviewers' reports lack checks from earlier reviews.
    ReviewIncomplete(Vec<(u32, Vec<String>)>),
    /// `disputes` contains a number that is not an open finding.
    UnknownDispute {
        /// The number.
        finding: u32,
        /// The open findings.
        open: Vec<u32>,
    },
    /// The files have changed since these reviewers read them.
    ReviewStale(Vec<u32>),
    /// The command has a result, but the step's sub-agents return the result.
    AnswersForChildren,
    /// The sub-agent has already reported, so it cannot be restarted.
    HasReported(u32),
    /// The sub-agent is running or not started, so it cannot be restarted.
    StillOpen(u32),
    /// The visit has no such sub-agent.
    UnknownChild {
        /// The number.
        slot: u32,
        /// How many sub-agents the visit has.
        children: usize,
    },
    /// The orchestrator's run was cancelled.
    ParentGone(RunId),
    /// The command works only on the orchestrator's run.
    OnlyForWholeRuns(Action),
    /// No open finding has this number.
    UnknownFinding(u32),
    /// A dispatch would exceed its limit on sub-agents.
    TooManyChildren {
        /// The dispatching step.
        step: StepId,
        /// The number of sub-agents.
        found: usize,
        /// The limit.
        limit: u32,
    },
    /// Only a sub-agent can escalate; any other agent asks the user.
    NotAChild,
    /// The current step does not ask a question.
    NotAsking,
    /// The caller lacks permission.
    NotAllowed(Action, MissingAuthority),
    /// The answer is not one of the choices.
    BadChoice {
        /// The answer.
        answer: String,
        /// The choices.
        choices: Vec<String>,
    },
    /// A required string is empty.
    Empty(&'static str),
    /// The visit is not in the current history, so the run cannot go back to it.
    NotInHistory(VisitNumber),
    /// The run already uses this version of its skill.
    SameVersion,
    /// The new version does not have the current step.
    StepGone(StepId),
    /// The run's params or results do not match the new version of the skill.
    DoesNotFit {
        /// The param or result.
        what: String,
        /// The mismatches.
        mismatches: Vec<Mismatch>,
    },
}

impl Refusal {
    /// Whether the result is missing or does not fit the required shape or its checks.
    pub fn is_about_shape(&self) -> bool {
        matches!(
            self,
            Self::ResultMissing(_) | Self::ResultMismatch { .. } | Self::ChecksFailed { .. }
        )
    }

    /// The answer to a question is empty.
    pub const NO_ANSWER: Self = Self::Empty("the answer");
    /// The user accepts a gate's findings without a reason.
    pub const NO_REASON_TO_ACCEPT: Self = Self::Empty("the reason for accepting the findings");
}
