//! What can be asked of a run, and the forms an answer takes.

use serde_json::Value;

use super::event::Event;
use super::evidence::EvidenceReport;
use super::refusal::Refusal;
use crate::id::{ContentHash, VisitNumber};
use crate::workflow::{Evidence, Workflow};

/// What is asked of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Command<'a> {
    /// A visit is over.
    Done {
        /// Which.
        visit: VisitNumber,
        /// How.
        report: Report,
        /// Something worth keeping about it.
        note: Option<String>,
    },
    /// A person's answer to the question that the run waits on.
    Answer {
        /// The visit that asked; the current one if not said.
        visit: Option<VisitNumber>,
        /// The answer; none if the same command was run again after its answer was taken.
        answer: Option<String>,
    },
    /// Something worth keeping.
    Note(String),
    /// Put the run aside.
    Pause {
        /// Why.
        reason: Option<String>,
    },
    /// Take the run up again.
    Resume,
    /// Give the run up.
    Cancel {
        /// Why.
        reason: Option<String>,
    },
    /// Make a visit anew, forgetting what came after.
    Rewind {
        /// Which.
        to: VisitNumber,
    },
    /// Move to another version of the skill.
    Upgrade {
        /// Its exact bytes.
        pin: ContentHash,
        /// Its workflow.
        workflow: &'a Workflow,
    },
}

/// What an agent says about a visit that is over.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// The work is done; the result if one was handed in.
    Done(Option<Value>),
    /// The work cannot be done.
    Failed {
        /// Why.
        reason: String,
    },
}

/// What the world looks like at the moment of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// What was found when the evidence was looked for; `None` if nobody looked yet.
    pub evidence: Option<&'a [EvidenceReport]>,
    /// Whether the run's skill may have its commands run.
    pub trusted: bool,
}

/// What the engine answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// These things happen.
    Accept(Vec<Event>),
    /// It was so already: the same answer again, and nothing changes.
    Already,
    /// Look for this first, then ask again.
    NeedsEvidence(Vec<Evidence>),
    /// The rules do not allow it.
    Refuse(Refusal),
}
