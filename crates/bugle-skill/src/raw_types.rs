//! The types of params and results, as written in `workflow.yaml`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// A type: a word, or a map with details.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawType {
    /// Only the type.
    Word(TypeWord),
    /// The type with its bounds.
    Map(Box<RawTypeMap>),
}

/// The type of a value.
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
    /// The findings of a review: a list of severity, category, location, element, problem and action.
    Findings,
    /// Disputed findings: a list of finding (its number) and evidence.
    Disputes,
    /// A task of a plan: id, number, title, text, skill and files.
    Task,
}

/// A type with details.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTypeMap {
    /// The type.
    #[serde(rename = "type")]
    pub kind: TypeWord,
    /// Whether it is required. Params are optional unless this is true; fields are required unless this is false.
    #[serde(default)]
    pub required: Option<bool>,
    /// The default value of a param.
    #[serde(default)]
    pub default: Option<serde_json::Value>,
    /// One line of help.
    #[serde(default)]
    pub help: Option<String>,
    /// The smallest value, number of characters or number of items.
    #[serde(default)]
    pub min: Option<f64>,
    /// The largest value, number of characters or number of items.
    #[serde(default)]
    pub max: Option<f64>,
    /// A regular expression that must match the whole string.
    #[serde(default)]
    pub pattern: Option<String>,
    /// What must be unique among the items of a list: the name of a field, or true for the items themselves.
    #[serde(default)]
    pub unique: Option<RawUnique>,
    /// The choices of an enum.
    #[serde(default)]
    pub choices: Option<Vec<String>>,
    /// The type of a list's items.
    #[serde(default)]
    pub items: Option<RawType>,
    /// The fields of an object.
    #[serde(default)]
    pub fields: Option<IndexMap<String, RawType>>,
}

/// What must be unique among the items of a list.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawUnique {
    /// The items themselves, which are plain values.
    Items(bool),
    /// This field of the items.
    Field(String),
}
