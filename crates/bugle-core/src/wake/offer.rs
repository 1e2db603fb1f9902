//! The sizes at which a wake-up can show each part, and the result for each part.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::part::Part;
use super::queue::Queue;
use crate::digest::{Detail, WorkStage};

/// A part's text at one size. A shortened text says that it is shortened and names the command that shows the rest.
/// Bugle appends the list of omitted parts to the text of [`Part::Rest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedText {
    /// How much of the part the text shows.
    pub detail: Detail,
    /// The text, without leading and trailing line breaks.
    pub text: String,
}

/// A part with its available sizes.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The part.
    pub part: Part,
    /// The part's texts, largest first; empty if there is nothing to show.
    pub sizes: Vec<SizedText>,
    /// The part's messages, if it has any. The largest size shows all of them, and the smallest shows
    /// `minimum_shown`; the sizes in between are computed.
    pub queue: Option<Rc<dyn Queue>>,
    /// How much of the part is still in the agent's context, if the wake-up does not repeat the part.
    pub known: Option<Known>,
    /// The part's full text, if `sizes` contains only a reminder of the part.
    pub full: Option<String>,
    /// The index of the size that serves the current work. The part grows beyond it only after other parts have grown.
    pub enough: usize,
    /// The command that shows the whole part.
    pub command: Option<String>,
    /// The stage of the work for which the part was shortened.
    pub stage: Option<WorkStage>,
}

impl Offer {
    /// A part with these sizes.
    pub fn new(part: Part, sizes: Vec<SizedText>) -> Self {
        Self {
            part,
            sizes,
            queue: None,
            known: None,
            full: None,
            enough: 0,
            command: None,
            stage: None,
        }
    }
}

/// How much of a part is still in an agent's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The whole part.
    Whole,
    /// Less than the whole part: an earlier wake-up had no room for all of it.
    Partly,
}

/// How a part appears in the wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartResult {
    /// The part is shown at its largest size.
    Whole,
    /// The part is shown at a smaller size because larger ones do not fit.
    Cut,
    /// The part is omitted because not even its smallest size fits.
    LeftOut,
    /// There is nothing to show.
    Empty,
    /// The part is not repeated because the agent still has it in its context.
    Known,
    /// The part is not repeated, although an earlier wake-up gave the agent only a shortened part or a pointer.
    PartlyKnown,
    /// The part is omitted because the wake-up's template does not include it.
    Unwanted,
}

enum_text!(PartResult {
    Whole = "whole",
    Cut = "cut",
    LeftOut = "left out",
    Empty = "empty",
    Known = "already known",
    PartlyKnown = "partly known",
    Unwanted = "not in the template",
});

/// The result for one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// The part.
    pub part: Part,
    /// The result.
    pub verdict: PartResult,
    /// How much of the part is shown.
    pub detail: Option<Detail>,
    /// The part's size, in the budget's unit.
    pub size: usize,
    /// The part's full size.
    pub whole: usize,
    /// How much more space the next larger size needs, if the part is cut or left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<usize>,
    /// The command that shows the whole part, if the wake-up does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The stage of the work for which the part was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<WorkStage>,
}
