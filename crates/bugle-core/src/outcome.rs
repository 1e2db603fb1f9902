//! How a visit ends, and which step follows.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::StepId;

/// How a visit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The step succeeded.
    Ok,
    /// The step failed.
    Fail,
    /// A route skips the next branch.
    Skip,
    /// A loop repeats the step.
    Iterate,
}

enum_text!(Outcome {
    Ok = "ok",
    Fail = "fail",
    Skip = "skip",
    Iterate = "iterate",
});

/// A transition's target.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A step.
    Step(StepId),
    /// The end of the run.
    End,
}

impl Target {
    /// The target step; `None` for the end.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Self::Step(id) => Some(id),
            Self::End => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(id) => id.fmt(f),
            Self::End => f.write_str("end"),
        }
    }
}

/// The target for each of a step's outcomes. `T` is a name in a definition, and a [`Target`] after validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transitions<T> {
    /// After `ok`.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub ok: Option<T>,
    /// After `fail`.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub fail: Option<T>,
    /// After `skip`.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub skip: Option<T>,
    /// After `iterate`.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub iterate: Option<T>,
    /// The target after any outcome without its own entry.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub default: Option<T>,
}

fn none<T>() -> Option<T> {
    None
}

impl<T> Default for Transitions<T> {
    fn default() -> Self {
        Self {
            ok: None,
            fail: None,
            skip: None,
            iterate: None,
            default: None,
        }
    }
}

impl<T> Transitions<T> {
    /// A single transition, after `ok`.
    pub fn linear(target: T) -> Self {
        Self {
            ok: Some(target),
            ..Self::default()
        }
    }

    /// This outcome's own entry, ignoring the default.
    pub fn own(&self, outcome: Outcome) -> Option<&T> {
        match outcome {
            Outcome::Ok => self.ok.as_ref(),
            Outcome::Fail => self.fail.as_ref(),
            Outcome::Skip => self.skip.as_ref(),
            Outcome::Iterate => self.iterate.as_ref(),
        }
    }

    /// The mutable entry for this outcome.
    pub fn slot(&mut self, outcome: Outcome) -> &mut Option<T> {
        match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Fail => &mut self.fail,
            Outcome::Skip => &mut self.skip,
            Outcome::Iterate => &mut self.iterate,
        }
    }

    /// An outcome's target: its own entry, or else the default.
    pub fn after(&self, outcome: Outcome) -> Option<&T> {
        self.own(outcome).or(self.default.as_ref())
    }

    /// All entries with their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &T)> {
        let named = Outcome::ALL
            .into_iter()
            .filter_map(|outcome| Some((outcome.as_str(), self.own(outcome)?)));
        named.chain(self.default.as_ref().map(|target| ("default", target)))
    }
}
