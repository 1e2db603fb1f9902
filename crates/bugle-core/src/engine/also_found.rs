//! Problems outside a step's work. Any step may report them with its result, without declaring a field for them.

use serde::{Deserialize, Serialize};

use crate::id::VisitNumber;
use crate::review::Severity;

/// A problem that an agent noticed but that is not part of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoFound {
    /// The problem.
    pub what: String,
    /// The location, such as `src/cache.rs:42`.
    pub place: String,
    /// The severity, if the agent gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

/// A problem that an agent reported at a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundProblem {
    /// The visit.
    pub visit: VisitNumber,
    /// The problem.
    pub problem: AlsoFound,
}
