//! Lists without duplicates.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Mismatch;
use super::quote::quoted;
use crate::name::FieldName;

/// The values that must be unique in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unique {
    /// The items themselves.
    Items,
    /// The items' values for this field.
    Field(FieldName),
}

impl Unique {
    /// Reports every item that duplicates an earlier one.
    pub(super) fn repeats(&self, list: &[Value], path: &str) -> Vec<Mismatch> {
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut found = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let (value, inside) = match self {
                Self::Items => (Some(item), String::new()),
                Self::Field(name) => (item.get(name.as_str()), format!(".{name}")),
            };
            let Some(value) = value else { continue };
            let earlier = *first.entry(key(value)).or_insert(index);
            if earlier != index {
                let shown = value.as_str().map_or_else(|| value.to_string(), quoted);
                found.push(Mismatch {
                    path: format!("{path}[{index}]{inside}"),
                    message: format!("{shown} duplicates {path}[{earlier}]{inside}"),
                });
            }
        }
        found
    }

    /// The rule as a suffix to a list's description.
    pub(super) fn suffix(unique: Option<&Self>) -> String {
        match unique {
            None => String::new(),
            Some(Self::Items) => ", without duplicates".to_owned(),
            Some(Self::Field(name)) => format!(", each with a unique `{name}`"),
        }
    }
}

/// A key that is equal for equal values: JSON can spell the same number in several ways.
pub(crate) fn key(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) if number.fract() == 0.0 => format!("{number:.0}"),
        _ => value.to_string(),
    }
}
