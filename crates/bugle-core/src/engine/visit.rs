//! One visit of a run to a step.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child::{ChildPlan, Escalation};
use super::evidence::EvidenceReport;
use crate::id::{Actor, ContentHash, TaskId, Timestamp, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::task::TaskBrief;

/// One entry into a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Its number.
    pub number: VisitNumber,
    /// The step.
    pub step: StepId,
    /// The visit whose history it continues.
    pub after: Option<VisitNumber>,
    /// When it began.
    pub entered_at: Timestamp,
    /// The blob with the files that matched the step's artifacts when it began.
    pub files: Option<ContentHash>,
    /// Since when it waits for a person's answer, if it asked for one.
    pub asked: Option<Timestamp>,
    /// The sub-agents it called for, if that is what its step does.
    pub dispatched: Option<Vec<ChildPlan>>,
    /// The task it took, if it took one.
    pub took: Option<TaskBrief>,
    /// The task it closed, if it closed one, and why it is left out, if it is not done.
    pub closed: Option<(TaskId, Option<String>)>,
    /// The result that a person has to decide on.
    pub judged: Option<Value>,
    /// What the project's files looked like when it was judged.
    pub tree: Option<String>,
    /// Why a sub-agent stopped.
    pub escalation: Option<(Escalation, String)>,
    /// What was noted.
    pub notes: Vec<Note>,
    /// How it ended, if it did.
    pub ending: Option<Ending>,
}

impl Visit {
    /// A visit that has just begun.
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

    /// What a person answered or decided, and why, if they said why.
    pub fn explained(&self) -> Option<(&str, &str)> {
        let ending = self.ending.as_ref().filter(|_| self.asked.is_some())?;
        let result = ending.result.as_ref()?;
        let answer = result.get("decision").or_else(|| result.get("answer"))?;
        Some((answer.as_str()?, ending.reason.as_deref()?))
    }

    /// Whether it had no sub-agents, so that the run continued without an answer.
    pub(super) fn passed_by_itself(&self) -> bool {
        self.dispatched.is_some() && self.children().is_empty()
    }

    /// The sub-agents it called for.
    pub fn children(&self) -> &[ChildPlan] {
        self.dispatched.as_deref().unwrap_or_default()
    }
}

/// Something noted during a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Actor,
    /// What.
    pub text: String,
}

/// How a visit ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Actor,
    /// How.
    pub outcome: Outcome,
    /// The result it brought.
    pub result: Option<Value>,
    /// Why it could not be done; where a person was asked, why they answered so.
    pub reason: Option<String>,
    /// What was checked.
    pub evidence: Vec<EvidenceReport>,
    /// Whether a loop ended only because of its limit.
    pub exhausted: bool,
    /// What the project's files looked like, where a review ended.
    pub tree: Option<String>,
}
