//! Compares every construct with the `cel` crate, an independent implementation.
//!
//! Excludes intended differences, and deviations of that crate from the specification:
//!
//! - `has(a.b.c)` if `a.b` is absent, and fields that are `null`: the crate treats objects as maps, and Bugle treats
//!   them as messages.
//! - NaN: the crate does not compare it.
//! - Whole numbers beyond 53 bits, compared with doubles close to them: the crate rounds first.
//! - A list plus a map: the crate appends the keys.
//! - Objects in `size`, `in`, `[]` and macros: Bugle does not support them.
//! - `--x`: the crate reads it as `x` without checking it.

use std::collections::HashMap;

use cel::{Context, Program};
use proptest::prelude::*;
use serde_json::Value;

use super::Expression;
use super::generator::{any, values};

/// Avoids Serde, which would make every non-negative number unsigned.
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
        other => panic!("no generated expression evaluates to {other:?}"),
    }
}

/// The `cel` crate's result: a value or an error.
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

/// Results are alike if they are equal values, both evaluation errors, or both syntax errors.
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
    fn an_expression_evaluates_as_in_cel(source in any(), with_note: bool) {
        let values = values(with_note);
        let (ours, theirs) = (by_us(&source, &values), by_cel(&source, &values));
        prop_assert!(alike(&ours, &theirs), "{source}\n ours:   {ours:?}\n theirs: {theirs:?}");
    }
}
