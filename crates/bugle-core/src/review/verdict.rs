//! A gate's verdict, computed from the current and earlier reviews.

use serde::{Deserialize, Serialize};

use super::{Finding, Review, Severity};

/// The status of reviewed work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// The work passes.
    Pass,
    /// The work must be fixed.
    Fail,
}

/// The state of a review loop: the iteration, whether there are findings to fix, and the latest result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewState {
    /// The review's number, from 1.
    pub iteration: u32,
    /// Whether there are findings to fix.
    pub failed: bool,
    /// The status of the latest review, if there was one.
    pub status: Option<ReviewStatus>,
}

impl ReviewState {
    /// The state before the first review.
    pub fn fresh() -> Self {
        Self {
            iteration: 1,
            failed: false,
            status: None,
        }
    }

    /// Whether the latest review passed.
    pub fn passed(self) -> bool {
        self.status == Some(ReviewStatus::Pass)
    }
}

/// A blocking finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// The finding's number among the review's blocking findings, from 1.
    #[serde(default)]
    pub number: u32,
    /// The finding.
    pub finding: Finding,
    /// The number of iterations that reported this finding, including the current one.
    pub seen: u32,
}

/// A gate's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The review's number, from 1.
    pub iteration: u32,
    /// Whether the work passes.
    pub status: ReviewStatus,
    /// The blocking findings.
    pub blocking: Vec<OpenFinding>,
    /// Findings that do not block: not severe enough for this review, from a check that is not on the list, or accepted
    /// as risks.
    pub noted: Vec<Finding>,
    /// The checks that the next review must cover: the first review's checks, and those that later reviews added.
    pub checks: Vec<String>,
    /// The numbers of reviewers that reviewed their own work, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_reviews: Vec<u32>,
}

/// Judges a review. `earlier` are the previous reviews, oldest first; `accepted` are accepted risks; `level` is the
/// gate's lowest blocking severity.
pub fn judge(earlier: &[Review], pass: &Review, accepted: &[Finding], level: Severity) -> Verdict {
    let iteration = u32::try_from(earlier.len()).unwrap_or(u32::MAX).saturating_add(1);
    let mut checks = fixed_checks(earlier);
    let mut blocking: Vec<OpenFinding> = Vec::new();
    let mut noted = Vec::new();
    for finding in &pass.findings {
        // If every review could add blocking checks, the gate might never pass. So a finding from a new check blocks
        // only as a `must`.
        let listed = iteration == 1 || checks.iter().any(|check| same_name(check, &finding.category));
        let counts =
            finding.severity.blocks(iteration, level) && (listed || finding.severity == Severity::Must);
        if !counts || accepted.iter().any(|risk| risk.is_same(finding)) {
            noted.push(finding.clone());
            continue;
        }
        let before = earlier
            .iter()
            .filter(|review| review.findings.iter().any(|other| other.is_same(finding)))
            .count();
        let seen = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
        blocking.push(OpenFinding {
            number: 0,
            finding: finding.clone(),
            seen,
        });
    }
    blocking.sort_by_key(|open| open.finding.severity);
    for (open, number) in blocking.iter_mut().zip(1_u32..) {
        open.number = number;
    }
    let status = if blocking.is_empty() {
        ReviewStatus::Pass
    } else {
        ReviewStatus::Fail
    };
    add_checks(&mut checks, pass);
    Verdict {
        iteration,
        status,
        blocking,
        noted,
        checks,
        self_reviews: Vec::new(),
    }
}

/// The checks that a review must cover: the checks of all earlier reviews, in the order they were added.
pub fn fixed_checks(earlier: &[Review]) -> Vec<String> {
    let mut checks = Vec::new();
    for review in earlier {
        add_checks(&mut checks, review);
    }
    checks
}

/// Adds a review's checks: those that it names, and the categories of its findings.
pub(super) fn add_checks(checks: &mut Vec<String>, review: &Review) {
    let categories = review.findings.iter().map(|finding| &finding.category);
    for check in review.checks.iter().chain(categories) {
        let is_named = !check.trim().is_empty();
        if is_named && !checks.iter().any(|known| same_name(known, check)) {
            checks.push(check.trim().to_owned());
        }
    }
}

/// Whether two check names are equal, ignoring case and surrounding spaces.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}
