//! The commands on a run, and the engine's possible answers.

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

/// A command on a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Command<'a> {
    /// Finish a visit.
    Done {
        /// The visit.
        visit: VisitNumber,
        /// The report.
        report: Report,
        /// A note about the visit.
        note: Option<String>,
    },
    /// Answer the question that the run is waiting on.
    Answer {
        /// The visit that asked the question; by default, the current visit.
        visit: Option<VisitNumber>,
        /// The answer; `None` if the command is repeated after the answer was accepted.
        answer: Option<String>,
        /// The reason, for decisions that record a reason.
        reason: Option<String>,
    },
    /// Accept a gate's findings as risks.
    AcceptRisks {
        /// The visit to the gate.
        visit: VisitNumber,
        /// The finding numbers in the gate's review, starting at 1.
        findings: Vec<u32>,
        /// The reason.
        reason: String,
    },
    /// Release the run because its agent stopped repeatedly without progress.
    LetGo,
    /// Record a note.
    Note(String),
    /// Pause the run.
    Pause {
        /// The reason.
        reason: Option<String>,
    },
    /// Resume the run.
    Resume,
    /// Cancel the run.
    Cancel {
        /// The reason.
        reason: Option<String>,
    },
    /// Go back to a visit. Later visits no longer affect the run.
    Rewind {
        /// The visit.
        to: VisitNumber,
    },
    /// Move to another version of the skill.
    Upgrade {
        /// The hash of the new version's exact bytes.
        pin: ContentHash,
        /// The new version's workflow.
        workflow: &'a Workflow,
    },
}

impl Command<'_> {
    /// The action that the caller needs permission for.
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

/// The start of the period in which user input counts for an action: the time of the question, or else the start of
/// the current visit.
pub fn input_since(state: &RunState, action: Action) -> Option<Timestamp> {
    let visit = state.current()?;
    let asked = visit.asked.filter(|_| action.is_answer());
    Some(asked.unwrap_or(visit.entered_at))
}

/// How an agent finishes a visit.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// The step succeeded, with its result, if any.
    Done(Option<Value>),
    /// The step ends even though sub-agents have open questions. Those sub-agents count as failed.
    Unanswered,
    /// The sub-agent stops because a person or another agent must act.
    Escalated {
        /// The kind of problem.
        kind: Escalation,
        /// The problem.
        reason: String,
    },
    /// The step failed.
    Failed {
        /// The reason.
        reason: String,
    },
}

/// The facts that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// The evidence found; `None` before the first check.
    pub evidence: Option<&'a [EvidenceReport]>,
    /// Whether the skill's commands may run.
    pub trusted: bool,
    /// Reports from the current visit's sub-agents.
    pub children: &'a [ChildReport],
    /// The numbers (starting at 1) of the current visit's reviewers that reviewed their own work.
    pub self_reviews: &'a [u32],
    /// The state of the project's files, if needed: the commit and a worktree fingerprint.
    pub tree: Option<&'a str>,
    /// The orchestrator's run, if it was cancelled.
    pub abandoned_by: Option<&'a RunId>,
    /// The tasks of the run's plan, if any. See [`super::plan_in_view`].
    pub tasks: Option<&'a Board>,
}

impl Environment<'_> {
    /// An environment in which nothing is known and no evidence has been checked.
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

/// The engine's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Accepted, with these events.
    Accept(Vec<Event>),
    /// The command already succeeded. Repeat the previous answer and change nothing.
    Already,
    /// Check this evidence, then decide again.
    NeedsEvidence(Vec<Evidence>),
    /// Refused by the rules.
    Refuse(Refusal),
}

/// The result of deciding a command.
pub(super) type Decided = Result<Decision, Refusal>;
