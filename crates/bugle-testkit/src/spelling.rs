//! Parses names, paths and guards from literals in test code.

use std::fmt::Debug;

use bugle_core::expression::Expression;
use bugle_core::name::{FieldName, SkillAddress, StepId};
use bugle_core::path::SkillPath;

/// A step id.
pub fn step_id(text: &str) -> StepId {
    well_formed(StepId::new(text))
}

/// A param or result field name.
pub fn field_name(text: &str) -> FieldName {
    well_formed(FieldName::new(text))
}

/// A skill address.
pub fn skill_address(text: &str) -> SkillAddress {
    well_formed(SkillAddress::new(text))
}

/// A path inside a skill's folder.
pub fn skill_path(text: &str) -> SkillPath {
    well_formed(SkillPath::new(text))
}

/// A guard.
pub fn expression(source: &str) -> Expression {
    well_formed(Expression::parse(source))
}

/// A string as a literal in a guard.
pub fn quoted(text: &str) -> String {
    // CEL accepts JSON escapes.
    serde_json::Value::from(text).to_string()
}

#[expect(clippy::expect_used, reason = "an invalid literal is a bug in the test")]
fn well_formed<T, E: Debug>(made: Result<T, E>) -> T {
    made.expect("the literal is valid")
}
