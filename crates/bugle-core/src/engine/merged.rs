//! The record of a visit whose result was merged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::VisitNumber;
use crate::name::FieldName;

/// What an agent returned at a visit whose result was merged into the earlier result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// What the agent returned.
    pub returned: Value,
    /// For each merged list, the visit that last added or changed each item. Items are listed by key.
    pub changed: BTreeMap<FieldName, BTreeMap<String, VisitNumber>>,
}
