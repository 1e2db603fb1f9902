//! Resolves a run's params: parses strings, fills in defaults, and reports invalid values.

use serde_json::{Map, Value};

use crate::did_you_mean::nearest;
use crate::shape::{Mismatch, Presence, Shape};
use crate::workflow::Workflow;

/// Why a run cannot start with these params.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadParam {
    /// A required param is missing.
    #[error("param `{name}` is missing{}", help.as_ref().map(|help| format!(": {help}")).unwrap_or_default())]
    Missing {
        /// The param's name.
        name: String,
        /// The param's help text.
        help: Option<String>,
    },
    /// The workflow has no such param.
    #[error("there is no param `{name}`{}", meant.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
    Unknown {
        /// The unknown name.
        name: String,
        /// The closest known name.
        meant: Option<String>,
    },
    /// The value does not have the declared shape.
    #[error("param `{name}`{}: {}", inside(&mismatch.path), mismatch.message)]
    Mismatch {
        /// The param's name.
        name: String,
        /// The mismatch.
        mismatch: Mismatch,
    },
}

/// The path within a param's value, for a message.
fn inside(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(" at {path}")
    }
}

/// Checks a new run's params and fills in defaults.
pub fn resolve_params(
    workflow: &Workflow,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<BadParam>> {
    let mut bad = Vec::new();
    let args = workflow.params();
    for name in given.keys() {
        if !args.iter().any(|arg| arg.name.as_str() == name) {
            let meant = nearest(name, args.iter().map(|arg| arg.name.as_str())).map(str::to_owned);
            bad.push(BadParam::Unknown {
                name: name.clone(),
                meant,
            });
        }
    }
    let mut resolved = Map::new();
    for arg in args {
        let name = arg.name.as_str();
        match given.get(name).or(arg.default.as_ref()) {
            Some(value) => {
                for mismatch in arg.shape.mismatches(value) {
                    bad.push(BadParam::Mismatch {
                        name: name.to_owned(),
                        mismatch,
                    });
                }
                resolved.insert(name.to_owned(), value.clone());
            }
            None if arg.presence == Presence::Required => {
                bad.push(BadParam::Missing {
                    name: name.to_owned(),
                    help: arg.help.clone(),
                });
            }
            None => {}
        }
    }
    if bad.is_empty() { Ok(resolved) } else { Err(bad) }
}

/// Parses a param from the command line. Strings and choices are used unchanged; other types are parsed as JSON.
pub fn parse_param(workflow: &Workflow, name: &str, text: &str) -> Value {
    let shape = workflow
        .params()
        .iter()
        .find(|arg| arg.name.as_str() == name)
        .map(|arg| &arg.shape);
    match shape {
        None | Some(Shape::String(_) | Shape::Pattern(..) | Shape::Reference(_) | Shape::Enum(_)) => {
            Value::String(text.to_owned())
        }
        // Invalid JSON is kept as a string. The type check then rejects it and names the expected type.
        Some(_) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}
