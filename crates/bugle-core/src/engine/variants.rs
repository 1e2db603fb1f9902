//! Generates values that guards and templates might distinguish, for walks.

use serde_json::Value;

use crate::shape::{Field, Presence, Shape};

/// Maximum number of combinations of the values that guards read.
const MAX_COMBINATIONS: usize = 48;

/// Results with these fields. Values that guards read are combined with each other. For the other values, each
/// alternative that a template could show (an absent field, an empty list) is tried once.
pub(super) fn results(fields: &[Field], literals: &[Value], is_read: impl Fn(&str) -> bool) -> Vec<Value> {
    let shape = Shape::Object(fields.to_vec());
    let mut found = vec![shape.example()];
    for field in fields.iter().filter(|field| is_read(field.name.as_str())) {
        let bases = if found.len() > MAX_COMBINATIONS / 2 {
            found[..1].to_vec()
        } else {
            found.clone()
        };
        for alternative in alternatives(field, literals) {
            found.extend(
                bases
                    .iter()
                    .map(|base| changed(base, field, alternative.as_ref())),
            );
        }
    }
    let plain = found[0].clone();
    for field in fields.iter().filter(|field| !is_read(field.name.as_str())) {
        if field.presence == Presence::Optional {
            found.push(changed(&plain, field, None));
        }
        if let Shape::Array { .. } = field.shape {
            found.push(changed(&plain, field, Some(&Value::Array(Vec::new()))));
        }
    }
    let mut distinct: Vec<Value> = Vec::new();
    for value in found {
        if !distinct.contains(&value) && shape.mismatches(&value).is_empty() {
            distinct.push(value);
        }
    }
    distinct
}

/// A field's values other than its example. If the field may be absent, `None` is one of them.
fn alternatives(field: &Field, literals: &[Value]) -> Vec<Option<Value>> {
    let absent = (field.presence == Presence::Optional).then_some(None);
    variants(&field.shape, literals)
        .into_iter()
        .skip(1)
        .map(Some)
        .chain(absent)
        .collect()
}

fn changed(base: &Value, field: &Field, value: Option<&Value>) -> Value {
    let mut changed = base.clone();
    if let Value::Object(map) = &mut changed {
        match value {
            Some(value) => map.insert(field.name.to_string(), value.clone()),
            None => map.remove(field.name.as_str()),
        };
    }
    changed
}

/// A shape's values, the example first: every enum choice, both booleans, the literals in guards and their neighbours,
/// and lists of several lengths.
pub(super) fn variants(shape: &Shape, literals: &[Value]) -> Vec<Value> {
    let mut found = vec![shape.example()];
    match shape {
        Shape::String(_) | Shape::Pattern(..) => {
            found.push(Value::String(String::new()));
            found.extend(literals.iter().filter(|value| value.is_string()).cloned());
        }
        Shape::Integer(_) | Shape::Number(_) => {
            found.extend(literals.iter().filter(|value| value.is_number()).cloned());
            let whole = literals.iter().filter_map(Value::as_i64);
            found.extend(
                whole
                    .flat_map(|n| [n.saturating_sub(1), n.saturating_add(1)])
                    .map(Value::from),
            );
            let fractions = literals
                .iter()
                .filter(|value| value.is_f64())
                .filter_map(Value::as_f64);
            found.extend(fractions.flat_map(|n| [n - 1.0, n + 1.0]).map(Value::from));
        }
        Shape::Reference(_) => {}
        Shape::Boolean => found.push(Value::Bool(false)),
        Shape::Enum(choices) => found.extend(choices.iter().skip(1).cloned().map(Value::String)),
        Shape::Array { items, length, .. } => {
            let counts = [length.min.unwrap_or(0), 2, 5];
            found.extend(counts.map(|count| Value::Array(shape.example_items(count))));
            found.extend(
                variants(items, literals)
                    .into_iter()
                    .skip(1)
                    .map(|item| Value::Array(vec![item; length.min.unwrap_or(0).max(1)])),
            );
        }
        Shape::Object(fields) => found.extend(results(fields, literals, |_| true).into_iter().skip(1)),
    }
    let mut distinct: Vec<Value> = Vec::new();
    for value in found {
        if !distinct.contains(&value) && shape.mismatches(&value).is_empty() {
            distinct.push(value);
        }
    }
    distinct
}
