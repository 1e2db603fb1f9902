//! The types of params and results, as written in `workflow.yaml`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// A type: its name, or a map with details.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawType {
    /// Only the type's name.
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
    /// `path:line` or `path:from-to` of a file in the project. Bugle refuses a place that does not exist.
    Place,
    /// Text from the file of the `place` in the same object. Bugle refuses text that the file does not contain.
    Quote,
    /// Review findings, each with severity, category, location, element, problem and action.
    Findings,
    /// Disputed findings, each with the finding's number in `finding` and the author's `evidence`.
    Disputes,
    /// A task with id, number, title, text, skill and files.
    Task,
}

/// A type with details.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTypeMap {
    /// The type.
    #[serde(rename = "type")]
    pub kind: TypeWord,
    /// Whether a value is required. Default: `false` for params, `true` for fields.
    #[serde(default)]
    pub required: Option<bool>,
    /// The default value of a param.
    #[serde(default)]
    pub default: Option<serde_json::Value>,
    /// A one-line description.
    #[serde(default)]
    pub help: Option<String>,
    /// The smallest allowed number, or the minimum length of a string or list.
    #[serde(default)]
    pub min: Option<f64>,
    /// The largest allowed number, or the maximum length of a string or list.
    #[serde(default)]
    pub max: Option<f64>,
    /// A regular expression that must match the whole string.
    #[serde(default)]
    pub pattern: Option<String>,
    /// The name of the item field that must be unique in the list, or `true` if the items themselves must be unique.
    #[serde(default)]
    pub unique: Option<RawUnique>,
    /// The allowed values of an enum.
    #[serde(default)]
    pub choices: Option<Vec<String>>,
    /// The type of a list's items.
    #[serde(default)]
    pub items: Option<RawType>,
    /// The fields of an object.
    #[serde(default)]
    pub fields: Option<IndexMap<String, RawType>>,
}

/// What must be unique in a list.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RawUnique {
    /// The items themselves, which are plain values.
    Items(bool),
    /// This field of the items.
    Field(String),
}
