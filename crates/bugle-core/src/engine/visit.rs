//! A run's visit to a step.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::also_found::AlsoFound;
use super::child::{ChildPlan, Escalation};
use super::event::{Event, Recorded};
use super::evidence::EvidenceReport;
use super::merged::Merged;
use crate::id::{Actor, ContentHash, TaskId, Timestamp, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::task::TaskBrief;

/// One entry into a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// The visit's number.
    pub number: VisitNumber,
    /// The step.
    pub step: StepId,
    /// The preceding visit in the history.
    pub after: Option<VisitNumber>,
    /// When the visit started.
    pub entered_at: Timestamp,
    /// The blob with the files that matched the step's artifacts when the visit started.
    pub files: Option<ContentHash>,
    /// When the visit asked a person a question, if it did.
    pub asked: Option<Timestamp>,
    /// The visit's sub-agents, if the step dispatches any.
    pub dispatched: Option<Vec<ChildPlan>>,
    /// The task that the visit took.
    pub took: Option<TaskBrief>,
    /// The task that the visit closed, and the reason if the task was skipped.
    pub closed: Option<(TaskId, Option<String>)>,
    /// The result that awaits a person's decision.
    pub judged: Option<Value>,
    /// The fingerprint of the project's files when the result was judged.
    pub tree: Option<String>,
    /// Why a sub-agent stopped.
    pub escalation: Option<(Escalation, String)>,
    /// The visit's notes.
    pub notes: Vec<Note>,
    /// How the visit ended, if it has.
    pub ending: Option<Ending>,
}

impl Visit {
    /// A new visit.
    pub(super) fn new(number: VisitNumber, step: StepId, entered_at: Timestamp) -> Self {
        Self {
            number,
            step,
            after: None,
            entered_at,
            files: None,
            asked: None,
            dispatched: None,
            took: None,
            closed: None,
            judged: None,
            tree: None,
            escalation: None,
            notes: Vec::new(),
            ending: None,
        }
    }

    /// A person's answer or decision, with the reason, if any.
    pub fn explained(&self) -> Option<(&str, &str)> {
        let ending = self.ending.as_ref().filter(|_| self.asked.is_some())?;
        let result = ending.result.as_ref()?;
        let answer = result.get("decision").or_else(|| result.get("answer"))?;
        Some((answer.as_str()?, ending.reason.as_deref()?))
    }

    /// Whether the visit had no sub-agents, so that the run moved on by itself.
    pub(super) fn passed_by_itself(&self) -> bool {
        self.dispatched.is_some() && self.children().is_empty()
    }

    /// The visit's sub-agents.
    pub fn children(&self) -> &[ChildPlan] {
        self.dispatched.as_deref().unwrap_or_default()
    }
}

/// A note about a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When the note was written.
    pub at: Timestamp,
    /// The author.
    pub by: Actor,
    /// The text.
    pub text: String,
}

/// How a visit ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// When the visit ended.
    pub at: Timestamp,
    /// The actor that ended the visit.
    pub by: Actor,
    /// The outcome.
    pub outcome: Outcome,
    /// The visit's result.
    pub result: Option<Value>,
    /// Why the visit failed, or the person's reason for an answer.
    pub reason: Option<String>,
    /// The evidence that Bugle checked.
    pub evidence: Vec<EvidenceReport>,
    /// What the agent returned, if Bugle merged it into the step's earlier result.
    #[serde(default)]
    pub merged: Option<Box<Merged>>,
    /// The problems outside the step's work that the agent reported.
    #[serde(default)]
    pub also_found: Vec<AlsoFound>,
    /// Whether the loop ended only because it reached its limit.
    pub exhausted: bool,
    /// Whether the loop ended only because the visit returned the same result as the visit before.
    #[serde(default)]
    pub no_progress: bool,
    /// The fingerprint of the project's files at the end of a review.
    pub tree: Option<String>,
}

impl Ending {
    /// The ending that an event records; `None` for other events.
    pub(super) fn of(recorded: &Recorded) -> Option<Self> {
        let Event::Ended {
            visit: _,
            outcome,
            result,
            reason,
            evidence,
            merged,
            also_found,
            exhausted,
            no_progress,
            tree,
        } = recorded.event.clone()
        else {
            return None;
        };
        Some(Self {
            at: recorded.at,
            by: recorded.by.clone(),
            outcome,
            result,
            reason,
            evidence,
            merged,
            also_found,
            exhausted,
            no_progress,
            tree,
        })
    }

    /// What the agent itself returned at this visit: the result before Bugle merged it into the earlier result.
    pub fn returned(&self) -> Option<&Value> {
        self.merged
            .as_ref()
            .map(|merged| &merged.returned)
            .or(self.result.as_ref())
    }
}
