//! Compares every construct with the `cel` crate, an independent implementation.
//!
//! Excluded are intended differences and deviations of that crate from the specification:
//!
//! - `has(a.b.c)` if `a.b` is absent, and fields that hold `null`: objects are maps to the crate and messages to
//!   Bugle.
//! - NaN, which the crate does not compare.
//! - Whole numbers beyond 53 bits compared with close doubles: the crate rounds first.
//! - A list plus a map: the crate appends the keys.
//! - Objects in `size`, `in`, `[]` and macros, which Bugle does not support.
//! - `--x`, which the crate reads as `x` without checking it.

use std::collections::HashMap;

use cel::{Context, Program};
use proptest::prelude::*;
use serde_json::Value;

use super::Expression;
use super::generator::{any, values};

/// Serde would turn every non-negative number into an unsigned one.
fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(truth) => cel::Value::Bool(*truth),
        Value::Number(number) => number.as_i64().map_or_else(
            || cel::Value::Float(number.as_f64().expect("a double")),
            cel::Value::Int,
        ),
        Value::String(text) => cel::Value::String(text.clone().into()),
        Value::Array(items) => cel::Value::List(items.iter().map(to_cel).collect::<Vec<_>>().into()),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), to_cel(value)))
            .collect::<HashMap<String, cel::Value>>()
            .into(),
    }
}

fn from_cel(value: &cel::Value) -> Value {
    match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(truth) => Value::from(*truth),
        cel::Value::Int(number) => Value::from(*number),
        cel::Value::Float(number) => Value::from(*number),
        cel::Value::String(text) => Value::from(text.as_str()),
        cel::Value::List(items) => items.iter().map(from_cel).collect(),
        other => panic!("no expression of the generator gives {other:?}"),
    }
}

/// The result of the `cel` crate: a value or an error.
fn by_cel(source: &str, values: &Value) -> Result<Value, String> {
    let program = Program::compile(source).map_err(|error| format!("refused: {error}"))?;
    let mut context = Context::default();
    for (name, value) in values.as_object().expect("an object") {
        context.add_variable_from_value(name.clone(), to_cel(value));
    }
    let result = program
        .execute(&context)
        .map_err(|error| format!("fails: {error}"))?;
    Ok(from_cel(&result))
}

fn by_us(source: &str, values: &Value) -> Result<Value, String> {
    let expression = Expression::parse(source).map_err(|error| format!("refused: {error}"))?;
    expression
        .evaluate(values)
        .map_err(|error| format!("fails: {error}"))
}

/// Alike are equal values, two evaluation errors, and two syntax errors.
fn alike(ours: &Result<Value, String>, theirs: &Result<Value, String>) -> bool {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Err(ours), Err(theirs)) => ours.starts_with("refused") == theirs.starts_with("refused"),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn an_expression_means_what_it_means_in_cel(source in any(), with_note: bool) {
        let values = values(with_note);
        let (ours, theirs) = (by_us(&source, &values), by_cel(&source, &values));
        prop_assert!(alike(&ours, &theirs), "{source}\n ours:   {ours:?}\n theirs: {theirs:?}");
    }
}
