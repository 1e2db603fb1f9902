//! How a visit ends, and where each ending leads.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::StepId;

/// How a visit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work is done.
    Ok,
    /// The work did not pass, or could not be done.
    Fail,
    /// A route decided that the following branch is not needed.
    Skip,
    /// A loop goes round once more.
    Iterate,
}

enum_text!(Outcome {
    Ok = "ok",
    Fail = "fail",
    Skip = "skip",
    Iterate = "iterate",
});

/// Where a transition leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// To a step.
    Step(StepId),
    /// To the end of the run.
    End,
}

impl Target {
    /// The step, unless this is the end.
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

/// What each outcome of a step leads to. `T` is a name while the workflow is a
/// definition, and a [`Target`] once it is validated.
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
    /// After any outcome that has no entry of its own.
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
    /// One way on, after `ok`.
    pub fn linear(target: T) -> Self {
        Self {
            ok: Some(target),
            ..Self::default()
        }
    }

    /// The entry of exactly this outcome.
    pub fn own(&self, outcome: Outcome) -> Option<&T> {
        match outcome {
            Outcome::Ok => self.ok.as_ref(),
            Outcome::Fail => self.fail.as_ref(),
            Outcome::Skip => self.skip.as_ref(),
            Outcome::Iterate => self.iterate.as_ref(),
        }
    }

    /// The place for the entry of this outcome.
    pub fn slot(&mut self, outcome: Outcome) -> &mut Option<T> {
        match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Fail => &mut self.fail,
            Outcome::Skip => &mut self.skip,
            Outcome::Iterate => &mut self.iterate,
        }
    }

    /// Where this outcome leads: its own entry, else the fallback.
    pub fn after(&self, outcome: Outcome) -> Option<&T> {
        self.own(outcome).or(self.default.as_ref())
    }

    /// Every entry, with the word under which it stands.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &T)> {
        let named = Outcome::ALL
            .into_iter()
            .filter_map(|outcome| Some((outcome.as_str(), self.own(outcome)?)));
        named.chain(self.default.as_ref().map(|target| ("default", target)))
    }
}
