//! Page content that no use case returns: confirmations, errors, the text of a step.

use std::collections::BTreeMap;

use serde::Serialize;

/// A step of a skill as an agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepText {
    /// The step's id.
    pub id: String,
    /// The text.
    pub text: Option<String>,
    /// Why there is no text.
    pub error: Option<String>,
}

/// An action on a run that the user must confirm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confirmation {
    /// The heading.
    pub heading: String,
    /// The effect of the action.
    pub meaning: String,
    /// The button's label.
    pub button: String,
    /// The URL that the form is submitted to.
    pub action: String,
    /// The hidden fields, by name.
    pub fields: BTreeMap<&'static str, String>,
    /// Whether the action ends the run.
    pub ends_run: bool,
    /// The field for a reason, if the action takes one.
    pub reason: Option<Reason>,
    /// The page to return to.
    pub back: String,
}

/// A field for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The field's label.
    pub label: &'static str,
    /// Whether the user must fill in the field.
    pub required: bool,
}

impl Reason {
    /// A field that may be left empty.
    pub fn optional(label: &'static str) -> Self {
        Self {
            label,
            required: false,
        }
    }

    /// A field that must be filled in.
    pub fn required(label: &'static str) -> Self {
        Self {
            label,
            required: true,
        }
    }
}

/// An error with hints for the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ErrorPage {
    /// The heading.
    pub heading: String,
    /// Details, one sentence each.
    pub details: Vec<String>,
    /// Hints for the user, one line each.
    pub hints: Vec<String>,
    /// Links to continue from here: text and URL.
    pub ways: Vec<(&'static str, String)>,
}
