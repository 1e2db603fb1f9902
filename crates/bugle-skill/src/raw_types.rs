//! The types of params and results, as written in `workflow.yaml`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// A type: a word, or a map with more to say.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawType {
    /// Just the kind.
    Word(TypeWord),
    /// The kind and its bounds.
    Map(Box<RawTypeMap>),
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TypeWord {
    String,
    Integer,
    Number,
    Boolean,
    Enum,
    Array,
    Object,
    /// What a review found: a list of severity, category, location, element, problem and action.
    Findings,
    /// Findings that the author disputes: a list of finding (its number) and evidence.
    Disputes,
    /// A task of a plan: id, number, title, text, skill and files.
    Task,
}

/// A type with more to say than its kind.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTypeMap {
    /// The kind of value.
    #[serde(rename = "type")]
    pub kind: TypeWord,
    /// Whether it must be there. Params need not unless this is true; fields must unless this is false.
    #[serde(default)]
    pub required: Option<bool>,
    /// A param's value where none is given.
    #[serde(default)]
    pub default: Option<serde_json::Value>,
    /// One line of help.
    #[serde(default)]
    pub help: Option<String>,
    /// The least value, number of characters or number of items.
    #[serde(default)]
    pub min: Option<f64>,
    /// The greatest value, number of characters or number of items.
    #[serde(default)]
    pub max: Option<f64>,
    /// A regular expression that a string must match from beginning to end.
    #[serde(default)]
    pub pattern: Option<String>,
    /// What no two items of a list may have in common: the name of a field, or true for the items themselves.
    #[serde(default)]
    pub unique: Option<RawUnique>,
    /// The words of an enum.
    #[serde(default)]
    pub choices: Option<Vec<String>>,
    /// The type of a list's items.
    #[serde(default)]
    pub items: Option<RawType>,
    /// The fields of an object.
    #[serde(default)]
    pub fields: Option<IndexMap<String, RawType>>,
}

/// What no two items of a list may have in common.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawUnique {
    /// The items themselves, which are plain values.
    Items(bool),
    /// This field of the items.
    Field(String),
}
