//! What can be asked of a run, and the forms an answer takes.

use serde_json::Value;

use super::child::{ChildReport, Escalation};
use super::event::Event;
use super::evidence::EvidenceReport;
use super::refusal::Refusal;
use crate::id::{ContentHash, RunId, Timestamp, VisitNumber};
use crate::task::Board;
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
        /// Why, where a decision is recorded with its reason.
        reason: Option<String>,
    },
    /// A person takes some of what a gate found as risks, whatever the gate says.
    AcceptRisks {
        /// The visit of the gate.
        visit: VisitNumber,
        /// Which of the findings of its review, from 1.
        findings: Vec<u32>,
        /// Why.
        reason: String,
    },
    /// The agent stopped again and again without getting on.
    LetGo,
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
    /// A sub-agent stops, and somebody else has to act.
    Escalated {
        /// What kind of trouble.
        kind: Escalation,
        /// What exactly.
        reason: String,
    },
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
    /// What the sub-agents of the current visit have reported.
    pub children: &'a [ChildReport],
    /// What the project's files look like, where that matters: the commit and a fingerprint of the work tree.
    pub tree: Option<&'a str>,
    /// The run that called for this one, if it was given up.
    pub abandoned_by: Option<&'a RunId>,
    /// When the user last spoke to the agent that acts, if an agent acts and its client tells of that.
    pub user_spoke: Option<Timestamp>,
    /// The tasks of the run's plan, if it has one: that of [`super::plan_in_view`].
    pub tasks: Option<&'a Board>,
}

impl Environment<'_> {
    /// Nothing was looked for, and nothing is known.
    pub fn unknown() -> Self {
        Self {
            evidence: None,
            trusted: false,
            children: &[],
            tree: None,
            abandoned_by: None,
            user_spoke: None,
            tasks: None,
        }
    }
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
