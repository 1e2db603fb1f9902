//! Sub-agents and reviews in a step.

use serde::Serialize;

/// The sub-agents of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DispatchView {
    /// The role they take.
    pub role: String,
    /// How able a model has to be: small, medium or large.
    pub model: Option<String>,
    /// Whether a workflow leads them; else it is a brief.
    pub led_by_workflow: bool,
    /// Each of them.
    pub children: Vec<ChildView>,
    /// How many must report before the step can end.
    pub needed: usize,
    /// How many have reported.
    pub reported: usize,
    /// How many have an open question.
    pub asking: usize,
    /// The command that ends the step while sub-agents have open questions. A gate has none.
    pub unanswered: Option<String>,
}

/// One sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChildView {
    /// Which, from 1.
    pub slot: u32,
    /// The command with which it starts, or goes on where it stands.
    pub command: String,
    /// What it is given.
    pub context: Vec<VariableView>,
    /// Its run, once there is one.
    pub run: Option<String>,
    /// Where it stands, in a line.
    pub state: String,
    /// Whether it has reported.
    pub reported: bool,
    /// How to restart it, if it stopped without success.
    pub retry: Option<RetryView>,
}

/// A value that a sub-agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariableView {
    /// What the value is.
    pub name: String,
    /// The value itself.
    pub value: String,
}

/// How to restart a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RetryView {
    /// The file to write the answer to, if it stopped with a question.
    pub answer_file: Option<String>,
    /// The command.
    pub command: String,
}

/// The verdict of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictView {
    /// The gate.
    pub gate: String,
    /// Whether it passed.
    pub passed: bool,
    /// Which review it was, from 1.
    pub iteration: u32,
    /// How many reviews there are before a person decides.
    pub limit: u32,
    /// How many findings block.
    pub blocking: usize,
    /// How many of those that blocked a person has taken as risks since.
    pub accepted: usize,
    /// How many findings do not block.
    pub noted: usize,
    /// What a person decided, if that was needed.
    pub decision: Option<String>,
    /// Who passed that decision on, if the person did not give it to Bugle themselves.
    pub passed_on_by: Option<String>,
    /// Whether a review was a self-review: the session that did the work also reviewed it.
    pub self_review: bool,
    /// The commit and fingerprint of the files that were judged.
    pub tree: Option<String>,
    /// The command that shows the findings.
    pub command: String,
}

/// The side of a review loop that a step is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewLoopView {
    /// The step of the gate itself.
    Gate {
        /// The gate.
        gate: String,
        /// Which review this is, from 1.
        iteration: u32,
        /// How many reviews there are before a person decides.
        limit: u32,
        /// The severities that block in this review.
        blocking: Vec<Severity>,
    },
    /// A reviewer.
    Review {
        /// The gate.
        gate: String,
        /// Which review this is, from 1.
        iteration: u32,
        /// The checks that the report must cover.
        checks: Vec<String>,
        /// What a person took as a risk.
        accepted: Vec<FindingView>,
        /// Earlier findings that the author disputes.
        disputed: Vec<DisputeView>,
        /// Findings of the gates before that did not block.
        deferred: Vec<FindingView>,
    },
    /// The author of the rework.
    Rework {
        /// The gate.
        gate: String,
        /// Which review sent the work back, from 1.
        iteration: u32,
        /// What to fix; only counted where sub-agents fix it.
        findings: Vec<FindingView>,
        /// How many findings there are.
        count: usize,
        /// The command that shows them again.
        command: Option<String>,
    },
}

/// Something that a review found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingView {
    /// How much it weighs.
    pub severity: Severity,
    /// Which check it failed.
    pub category: String,
    /// Where.
    pub location: String,
    /// What.
    pub element: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do.
    pub action: String,
    /// In how many reviews it was found.
    pub seen: u32,
    /// Its number for `bugle run accept` and for disputes, where it blocks.
    pub number: Option<u32>,
}

text_enum! {
    /// How much a finding of a review weighs.
    Severity {
        /// It blocks in every review.
        Must = "must",
        /// It blocks in all but the last reviews.
        Should = "should",
        /// It blocks in the first reviews only.
        Could = "could",
    }
}

/// An earlier finding that the author of the work disputes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisputeView {
    /// The finding.
    pub finding: FindingView,
    /// What the author says disproves it.
    pub evidence: String,
}

/// What a gate found, as `bugle run findings` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingsView {
    /// The visit of the gate.
    pub visit: String,
    /// The verdict.
    pub verdict: VerdictView,
    /// Whether the files have changed since.
    pub stale: bool,
    /// What blocks.
    pub blocking: Vec<FindingView>,
    /// What blocked, and was accepted as a risk.
    pub accepted: Vec<FindingView>,
    /// What does not block.
    pub noted: Vec<FindingView>,
    /// What this review checked.
    pub checks: Vec<String>,
}

/// A sub-agent's last message, for the agent that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrchestratorView {
    /// How its work ended, in a line.
    pub verdict: String,
    /// The command that shows its report.
    pub report: String,
    /// The command to run next.
    pub command: String,
}
