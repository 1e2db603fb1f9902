//! What happens to a run. The list of these is the truth; everything else is folded from it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::evidence::EvidenceReport;
use crate::id::{Actor, ContentHash, RunId, Timestamp, VisitNumber};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;

/// Something that happened to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The run began.
    Started {
        /// Which skill.
        skill: SkillAddress,
        /// The exact bytes of that skill.
        pin: ContentHash,
        /// What it was started with, defaults included.
        params: Map<String, Value>,
        /// What it came from.
        origin: Origin,
    },
    /// A step was entered.
    Entered {
        /// The visit that began.
        visit: VisitNumber,
        /// The step visited.
        step: StepId,
        /// The visit whose history this one continues.
        after: Option<VisitNumber>,
    },
    /// The visit waits for a person's answer.
    Asked {
        /// The visit.
        visit: VisitNumber,
    },
    /// Something worth keeping was noted.
    Noted {
        /// During which visit.
        visit: VisitNumber,
        /// What.
        text: String,
    },
    /// A visit ended.
    Ended {
        /// The visit.
        visit: VisitNumber,
        /// How it ended.
        outcome: Outcome,
        /// The result it brought.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why it could not be done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// What Bugle checked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<EvidenceReport>,
        /// Whether a loop ended only because of its limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exhausted: bool,
    },
    /// The run reached its end.
    Completed,
    /// The run was put aside.
    Paused {
        /// Why.
        reason: Option<String>,
    },
    /// The run was taken up again.
    Resumed,
    /// The run was given up.
    Cancelled {
        /// Why.
        reason: Option<String>,
    },
    /// The run goes back to before a visit; what came after stays in the history.
    Rewound {
        /// The visit to be made anew.
        to: VisitNumber,
    },
    /// The run moved to another version of its skill.
    Upgraded {
        /// The exact bytes of the new version.
        pin: ContentHash,
    },
}

/// What a run came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It was started.
    Fresh,
    /// It was forked from another run, at the beginning of one of its visits.
    Fork {
        /// The other run.
        run: RunId,
        /// Its visit.
        visit: VisitNumber,
    },
}

/// An event as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When it happened.
    pub at: Timestamp,
    /// Who made it happen.
    pub by: Actor,
    /// What happened.
    pub event: Event,
}
