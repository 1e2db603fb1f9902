//! Reviews: typed findings and computed verdicts. Reviewers report findings; Bugle computes whether they block.

mod reviewer;
mod verdict;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use reviewer::{Involvement, Reviewer};
pub use verdict::{OpenFinding, ReviewState, ReviewStatus, Verdict, fixed_checks, judge};

use crate::name::FieldName;
use crate::shape::{Field, Length, Presence, Range, Shape};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Loses knowledge or breaks production; expensive to repair.
    Must,
    /// Technical debt that would grow.
    Should,
    /// An issue that a linter could catch.
    #[default]
    Could,
}

enum_text!(Severity {
    Must = "must",
    Should = "should",
    Could = "could",
});

impl Severity {
    /// Whether a finding of this severity blocks in the review numbered `iteration` (from 1), at a gate whose lowest
    /// blocking severity is `level`. Later reviews block only on more severe findings, so that every gate terminates.
    pub fn blocks(self, iteration: u32, level: Self) -> bool {
        let lowest = match iteration {
            0..=3 => Self::Could,
            4 => Self::Should,
            _ => Self::Must,
        };
        // More severe values are smaller.
        self <= lowest.min(level)
    }

    /// Whether this is `could`, the default for a gate's `blocks`, which serialisation omits.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A review finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The finding's severity.
    pub severity: Severity,
    /// The check that led to the finding.
    pub category: String,
    /// The location: a file and line, or a section.
    pub location: String,
    /// The affected element.
    pub element: String,
    /// The problem.
    pub problem: String,
    /// How to fix the problem.
    pub action: String,
}

impl Finding {
    /// Whether two findings are about the same issue. Lines and wording change; check and element do not.
    pub fn is_same(&self, other: &Self) -> bool {
        let alike = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        alike(&self.category, &other.category) && alike(&self.element, &other.element)
    }
}

/// A finding that the work's author disputes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// The finding.
    pub finding: Finding,
    /// The author's evidence against the finding.
    pub evidence: String,
}

/// One review.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Review {
    /// The names of the performed checks.
    pub checks: Vec<String>,
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Review {
    /// Parses the review from a sub-agent's result: `findings`, and `checks` if present.
    pub fn from_result(result: &Value) -> Option<Self> {
        let findings: Vec<Finding> = serde_json::from_value(result.get("findings")?.clone()).ok()?;
        let checks = result
            .get("checks")
            .and_then(|checks| serde_json::from_value(checks.clone()).ok());
        Some(Self {
            checks: checks.unwrap_or_default(),
            findings,
        })
    }

    /// The performed checks: those that the review names, and the categories of its findings.
    pub fn checked(&self) -> Vec<String> {
        let mut checks = Vec::new();
        verdict::add_checks(&mut checks, self);
        checks
    }

    /// The required checks that this review lacks.
    pub fn missing(&self, required: &[String]) -> Vec<String> {
        let checked = self.checked();
        let is_missing = |check: &&String| !checked.iter().any(|made| verdict::same_name(made, check));
        required.iter().filter(is_missing).cloned().collect()
    }

    /// Merges all reviews of one iteration.
    pub fn joined(reviews: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for review in reviews {
            for check in review.checks {
                if !all.checks.contains(&check) {
                    all.checks.push(check);
                }
            }
            all.findings.extend(review.findings);
        }
        all
    }
}

/// The shape of a dispute list: finding numbers, each with the evidence against the finding.
pub fn disputes_shape() -> Shape {
    let number = Shape::Integer(Range {
        min: Some(1.0),
        max: None,
    });
    let fields = [("finding", number), ("evidence", text())];
    list_of(fields)
}

fn text() -> Shape {
    Shape::String(Length {
        min: Some(1),
        max: None,
    })
}

fn list_of(fields: impl IntoIterator<Item = (&'static str, Shape)>) -> Shape {
    let field = |(name, shape)| {
        Some(Field {
            name: FieldName::new(name).ok()?,
            shape,
            presence: Presence::Required,
            help: None,
        })
    };
    Shape::Array {
        items: Box::new(Shape::Object(fields.into_iter().filter_map(field).collect())),
        length: Length::default(),
        unique: None,
    }
}

/// The shape of a finding list, as a reviewer's last step returns it.
pub fn findings_shape() -> Shape {
    let words = Severity::ALL
        .map(|severity| severity.as_str().to_owned())
        .to_vec();
    let fields = [
        ("severity", Shape::Enum(words)),
        ("category", text()),
        ("location", text()),
        ("element", text()),
        ("problem", text()),
        ("action", text()),
    ];
    list_of(fields)
}
