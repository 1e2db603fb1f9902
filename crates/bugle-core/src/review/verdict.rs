//! The verdict of a gate, from this review and the earlier ones.

use serde::{Deserialize, Serialize};

use super::{Finding, Review, Severity, same_name};

/// The status of reviewed work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// It passes.
    Pass,
    /// It must be fixed.
    Fail,
}

/// The state of a review loop: the iteration, whether there is work to fix, and the last result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewState {
    /// The number of the review, from 1.
    pub iteration: u32,
    /// Whether there is work to fix.
    pub failed: bool,
    /// The status of the last review, if there was one.
    pub status: Option<ReviewStatus>,
}

impl ReviewState {
    /// Before the first review.
    pub fn fresh() -> Self {
        Self {
            iteration: 1,
            failed: false,
            status: None,
        }
    }

    /// Whether the last review passed.
    pub fn passed(self) -> bool {
        self.status == Some(ReviewStatus::Pass)
    }
}

/// A blocking finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// Its number among the blocking findings of its review, from 1.
    #[serde(default)]
    pub number: u32,
    /// The finding.
    pub finding: Finding,
    /// How many iterations found it, including this one.
    pub seen: u32,
}

/// The verdict of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The number of the review, from 1.
    pub iteration: u32,
    /// Whether the work passes.
    pub status: ReviewStatus,
    /// The blocking findings.
    pub blocking: Vec<OpenFinding>,
    /// Findings that do not block: not severe enough in this review, outside the list of checks, or accepted as a
    /// risk.
    pub noted: Vec<Finding>,
    /// The checks that the next review must cover: those of the first review, and those that later ones added.
    pub checks: Vec<String>,
    /// The reviewers, from 1, that reviewed their own work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_reviews: Vec<u32>,
}

/// Judges a review. `earlier` are the previous reviews, oldest first; `accepted` are accepted risks; `level` is the
/// lowest severity that the gate blocks on.
pub fn judge(earlier: &[Review], pass: &Review, accepted: &[Finding], level: Severity) -> Verdict {
    let iteration = u32::try_from(earlier.len()).unwrap_or(u32::MAX).saturating_add(1);
    let mut checks = fixed_checks(earlier);
    let mut blocking: Vec<OpenFinding> = Vec::new();
    let mut noted = Vec::new();
    for finding in &pass.findings {
        // A review that adds checks in every iteration would never end, so a finding of a new check blocks only as a
        // `must`.
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

/// The checks that a review must cover: all checks of earlier reviews, in the order they were added.
pub fn fixed_checks(earlier: &[Review]) -> Vec<String> {
    let mut checks = Vec::new();
    for review in earlier {
        add_checks(&mut checks, review);
    }
    checks
}

/// Adds the checks of a review: those it names, and the categories of its findings.
pub(super) fn add_checks(checks: &mut Vec<String>, review: &Review) {
    let categories = review.findings.iter().map(|finding| &finding.category);
    for check in review.checks.iter().chain(categories) {
        let is_named = !check.trim().is_empty();
        if is_named && !checks.iter().any(|known| same_name(known, check)) {
            checks.push(check.trim().to_owned());
        }
    }
}
