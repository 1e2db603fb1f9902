//! The commands on a run, and the decisions on them.

use serde_json::Value;

use super::child::{ChildReport, Escalation};
use super::event::Event;
use super::evidence::EvidenceReport;
use super::refusal::Refusal;
use super::state::RunState;
use crate::id::{ContentHash, RunId, Timestamp, VisitNumber};
use crate::rights::Action;
use crate::task::Board;
use crate::workflow::{Answerer, Evidence, Workflow};

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
    /// Go back to a visit; what came after it no longer counts.
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

impl Command<'_> {
    /// What this is, for the question of who may do it.
    pub fn action(&self, state: &RunState, workflow: &Workflow) -> Action {
        match self {
            Self::Done { .. } => Action::Finish,
            Self::Answer { .. } => {
                let visit = state.current();
                let ask = visit
                    .filter(|visit| visit.judged.is_none())
                    .and_then(|visit| workflow.step(&visit.step)?.ask.as_ref());
                match ask.map(|ask| ask.by) {
                    Some(Answerer::Person) => Action::AnswerInPerson,
                    Some(Answerer::User) => Action::Answer,
                    None => Action::DecideGate,
                }
            }
            Self::AcceptRisks { .. } => Action::AcceptRisks,
            Self::LetGo => Action::Release,
            Self::Note(_) => Action::Note,
            Self::Pause { .. } => Action::Pause,
            Self::Resume => Action::Resume,
            Self::Cancel { .. } => Action::Cancel,
            Self::Rewind { .. } => Action::Rewind,
            Self::Upgrade { .. } => Action::Upgrade,
        }
    }
}

/// From which moment on the user's input can be about an action on a run: when the question was put, else when the run
/// came to where it is now.
pub fn input_since(state: &RunState, action: Action) -> Option<Timestamp> {
    let visit = state.current()?;
    let asked = visit.asked.filter(|_| action.is_answer());
    Some(asked.unwrap_or(visit.entered_at))
}

/// What an agent says about a visit that is over.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// The work is done; the result if one was handed in.
    Done(Option<Value>),
    /// The step ends although sub-agents have open questions; these count as not done.
    Unanswered,
    /// A sub-agent stops, and a person or another agent has to act.
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
    /// What was found when the evidence was looked for; `None` before the first look.
    pub evidence: Option<&'a [EvidenceReport]>,
    /// Whether the run's skill may have its commands run.
    pub trusted: bool,
    /// What the sub-agents of the current visit have reported.
    pub children: &'a [ChildReport],
    /// The reviewers of the current visit, from 1, whose review was a self-review.
    pub self_reviews: &'a [u32],
    /// What the project's files look like, where that matters: the commit and a fingerprint of the work tree.
    pub tree: Option<&'a str>,
    /// The run that called for this one, if it was cancelled.
    pub abandoned_by: Option<&'a RunId>,
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
            self_reviews: &[],
            tree: None,
            abandoned_by: None,
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
