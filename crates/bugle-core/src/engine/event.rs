//! The events of a run. The event log is the truth; all state is folded from it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::child::{ChildOrigin, ChildPlan, Escalation};
use super::evidence::EvidenceReport;
use crate::id::{Actor, ContentHash, RunId, TaskId, Timestamp, VisitNumber};
use crate::name::{SkillAddress, StepId};
use crate::outcome::Outcome;
use crate::review;
use crate::task::TaskBrief;

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
        /// The blob with the files that matched the step's artifacts at this moment, a [`super::Baseline`]; nothing if
        /// the step asks for no new file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<ContentHash>,
    },
    /// The visit waits for a person's answer.
    Asked {
        /// The visit.
        visit: VisitNumber,
    },
    /// Sub-agents were called for.
    Dispatched {
        /// The visit.
        visit: VisitNumber,
        /// What each of them gets.
        children: Vec<ChildPlan>,
    },
    /// Work on a task of the run's plan began.
    Took {
        /// The visit.
        visit: VisitNumber,
        /// What the agent sees of it.
        task: TaskBrief,
    },
    /// The run's task was closed.
    Closed {
        /// The visit.
        visit: VisitNumber,
        /// Which task.
        task: TaskId,
        /// Why it is left out; nothing if it is done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skipped: Option<String>,
    },
    /// A gate reached its limit without passing: a person has to decide on this result.
    Judged {
        /// The visit.
        visit: VisitNumber,
        /// The result that the visit would end with.
        result: Value,
        /// What the project's files looked like.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// Findings were accepted as risks: they no longer block.
    RisksAccepted {
        /// The visit whose findings they are.
        visit: VisitNumber,
        /// Which.
        findings: Vec<review::Finding>,
        /// Why.
        reason: String,
    },
    /// A sub-agent stopped and says why.
    Escalated {
        /// The visit.
        visit: VisitNumber,
        /// What kind of trouble.
        kind: Escalation,
        /// What exactly.
        reason: String,
    },
    /// The agent stopped again and again without progress: the visit waits until an agent resumes it.
    LetGo {
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
        /// Why it could not be done; where a person was asked, why they answered so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// What Bugle checked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<EvidenceReport>,
        /// Whether a loop ended only because of its limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exhausted: bool,
        /// What the project's files looked like, where a review ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// The run reached its end.
    Completed,
    /// The run was paused.
    Paused {
        /// Why.
        reason: Option<String>,
    },
    /// The run was resumed.
    Resumed,
    /// The run was cancelled.
    Cancelled {
        /// Why.
        reason: Option<String>,
    },
    /// The run goes back to before a visit; what came after stays in the history.
    Rewound {
        /// The visit to go back to.
        to: VisitNumber,
    },
    /// The run moved to another version of its skill.
    Upgraded {
        /// The exact bytes of the new version.
        pin: ContentHash,
    },
}

/// What a run came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a run has one of these")]
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
    /// It is the work of a sub-agent.
    Child(ChildOrigin),
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
