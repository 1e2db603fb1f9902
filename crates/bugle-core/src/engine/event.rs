//! A run's events. The event log is the source of truth; all state is folded from it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::also_found::AlsoFound;
use super::child::{ChildOrigin, ChildPlan, Escalation};
use super::evidence::EvidenceReport;
use super::merged::Merged;
use super::task_ref::TaskRef;
use crate::id::{Actor, ContentHash, RunId, TaskId, Timestamp, VisitNumber};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;
use crate::review;
use crate::task::TaskBrief;
use crate::workflow::Decider;

/// A run event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The run started.
    Started {
        /// The role that decides at the run's gates. Must be the first field: the server matches the start of the
        /// stored text.
        #[serde(default, skip_serializing_if = "Decider::is_project")]
        decides: Decider,
        /// The skill.
        skill: SkillAddress,
        /// The hash of the skill's exact bytes.
        pin: ContentHash,
        /// The params, including defaults.
        params: Map<String, Value>,
        /// The origin.
        origin: Origin,
    },
    /// The run entered a step.
    Entered {
        /// The new visit.
        visit: VisitNumber,
        /// The step.
        step: StepId,
        /// The preceding visit in the history.
        after: Option<VisitNumber>,
        /// The blob with the files that matched the step's artifacts when the visit started, a [`super::Baseline`];
        /// `None` if the step expects no new file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<ContentHash>,
    },
    /// The visit is waiting for a person's answer.
    Asked {
        /// The visit.
        visit: VisitNumber,
    },
    /// The visit dispatched sub-agents.
    Dispatched {
        /// The visit.
        visit: VisitNumber,
        /// Each sub-agent's input.
        children: Vec<ChildPlan>,
    },
    /// The run took a task from its plan.
    Took {
        /// The visit.
        visit: VisitNumber,
        /// The task as the agent sees it.
        task: TaskBrief,
    },
    /// The run's task was closed.
    Closed {
        /// The visit.
        visit: VisitNumber,
        /// The task.
        task: TaskId,
        /// Why the task was skipped; `None` if it is done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skipped: Option<String>,
    },
    /// A gate reached its limit without passing, so a person must decide what to do with this result.
    Judged {
        /// The visit.
        visit: VisitNumber,
        /// The result that the visit would end with.
        result: Value,
        /// The fingerprint of the project's files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// A person accepted findings as risks, so they no longer block.
    RisksAccepted {
        /// The visit with the findings.
        visit: VisitNumber,
        /// The findings.
        findings: Vec<review::Finding>,
        /// The reason.
        reason: String,
    },
    /// A sub-agent stopped with a question or problem.
    Escalated {
        /// The visit.
        visit: VisitNumber,
        /// The kind of problem.
        kind: Escalation,
        /// The problem.
        reason: String,
    },
    /// The agent stopped repeatedly without progress, so the visit waits until an agent resumes it.
    LetGo {
        /// The visit.
        visit: VisitNumber,
    },
    /// A note was recorded.
    Noted {
        /// The visit.
        visit: VisitNumber,
        /// The text.
        text: String,
    },
    /// A visit ended.
    Ended {
        /// The visit.
        visit: VisitNumber,
        /// The visit's outcome.
        outcome: Outcome,
        /// The visit's result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why the visit failed, or the person's reason for an answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The evidence that Bugle checked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<EvidenceReport>,
        /// What the agent returned, if Bugle merged it into the step's earlier result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merged: Option<Box<Merged>>,
        /// The problems outside the step's work that the agent reported.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also_found: Vec<AlsoFound>,
        /// Whether the loop ended only because it reached its limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exhausted: bool,
        /// Whether the loop ended only because the visit returned the same result as the visit before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        no_progress: bool,
        /// The fingerprint of the project's files at the end of a review.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// The run ended. The last visit's outcome decides whether the run completed or failed.
    Completed,
    /// The run was paused.
    Paused {
        /// The reason.
        reason: Option<String>,
    },
    /// The run was resumed.
    Resumed,
    /// The run was cancelled.
    Cancelled {
        /// The reason.
        reason: Option<String>,
    },
    /// The run was rewound to the start of a visit; later visits remain in the history.
    Rewound {
        /// The visit.
        to: VisitNumber,
    },
    /// The run moved to another version of its skill.
    Upgraded {
        /// Like [`Self::Started::decides`], in the new version.
        #[serde(default, skip_serializing_if = "Decider::is_project")]
        decides: Decider,
        /// The hash of the new version's exact bytes.
        pin: ContentHash,
        /// The defaults of the params that only the new version has.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        params: Map<String, Value>,
    },
}

/// A run's origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Started on its own.
    Fresh,
    /// Started for a task.
    Task(TaskRef),
    /// Forked from another run at the start of one of its visits.
    Fork {
        /// The other run.
        run: RunId,
        /// The visit in the other run.
        visit: VisitNumber,
        /// The task that the other run was started for. Older forks do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskRef>,
    },
    /// Dispatched as a sub-agent.
    Child(ChildOrigin),
}

impl Origin {
    /// The task that the run was started for, directly or as a fork.
    pub fn task(&self) -> Option<&TaskRef> {
        match self {
            Self::Task(task) => Some(task),
            Self::Fork { task, .. } => task.as_ref(),
            Self::Fresh | Self::Child(_) => None,
        }
    }
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// When the event happened.
    pub at: Timestamp,
    /// The actor that caused the event.
    pub by: Actor,
    /// The event itself.
    pub event: Event,
}
