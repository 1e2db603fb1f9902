//! The verdict of a gate, from what this pass and the earlier ones found.

use serde::{Deserialize, Serialize};

use super::{Finding, Review};

/// Whether work passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QrStatus {
    /// It does.
    Pass,
    /// It goes back.
    Fail,
}

/// Where a review loop stands: which iteration, whether it is there to mend, and what the last review said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QrState {
    /// Which review this is, from 1.
    pub iteration: u32,
    /// Whether work came back to be mended.
    pub failed: bool,
    /// What the last review said, if there was one.
    pub status: Option<QrStatus>,
}

impl QrState {
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
        self.status == Some(QrStatus::Pass)
    }
}

/// A finding that keeps work from passing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// The finding.
    pub finding: Finding,
    /// In how many iterations it was found, this one included.
    pub seen: u32,
}

/// What a gate says about a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Which review this is, from 1.
    pub iteration: u32,
    /// Whether the work passes.
    pub status: QrStatus,
    /// What keeps it from passing.
    pub blocking: Vec<OpenFinding>,
    /// What was found but does not keep it: too light by now, outside the list of checks, or accepted as a risk.
    pub noted: Vec<Finding>,
    /// The list of checks that the first review fixed.
    pub checks: Vec<String>,
}

/// Judges a pass. `earlier` are the passes before it, the first first; `accepted` are risks that a person took.
pub fn judge(earlier: &[Review], pass: &Review, accepted: &[Finding]) -> Verdict {
    let iteration = u32::try_from(earlier.len()).unwrap_or(u32::MAX).saturating_add(1);
    let first = earlier.first().unwrap_or(pass);
    let checks = checks_of(first);
    let mut blocking: Vec<OpenFinding> = Vec::new();
    let mut noted = Vec::new();
    for finding in &pass.findings {
        // Whoever adds checks as it goes never comes to an end; only what is grave may be new.
        let listed = iteration == 1
            || checks
                .iter()
                .any(|check| check.eq_ignore_ascii_case(finding.category.trim()));
        let counts =
            finding.severity.blocks(iteration) && (listed || finding.severity == super::Severity::Must);
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
            finding: finding.clone(),
            seen,
        });
    }
    blocking.sort_by_key(|open| open.finding.severity);
    let status = if blocking.is_empty() {
        QrStatus::Pass
    } else {
        QrStatus::Fail
    };
    Verdict {
        iteration,
        status,
        blocking,
        noted,
        checks,
    }
}

/// What a review checked: what it says, and the categories of what it found.
fn checks_of(review: &Review) -> Vec<String> {
    let mut checks: Vec<String> = Vec::new();
    let categories = review.findings.iter().map(|finding| &finding.category);
    for check in review.checks.iter().chain(categories) {
        if !checks
            .iter()
            .any(|known| known.eq_ignore_ascii_case(check.trim()))
        {
            checks.push(check.trim().to_owned());
        }
    }
    checks
}
