//! Property: an expression that passes the type check never fails with a type error.

use proptest::prelude::*;

use super::generator::{any, guards, scope, values};
use super::{EvaluationError, Expression, Type};

fn is_type_error(error: &EvaluationError) -> bool {
    match error {
        EvaluationError::UnknownName { .. }
        | EvaluationError::Absent { .. }
        | EvaluationError::Unfit { .. }
        | EvaluationError::BadPattern { .. }
        | EvaluationError::NotABoolean { .. } => true,
        EvaluationError::OutOfRange { .. }
        | EvaluationError::Overflow
        | EvaluationError::DivisionByZero
        | EvaluationError::NotFinite
        | EvaluationError::TooMuchWork => false,
    }
}

fn fits(found: &Type, value: &serde_json::Value) -> bool {
    match found {
        Type::Null => value.is_null(),
        Type::Bool => value.is_boolean(),
        Type::Int => value.is_i64(),
        Type::Double => value.is_f64(),
        Type::String | Type::Enum(_) => value.is_string(),
        Type::List(items) => value
            .as_array()
            .is_some_and(|list| list.iter().all(|item| fits(items, item))),
        Type::Object(_) => value.is_object(),
        Type::Unknown => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_checked_guard_never_fails_with_a_type_error(source in guards(), with_note: bool) {
        let expression = Expression::parse(&source);
        prop_assume!(expression.as_ref().is_ok_and(|expression| expression.check_guard(&scope()).is_ok()));
        if let Err(error) = expression.expect("assumed").holds(&values(with_note)) {
            prop_assert!(!is_type_error(&error), "{source}: {error}");
        }
    }

    #[test]
    fn a_value_has_the_inferred_type(source in any(), with_note: bool) {
        let checked = Expression::parse(&source).ok().and_then(|expression| {
            let found = expression.check(&scope()).ok()?;
            Some((expression, found))
        });
        prop_assume!(checked.is_some());
        let (expression, found) = checked.expect("assumed");
        match expression.evaluate(&values(with_note)) {
            Ok(value) => prop_assert!(fits(&found, &value), "{source}: {found} and {value}"),
            Err(error) => prop_assert!(!is_type_error(&error), "{source}: {error}"),
        }
    }
}
