//! Random types that have at least one value.

use bugle_core::pattern::Pattern;
use bugle_core::shape::{Field, Length, Presence, Range, Shape, Unique};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use crate::spelling::field_name;

const WORDS: [&str; 6] = ["low", "medium", "high", "it's", "say \"so\"", "näher"];

const PATTERNS: [&str; 3] = ["E[0-9]+", "[a-z]{2,4}", "(src|docs)/.*"];

#[expect(clippy::expect_used, reason = "the patterns above parse")]
fn pattern(source: &str) -> Pattern {
    Pattern::new(source).expect("the pattern parses")
}

/// Valid types of every kind, with shallow nesting. Number bounds are integers.
pub fn sound_shape() -> BoxedStrategy<Shape> {
    let leaf = prop_oneof![
        length(1).prop_map(Shape::String),
        select(&PATTERNS).prop_map(|source| Shape::Pattern(pattern(source), Length::default())),
        range().prop_map(Shape::Integer),
        range().prop_map(Shape::Number),
        Just(Shape::Boolean),
        (2..=WORDS.len()).prop_map(|count| Shape::Enum(words(count))),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), length(0)).prop_map(|(items, length)| Shape::Array {
                items: Box::new(items),
                length,
                unique: None,
            }),
            option::of(0..3_usize).prop_map(|min| Shape::Array {
                items: Box::new(Shape::text()),
                length: Length { min, max: None },
                unique: Some(Unique::Items),
            }),
            proptest::collection::vec((inner, presence()), 1..=3)
                .prop_map(|parts| Shape::Object(fields(parts))),
        ]
    })
    .boxed()
}

pub(super) fn presence() -> impl Strategy<Value = Presence> {
    prop_oneof![3 => Just(Presence::Required), 1 => Just(Presence::Optional)]
}

/// Fields with generated names.
pub(super) fn fields(parts: impl IntoIterator<Item = (Shape, Presence)>) -> Vec<Field> {
    parts
        .into_iter()
        .enumerate()
        .map(|(index, (shape, presence))| Field {
            name: field_name(&format!("f{index}")),
            shape,
            presence,
            help: (index == 1).then(|| "One line of help".to_owned()),
        })
        .collect()
}

pub(super) fn words(count: usize) -> Vec<String> {
    WORDS.into_iter().take(count).map(str::to_owned).collect()
}

fn length(least_max: usize) -> impl Strategy<Value = Length> {
    (option::of(0..3_usize), option::of(0..4_usize)).prop_map(move |(min, more)| Length {
        min,
        max: more.map(|more| (min.unwrap_or(0) + more).max(least_max)),
    })
}

fn range() -> impl Strategy<Value = Range> {
    (option::of(-5..6_i32), option::of((-5..6_i32, 1..9_i32))).prop_map(|(min, upper)| Range {
        min: min.map(f64::from),
        max: upper.map(|(max, more)| f64::from(min.map_or(max, |min| min + more))),
    })
}

/// A matching value, computed independently of the code under test.
pub(super) fn least(shape: &Shape) -> Value {
    match shape {
        Shape::String(length) => Value::String("x".repeat(length.min.unwrap_or(0))),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the generated bounds are small integers"
        )]
        Shape::Integer(range) => Value::from(range.min.or(range.max).unwrap_or(0.0) as i64),
        Shape::Number(range) => Value::from(range.min.or(range.max).unwrap_or(0.5)),
        Shape::Boolean => Value::Bool(false),
        Shape::Enum(choices) => choices.first().cloned().map_or(Value::Null, Value::String),
        Shape::Reference(_) => shape.example(),
        Shape::Pattern(pattern, length) => {
            let sample = pattern.samples(*length, 1).pop();
            sample.map_or(Value::Null, Value::String)
        }
        Shape::Array {
            items,
            length,
            unique: None,
        } => Value::Array(vec![least(items); length.min.unwrap_or(0)]),
        list @ Shape::Array { .. } => list.example(),
        Shape::Object(fields) => {
            let required = fields.iter().filter(|field| field.presence == Presence::Required);
            let map: Map<String, Value> = required
                .map(|field| (field.name.to_string(), least(&field.shape)))
                .collect();
            Value::Object(map)
        }
    }
}
