//! The types that expressions are checked against.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Number, Value};

use super::datum::whole;
use crate::shape::{Field, Presence, Shape};

/// The type of an expression's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Only `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A 64-bit whole number.
    Int,
    /// A number with a fraction.
    Double,
    /// A string.
    String,
    /// One of these choices.
    Enum(Vec<String>),
    /// A list whose items have the same type.
    List(Box<Type>),
    /// Named fields.
    Object(Fields),
    /// Unknown: the item type of an empty list literal, or the result of an error. It matches every type, so that each
    /// mistake is reported only once.
    Unknown,
}

/// An object's fields, each with its type and whether it may be absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields(BTreeMap<String, (Type, Presence)>);

/// The root names that an expression may use, such as `params` or `state`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope(BTreeMap<String, Type>);

impl Fields {
    /// An empty set of fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, holds: Type, presence: Presence) -> Self {
        self.0.insert(name.into(), (holds, presence));
        self
    }

    /// A field's type, and whether it may be absent.
    pub fn get(&self, name: &str) -> Option<(&Type, Presence)> {
        self.0.get(name).map(|(holds, presence)| (holds, *presence))
    }

    /// The field names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Scope {
    /// A scope without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, holds: Type) -> Self {
        self.0.insert(name.into(), holds);
        self
    }

    /// A name's type.
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.0.get(name)
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Type {
    /// The type of the values that a shape accepts.
    pub fn from_shape(shape: &Shape) -> Self {
        match shape {
            Shape::String(_) | Shape::Pattern(..) | Shape::Reference(_) => Self::String,
            Shape::Integer(_) => Self::Int,
            Shape::Number(_) => Self::Double,
            Shape::Boolean => Self::Bool,
            Shape::Enum(choices) => Self::Enum(choices.clone()),
            Shape::Array { items, .. } => Self::List(Box::new(Self::from_shape(items))),
            Shape::Object(fields) => Self::Object(fields.iter().fold(Fields::new(), |all, field| {
                all.with(
                    field.name.as_str(),
                    Self::from_shape(&field.shape),
                    field.presence,
                )
            })),
        }
    }

    /// A sample value of this type.
    pub fn example(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool => Value::Bool(true),
            Self::Int => Value::from(1),
            Self::Double => Value::from(1.5),
            Self::String | Self::Unknown => Value::from("example"),
            Self::Enum(words) => words.first().cloned().map_or(Value::Null, Value::from),
            Self::List(items) => Value::Array(vec![items.example()]),
            Self::Object(fields) => {
                let fields = fields.0.iter();
                fields
                    .map(|(name, (holds, _))| (name.clone(), holds.example()))
                    .collect()
            }
        }
    }

    /// Whether a shape accepts values of this type. Ignores lengths and ranges, because they depend on the value.
    pub fn suits(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Unknown, _)
            | (Self::Bool, Shape::Boolean)
            | (Self::Int, Shape::Integer(_) | Shape::Number(_))
            | (Self::Double, Shape::Number(_))
            | (Self::String | Self::Enum(_), Shape::String(_) | Shape::Pattern(..) | Shape::Reference(_)) => {
                true
            }
            (Self::Enum(found), Shape::Enum(choices)) => found.iter().all(|word| choices.contains(word)),
            (Self::List(found), Shape::Array { items, .. }) => found.suits(items),
            (Self::Object(found), Shape::Object(fields)) => {
                let known = |name: &str| fields.iter().any(|field| field.name.as_str() == name);
                let filled = |field: &Field| match found.get(field.name.as_str()) {
                    Some((holds, presence)) => {
                        holds.suits(&field.shape)
                            && (presence == Presence::Required || field.presence == Presence::Optional)
                    }
                    None => field.presence == Presence::Optional,
                };
                found.names().all(known) && fields.iter().all(filled)
            }
            _ => false,
        }
    }

    /// Converts a value to this type for evaluation.
    ///
    /// JSON has one number type and CEL has two: `2` becomes `2.0` where a number is declared, and `2.0` becomes `2`
    /// where a whole number is declared. Otherwise `5 / 2` with two declared numbers would be `2`, and `number * 2.0`
    /// would be an error if `number` is whole. An optional field that is `null` is removed. A value that does not
    /// match is left unchanged.
    #[must_use]
    pub fn conform(&self, value: Value) -> Value {
        match (self, value) {
            (Self::Int, Value::Number(number)) => Value::Number(as_whole(number)),
            (Self::Double, Value::Number(number)) => Value::Number(as_fractional(number)),
            (Self::List(items), Value::Array(list)) => {
                Value::Array(list.into_iter().map(|item| items.conform(item)).collect())
            }
            (Self::Object(fields), Value::Object(map)) => Value::Object(
                map.into_iter()
                    .filter_map(|(name, value)| match fields.get(&name) {
                        Some((_, Presence::Optional)) if value.is_null() => None,
                        Some((holds, _)) => Some((name, holds.conform(value))),
                        None => Some((name, value)),
                    })
                    .collect(),
            ),
            (_, value) => value,
        }
    }

    /// Whether this is a string.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::String | Self::Enum(_) | Self::Unknown)
    }

    /// Whether this is a number of either kind.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::Double | Self::Unknown)
    }

    /// The common type of two types, for list items and the branches of `?:`.
    pub(super) fn unite(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => Some(known.clone()),
            (same, equal) if same == equal => Some(same.clone()),
            (Self::String | Self::Enum(_), Self::String | Self::Enum(_)) => Some(Self::String),
            (Self::List(one), Self::List(two)) => one.unite(two).map(|items| Self::List(Box::new(items))),
            _ => None,
        }
    }

    /// Whether values of the two types can be equal. CEL compares whole numbers with doubles.
    pub(super) fn comparable(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Enum(one), Self::Enum(two)) => one.iter().any(|choice| two.contains(choice)),
            (Self::List(one), Self::List(two)) => one.comparable(two),
            (Self::Unknown, _)
            | (_, Self::Unknown)
            | (Self::Int | Self::Double, Self::Int | Self::Double)
            | (Self::String | Self::Enum(_), Self::String | Self::Enum(_))
            | (Self::Object(_), Self::Object(_)) => true,
            _ => self == other,
        }
    }
}

fn as_whole(number: Number) -> Number {
    let double = number.as_f64().filter(|_| number.is_f64());
    double.and_then(whole).map_or(number, Number::from)
}

fn as_fractional(number: Number) -> Number {
    number.as_f64().and_then(Number::from_f64).unwrap_or(number)
}

/// The type in plain English, with the same wording as for shapes.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("true or false"),
            Self::Int => f.write_str("a whole number"),
            Self::Double => f.write_str("a number"),
            Self::String => f.write_str("text"),
            Self::Enum(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::List(items) if **items == Self::Unknown => f.write_str("a list"),
            Self::List(items) => write!(f, "a list (each item {items})"),
            Self::Object(_) => f.write_str("an object"),
            Self::Unknown => f.write_str("something"),
        }
    }
}
