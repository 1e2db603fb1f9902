//! Values during evaluation.

use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Map, Value};

/// A value. It is borrowed from the JSON or the source if possible, and always cheap to clone.
#[derive(Debug, Clone)]
pub(super) enum Datum<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Text<'a>),
    List(List<'a>),
    Object(&'a Map<String, Value>),
}

/// A borrowed or computed string.
#[derive(Debug, Clone)]
pub(super) enum Text<'a> {
    Given(&'a str),
    Made(Rc<str>),
}

/// A borrowed or computed list.
#[derive(Debug, Clone)]
pub(super) enum List<'a> {
    Given(&'a [Value]),
    Made(Rc<[Datum<'a>]>),
}

/// The error for two values of kinds that have no order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unordered;

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Given(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl<'a> List<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Given(items) => items.len(),
            Self::Made(items) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<Datum<'a>> {
        match self {
            Self::Given(items) => items.get(index).map(Datum::from),
            Self::Made(items) => items.get(index).cloned(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Datum<'a>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> From<&'a Value> for Datum<'a> {
    /// As in CEL, whole numbers that fit into 64 bits are ints, and all other numbers are doubles.
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => number
                .as_i64()
                .map_or_else(|| Self::Double(number.as_f64().unwrap_or(f64::NAN)), Self::Int),
            Value::String(text) => Self::Text(Text::Given(text)),
            Value::Array(items) => Self::List(List::Given(items)),
            Value::Object(fields) => Self::Object(fields),
        }
    }
}

impl Datum<'_> {
    /// The value's kind in plain English.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Int(_) => "a whole number",
            Self::Double(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The order of two values; `None` if one is NaN, because every comparison with NaN is false.
    pub(super) fn order(&self, other: &Self) -> Result<Option<Ordering>, Unordered> {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => Ok(Some(one.cmp(two))),
            (Self::Text(one), Self::Text(two)) => Ok(Some(one.as_str().cmp(two.as_str()))),
            (Self::Int(one), Self::Int(two)) => Ok(Some(one.cmp(two))),
            (Self::Double(one), Self::Double(two)) => Ok(one.partial_cmp(two)),
            (Self::Int(one), Self::Double(two)) => Ok(whole_with_double(*one, *two)),
            (Self::Double(one), Self::Int(two)) => Ok(whole_with_double(*two, *one).map(Ordering::reverse)),
            _ => Err(Unordered),
        }
    }
}

/// 2^63, the smallest double above every 64-bit whole number.
const ABOVE_ALL: f64 = 9_223_372_036_854_775_808.0;

/// A double as a whole number, if it has no fraction and fits into 64 bits.
pub(super) fn whole(double: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the caller checks that the value fits"
    )]
    let cast = |double: f64| double as i64;
    let fits = double.fract() == 0.0 && (-ABOVE_ALL..ABOVE_ALL).contains(&double);
    fits.then(|| cast(double))
}

/// Compares exactly: converting a large whole number to a double would round it.
fn whole_with_double(number: i64, double: f64) -> Option<Ordering> {
    match whole(double.floor()) {
        Some(floor) if double.fract() == 0.0 => Some(number.cmp(&floor)),
        Some(floor) => Some(number.cmp(&floor).then(Ordering::Less)),
        // The double is NaN or outside the 64-bit range, so every whole number compares with it as zero does.
        None => 0.0.partial_cmp(&double),
    }
}

/// A field's value, if it is set.
pub(super) fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<Datum<'a>> {
    fields.get(name).filter(|value| !value.is_null()).map(Datum::from)
}

/// The fields that are set.
pub(super) fn set(fields: &Map<String, Value>) -> impl Iterator<Item = (&str, Datum<'_>)> {
    fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.as_str(), Datum::from(value)))
}
