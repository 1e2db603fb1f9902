//! Reviews: findings typed, verdicts computed. A reviewer says what it found; whether that blocks is arithmetic.

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

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Knowledge is lost or production breaks, beyond cheap repair.
    Must,
    /// Debt that grows.
    Should,
    /// What a toolchain would catch.
    #[default]
    Could,
}

enum_text!(Severity {
    Must = "must",
    Should = "should",
    Could = "could",
});

impl Severity {
    /// Whether a finding of this severity blocks in this review, counted from 1, of a gate that blocks down to `level`.
    /// Later reviews block on graver findings only, so that every gate comes to an end.
    pub fn blocks(self, iteration: u32, level: Self) -> bool {
        let lowest = match iteration {
            0..=3 => Self::Could,
            4 => Self::Should,
            _ => Self::Must,
        };
        // The gravest severity is the least.
        self <= lowest.min(level)
    }

    /// Whether this severity may be left out of a gate's `blocks`: it is `could`, the default.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Something that a review found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Which check found it.
    pub category: String,
    /// Where it is: a file with its line, a section.
    pub location: String,
    /// What it is about.
    pub element: String,
    /// What is wrong with it.
    pub problem: String,
    /// What would fix it.
    pub action: String,
}

impl Finding {
    /// Whether two findings are the same one seen again. Lines move and words change; what was checked and what it is
    /// about do not.
    pub fn is_same(&self, other: &Self) -> bool {
        let alike = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        alike(&self.category, &other.category) && alike(&self.element, &other.element)
    }
}

/// A finding that the author of the work disputes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// The finding.
    pub finding: Finding,
    /// What the author says disproves it.
    pub evidence: String,
}

/// One pass of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Review {
    /// What was checked, by name.
    pub checks: Vec<String>,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Review {
    /// Reads the part of a child's result that is a review: `findings`, and `checks` if it has them.
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

    /// What this pass checked: the checks it names, and the categories of its findings.
    pub fn checked(&self) -> Vec<String> {
        let mut checks = Vec::new();
        verdict::add_checks(&mut checks, self);
        checks
    }

    /// Which of these checks this pass leaves out.
    pub fn missing(&self, required: &[String]) -> Vec<String> {
        let checked = self.checked();
        let is_missing = |check: &&String| !checked.iter().any(|made| same_name(made, check));
        required.iter().filter(is_missing).cloned().collect()
    }

    /// Several passes of one iteration, taken together.
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

/// Whether two checks have the same name.
fn same_name(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}

/// The shape of a list of disputes: findings by their number, each with what disproves it.
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

/// The shape of a list of findings, as a reviewer's last step returns it.
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
