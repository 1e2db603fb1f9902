//! Refusals: why the rules do not allow a command, with every fact that an agent needs to continue.

use crate::engine::EvidenceReport;
use crate::engine::child::ChildState;
use crate::engine::status::RunStatus;
use crate::id::{ChildToken, RunId, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::rights::{Action, MissingAuthority};
use crate::shape::{Mismatch, Shape};

/// A check that does not hold of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// What must hold, in the author's words.
    pub say: String,
    /// The condition.
    pub that: String,
    /// Why there is no answer, where it could not be evaluated.
    pub error: Option<String>,
}

/// Why something is not allowed.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The run never had this visit.
    UnknownVisit(VisitNumber),
    /// The visit ended earlier, and the run has moved on or it ended otherwise.
    StaleVisit {
        /// The visit.
        visit: VisitNumber,
        /// How it ended; `None` if a rewind left it behind.
        ended: Option<Outcome>,
    },
    /// The run is paused, waiting, completed or cancelled.
    WrongStatus(RunStatus),
    /// The step requires a result and none was handed in.
    ResultMissing(Shape),
    /// The result does not fit.
    ResultMismatch {
        /// In which ways.
        mismatches: Vec<Mismatch>,
        /// What it must look like.
        expected: Shape,
    },
    /// The result has the right form, and these checks do not hold of it.
    ChecksFailed {
        /// Which.
        failed: Vec<FailedCheck>,
        /// What the result must look like.
        expected: Shape,
    },
    /// A result was handed in, and the step declares none.
    ResultUnexpected,
    /// What Bugle checked is not there.
    EvidenceUnmet(Vec<EvidenceReport>),
    /// The step wants commands to be run, and the skill is not trusted to do that.
    Untrusted {
        /// The commands.
        commands: Vec<String>,
    },
    /// The step has no way on after a failure.
    CannotFail,
    /// A guard could not be evaluated on these values.
    GuardFailed {
        /// The guard.
        guard: String,
        /// What went wrong.
        message: String,
    },
    /// Sub-agents have not reported yet.
    ChildrenMissing {
        /// Which, and where each stands.
        missing: Vec<(u32, ChildState)>,
        /// How many have reported.
        reported: usize,
        /// How many must.
        needed: usize,
    },
    /// Sub-agents have open questions.
    ChildrenAsking(Vec<(u32, ChildState)>),
    /// The step has no sub-agents whose questions could stay open.
    NoQuestion,
    /// The agent did or led the work that it would review.
    SelfReview {
        /// The gate.
        gate: String,
        /// The sub-agent that has to review.
        child: ChildToken,
    },
    /// A reviewer's report has no findings, not even none.
    ReportWithoutFindings(Vec<u32>),
    /// A reviewer's report leaves out checks that earlier reviews made.
    ChecksMissing(Vec<String>),
    /// Reports of these reviewers leave out checks that earlier reviews made.
    ReviewIncomplete(Vec<(u32, Vec<String>)>),
    /// A dispute names a finding that did not send the work back.
    UnknownDispute {
        /// The number that was given.
        finding: u32,
        /// The numbers of the findings that did.
        open: Vec<u32>,
    },
    /// The files have changed since these reviewers looked at them.
    ReviewStale(Vec<u32>),
    /// A result was handed in for sub-agents, who report themselves.
    AnswersForChildren,
    /// A sub-agent that has reported is to be started again.
    HasReported(u32),
    /// A sub-agent that is at work, or was not started yet, is to be had again.
    StillOpen(u32),
    /// The visit calls for no such sub-agent.
    UnknownChild {
        /// Which.
        slot: u32,
        /// How many it calls for.
        children: usize,
    },
    /// The run that called for this one was cancelled.
    ParentGone(RunId),
    /// This is decided by the run that called for the sub-agent.
    OnlyForWholeRuns,
    /// Nothing of this number is open.
    UnknownFinding(u32),
    /// A dispatch would start more sub-agents than it may.
    TooManyChildren {
        /// The step that dispatches.
        step: StepId,
        /// How many there would be.
        found: usize,
        /// How many it may be.
        limit: u32,
    },
    /// Only a sub-agent can escalate: everybody else asks the user.
    NotAChild,
    /// The current step asks no question.
    NotAsking,
    /// The caller may not do this.
    NotAllowed(Action, MissingAuthority),
    /// The answer is none of the choices.
    BadChoice {
        /// The answer.
        answer: String,
        /// The choices.
        choices: Vec<String>,
    },
    /// Nothing was said.
    Empty(&'static str),
    /// The visit cannot be gone back to: it is not in the current history.
    NotInHistory(VisitNumber),
    /// The run is at this version of its skill already.
    SameVersion,
    /// The new version has no such step, so there is no place to go on from.
    StepGone(StepId),
    /// What the run holds does not fit the new version.
    DoesNotFit {
        /// Which param or result.
        what: String,
        /// In which ways.
        mismatches: Vec<Mismatch>,
    },
}

impl Refusal {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownVisit(_) => "unknown-visit",
            Self::StaleVisit { .. } => "stale-visit",
            Self::WrongStatus(_) => "wrong-status",
            Self::ResultMissing(_) => "result-missing",
            Self::ResultMismatch { .. } => "result-mismatch",
            Self::ChecksFailed { .. } => "checks-failed",
            Self::ResultUnexpected => "result-unexpected",
            Self::EvidenceUnmet(_) => "evidence-unmet",
            Self::Untrusted { .. } => "untrusted",
            Self::CannotFail => "cannot-fail",
            Self::GuardFailed { .. } => "guard-failed",
            Self::ChildrenMissing { .. } => "children-missing",
            Self::ChildrenAsking(_) => "children-asking",
            Self::NoQuestion => "nobody-asks",
            Self::SelfReview { .. } => "self-review",
            Self::ReportWithoutFindings(_) => "report-without-findings",
            Self::ChecksMissing(_) => "checks-missing",
            Self::ReviewIncomplete(_) => "review-incomplete",
            Self::UnknownDispute { .. } => "unknown-dispute",
            Self::ReviewStale(_) => "review-stale",
            Self::AnswersForChildren => "answers-for-children",
            Self::HasReported(_) => "has-reported",
            Self::StillOpen(_) => "still-open",
            Self::UnknownChild { .. } => "unknown-child",
            Self::ParentGone(_) => "parent-gone",
            Self::OnlyForWholeRuns => "only-for-whole-runs",
            Self::UnknownFinding(_) => "unknown-finding",
            Self::TooManyChildren { .. } => "too-many-children",
            Self::NotAChild => "not-a-child",
            Self::NotAsking => "not-asking",
            Self::NotAllowed(_, lack) => lack.code(),
            Self::BadChoice { .. } => "bad-choice",
            Self::Empty(_) => "empty",
            Self::NotInHistory(_) => "not-in-history",
            Self::SameVersion => "same-version",
            Self::StepGone(_) => "step-gone",
            Self::DoesNotFit { .. } => "does-not-fit",
        }
    }
}
