//! Sample values that match a shape, for previews and simulated runs.

use serde_json::Value;

use super::{Length, MAX_LENGTH, Range, Reference, Shape, Unique};

/// The content of sample strings.
const WORD: &str = "example";

impl Shape {
    /// A small value that matches this shape.
    pub fn example(&self) -> Value {
        match self {
            Self::String(length) => {
                let wanted = length
                    .max
                    .unwrap_or(usize::MAX)
                    .min(WORD.len())
                    .max(length.min.unwrap_or(0))
                    .min(MAX_LENGTH);
                Value::String(WORD.chars().cycle().take(wanted).collect())
            }
            Self::Pattern(pattern, length) => {
                // Prefer the usual sample string, so that references to that string resolve.
                let plain = Self::String(*length).example();
                let fits = plain.as_str().is_some_and(|text| pattern.covers(text));
                let sample = || pattern.samples(*length, 1).pop().map(Value::String);
                if fits { plain } else { sample().unwrap_or(plain) }
            }
            Self::Reference(Reference::Place) => Value::String(format!("{WORD}:1")),
            Self::Reference(Reference::Quote) => Value::String(WORD.to_owned()),
            Self::Integer(range) => Value::from(range.whole_inside().unwrap_or_default()),
            Self::Number(range) => Value::from(range.inside()),
            Self::Boolean => Value::Bool(true),
            Self::Enum(choices) => Value::String(choices.first().cloned().unwrap_or_default()),
            Self::Array { length, .. } => {
                let count = length
                    .min
                    .unwrap_or(0)
                    .max(usize::from(length.max != Some(0)))
                    .min(MAX_LENGTH);
                Value::Array(self.example_items(count))
            }
            Self::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|field| (field.name.to_string(), field.shape.example()))
                    .collect(),
            ),
        }
    }

    /// `count` items for a list of this shape; fewer if they must be unique and not enough values exist.
    pub(crate) fn example_items(&self, count: usize) -> Vec<Value> {
        let Self::Array { items, unique, .. } = self else {
            return Vec::new();
        };
        match (unique, &**items) {
            (None, items) => vec![items.example(); count],
            (Some(Unique::Items), items) => items.different(count),
            (Some(Unique::Field(name)), item @ Self::Object(fields)) => {
                let field = fields.iter().find(|field| field.name == *name);
                let values = field
                    .map(|field| field.shape.different(count))
                    .unwrap_or_default();
                let with = |value: Value| {
                    let mut item = item.example();
                    item[name.as_str()] = value;
                    item
                };
                values.into_iter().map(with).collect()
            }
            (Some(Unique::Field(_)), _) => Vec::new(),
        }
    }

    /// `count` different values, starting with the example; fewer if not enough values exist.
    fn different(&self, count: usize) -> Vec<Value> {
        let first = self.example();
        let others: Vec<Value> = match self {
            Self::String(length) => (2..count + 2)
                .filter_map(|number| numbered(*length, number))
                .collect(),
            Self::Pattern(pattern, length) => pattern
                .samples(*length, count + 1)
                .into_iter()
                .map(Value::String)
                .collect(),
            Self::Reference(Reference::Place) => (2..count + 2)
                .map(|number| Value::String(format!("{WORD}:{number}")))
                .collect(),
            Self::Reference(Reference::Quote) => (2..count + 2)
                .map(|number| Value::String(format!("{WORD} {number}")))
                .collect(),
            Self::Integer(range) | Self::Number(range) => range
                .whole_numbers(count + 1)
                .into_iter()
                .map(Value::from)
                .collect(),
            Self::Boolean => vec![Value::Bool(false)],
            Self::Enum(choices) => choices.iter().cloned().map(Value::String).collect(),
            Self::Array { .. } | Self::Object(_) => Vec::new(),
        };
        let rest: Vec<Value> = others.into_iter().filter(|value| *value != first).collect();
        std::iter::once(first).chain(rest).take(count).collect()
    }
}

/// A string of this length that contains a number, if possible.
fn numbered(length: Length, number: usize) -> Option<Value> {
    let spelled = format!("{WORD} {number}");
    let short = number.to_string();
    let fitting = [spelled, short]
        .into_iter()
        .find(|text| length.max.is_none_or(|max| text.len() <= max))?;
    let missing = length
        .min
        .unwrap_or(0)
        .min(MAX_LENGTH)
        .saturating_sub(fitting.len());
    Some(Value::String(".".repeat(missing) + &fitting))
}

impl Range {
    /// A number within the bounds: 1 if allowed, otherwise the closest bound.
    fn inside(self) -> f64 {
        1.0_f64
            .min(self.max.unwrap_or(f64::MAX))
            .max(self.min.unwrap_or(f64::MIN))
    }

    /// An integer within the bounds, if there is one.
    pub fn whole_inside(self) -> Option<i64> {
        let lowest = self.min.unwrap_or(f64::MIN).ceil();
        let highest = self.max.unwrap_or(f64::MAX).floor();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the value is an integer, and the cast saturates"
        )]
        (lowest <= highest).then(|| 1.0_f64.min(highest).max(lowest) as i64)
    }

    /// Up to `most` integers within the bounds: first ascending from 1 or the nearest bound, then descending.
    fn whole_numbers(self, most: usize) -> Vec<i64> {
        let Some(inside) = self.whole_inside() else {
            return Vec::new();
        };
        #[expect(clippy::cast_precision_loss, reason = "sample values are small")]
        let admitted = |number: &i64| self.admits(*number as f64);
        let up = (inside..=i64::MAX).take(most).take_while(admitted);
        let down = (i64::MIN..inside).rev().take(most).take_while(admitted);
        up.chain(down).take(most).collect()
    }
}
