//! The types of params and results, and how values are checked against them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::count::counted;
use crate::name::FieldName;
use crate::pattern::Pattern;

mod example;
mod quote;
mod reference;
mod unique;

pub use crate::length::{Length, MAX_LENGTH};
use quote::quoted;
pub(crate) use reference::has_stray_quote;
pub use reference::{Citation, Place, Reference};
pub use unique::Unique;
pub(crate) use unique::key as unique_key;

/// A value's type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Text.
    String(Length),
    /// Text that matches a pattern from start to end.
    Pattern(Pattern, Length),
    /// A reference to the project's files.
    Reference(Reference),
    /// An integer.
    Integer(Range),
    /// Any number.
    Number(Range),
    /// `true` or `false`.
    Boolean,
    /// One of several choices.
    Enum(Vec<String>),
    /// A list.
    Array {
        /// The type of each item.
        items: Box<Shape>,
        /// The allowed number of items.
        length: Length,
        /// Which duplicates to refuse.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unique: Option<Unique>,
    },
    /// Named fields; unknown fields are errors.
    Object(Vec<Field>),
}

/// Inclusive bounds; `None` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Range {
    /// The smallest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// An object's field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The name.
    pub name: FieldName,
    /// The type.
    pub shape: Shape,
    /// Whether the field is required.
    pub presence: Presence,
    /// A one-line description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Whether a field is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Without this field, the value is invalid.
    Required,
    /// The field may be absent; guards and templates can test whether it exists.
    Optional,
}

/// A reason why a value does not match its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The path in the value, such as `claims[2].kind`; empty for the whole value.
    pub path: String,
    /// The mismatch at this path, such as `expected text, found a number`.
    pub message: String,
}

impl Mismatch {
    fn unexpected(path: &str, expected: &str, found: &str) -> Self {
        Self {
            path: path.to_owned(),
            message: format!("expected {expected}, found {found}"),
        }
    }

    /// A required value is missing.
    pub(crate) fn missing(path: &str, expected: &Shape) -> Self {
        Self {
            path: path.to_owned(),
            message: format!("missing; expected {expected}"),
        }
    }

    fn unknown_field(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            message: "unknown field".to_owned(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() {
            "the value"
        } else {
            &self.path
        };
        write!(f, "{place}: {}", self.message)
    }
}

impl Shape {
    /// Text of any length.
    pub fn text() -> Self {
        Self::String(Length::default())
    }

    /// All mismatches between `value` and this type; empty if there are none.
    pub fn mismatches(&self, value: &Value) -> Vec<Mismatch> {
        let mut found = Vec::new();
        self.collect(value, "", &mut found);
        found
    }

    fn collect(&self, value: &Value, path: &str, out: &mut Vec<Mismatch>) {
        let mut wrong = |expected: String, found: String| {
            out.push(Mismatch::unexpected(path, &expected, &found));
        };
        match (self, value) {
            (Self::String(length), Value::String(text)) => {
                if let Some(found) = length.fault(text) {
                    wrong(self.to_string(), found);
                }
            }
            (Self::Pattern(pattern, length), Value::String(text)) => {
                let count = text.chars().count();
                if !length.admits(count) {
                    wrong(Self::String(*length).to_string(), counted(count, "character"));
                }
                if !pattern.covers(text) {
                    wrong(format!("text that matches `{}`", pattern.as_str()), quoted(text));
                }
            }
            (Self::Reference(kind), Value::String(text)) => {
                let is_valid = match kind {
                    Reference::Place => Place::parse(text).is_some(),
                    Reference::Quote => !text.trim().is_empty(),
                };
                if !is_valid {
                    wrong(self.to_string(), quoted(text));
                }
            }
            (Self::Integer(range), Value::Number(number)) => {
                let whole = number.as_f64().is_some_and(|n| n.fract() == 0.0);
                if !whole || !number.as_f64().is_some_and(|n| range.admits(n)) {
                    wrong(self.to_string(), number.to_string());
                }
            }
            (Self::Number(range), Value::Number(number)) => {
                if !number.as_f64().is_some_and(|n| range.admits(n)) {
                    wrong(self.to_string(), number.to_string());
                }
            }
            (Self::Boolean, Value::Bool(_)) => {}
            (Self::Enum(choices), Value::String(text)) => {
                if !choices.contains(text) {
                    wrong(self.to_string(), format!("{text:?}"));
                }
            }
            (
                Self::Array {
                    items,
                    length,
                    unique,
                },
                Value::Array(list),
            ) => {
                if !length.admits(list.len()) {
                    wrong(
                        length.describe("item"),
                        Length {
                            min: Some(list.len()),
                            max: Some(list.len()),
                        }
                        .describe("item")
                        .replace("exactly ", ""),
                    );
                }
                for (index, item) in list.iter().enumerate() {
                    items.collect(item, &format!("{path}[{index}]"), out);
                }
                if let Some(unique) = unique {
                    out.extend(unique.repeats(list, path));
                }
            }
            (Self::Object(fields), Value::Object(map)) => {
                let inside = |name: &str| {
                    if path.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{path}.{name}")
                    }
                };
                for field in fields {
                    match map.get(field.name.as_str()) {
                        None | Some(Value::Null) if field.presence == Presence::Optional => {}
                        None => out.push(Mismatch::missing(&inside(field.name.as_str()), &field.shape)),
                        Some(value) => field.shape.collect(value, &inside(field.name.as_str()), out),
                    }
                }
                for name in map.keys() {
                    if !fields.iter().any(|field| field.name.as_str() == name) {
                        out.push(Mismatch::unknown_field(&inside(name)));
                    }
                }
            }
            _ => wrong(self.to_string(), kind_of(value).to_owned()),
        }
    }
}

impl Range {
    fn admits(self, number: f64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }

    fn suffix(self) -> String {
        match (self.min, self.max) {
            (None, None) => String::new(),
            (Some(min), None) => format!(" of at least {min}"),
            (None, Some(max)) => format!(" of at most {max}"),
            (Some(min), Some(max)) => format!(" from {min} to {max}"),
        }
    }
}

/// Describes the type in one line of plain English.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(Length { min: None, max: None }) => f.write_str("text"),
            Self::String(Length {
                min: Some(1),
                max: None,
            }) => f.write_str("text (not empty)"),
            Self::String(length) => write!(f, "text of {}", length.describe("character")),
            Self::Pattern(pattern, Length { min: None, max: None }) => {
                write!(f, "text that matches `{}`", pattern.as_str())
            }
            Self::Pattern(pattern, length) => write!(
                f,
                "text of {} that matches `{}`",
                length.describe("character"),
                pattern.as_str()
            ),
            Self::Reference(kind) => f.write_str(kind.describe()),
            Self::Integer(range) => write!(f, "a whole number{}", range.suffix()),
            Self::Number(range) => write!(f, "a number{}", range.suffix()),
            Self::Boolean => f.write_str("true or false"),
            Self::Enum(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::Array {
                items,
                length: Length { min: None, max: None },
                unique,
            } => write!(f, "a list, each item {items}{}", Unique::suffix(unique.as_ref())),
            Self::Array {
                items,
                length,
                unique,
            } => write!(
                f,
                "a list of {}, each {items}{}",
                length.describe("item"),
                Unique::suffix(unique.as_ref())
            ),
            Self::Object(fields) => {
                f.write_str("an object {")?;
                for (index, field) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let mark = if field.presence == Presence::Optional {
                        "?"
                    } else {
                        ""
                    };
                    write!(f, "{comma}{}{mark}", field.name)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
