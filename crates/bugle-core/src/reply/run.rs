//! Runs: a list, and one run with its history.

use serde::Serialize;
use serde_json::{Map, Value};

use super::run_notice::RunNotice;
use super::step::Position;
use super::timeline::TimelineEntry;
use crate::engine::{AlsoFound, FoundProblem, Origin};
use crate::id::{RunId, Timestamp, VisitToken};
use crate::name::StepId;
use crate::outcome::Outcome;

/// Runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunList {
    /// Whether the runs of all projects are listed.
    pub everywhere: bool,
    /// The runs, latest change first.
    pub runs: Vec<RunSummary>,
    /// Number of further runs.
    pub more: u64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// The run's position.
    pub position: Position,
    /// The folder where the run was started.
    pub directory: String,
    /// The person for whom the run was started, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// The address of the agent that owns the run, relative to the reader.
    pub agent: Option<String>,
    /// The purpose of the run, on one line: its task, else its first text param.
    pub about: Option<String>,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the run last changed.
    pub changed_at: Timestamp,
}

/// A run with its history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDetail {
    /// The run.
    pub summary: RunSummary,
    /// The hash of the skill's exact bytes.
    pub pin: String,
    /// The run's params.
    pub params: Map<String, Value>,
    /// The run's origin.
    #[serde(skip)]
    pub origin: Origin,
    /// The last result of a run that has ended.
    pub result: Option<FinalResult>,
    /// The run's events, in order.
    #[serde(skip)]
    pub timeline: Vec<TimelineEntry>,
    /// Notices about the run.
    pub notices: Vec<RunNotice>,
    /// The command that continues the run; `None` unless the run is open.
    pub command: Option<String>,
}

/// The last result of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinalResult {
    /// The step that returned the result.
    pub step: String,
    /// The result.
    pub value: Value,
}

/// The facts that distinguish a run from other runs of the same skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLabel {
    /// The run's skill.
    pub skill: String,
    /// The address of the agent that owns the run, relative to the reader.
    pub agent: Option<String>,
    /// The purpose of the run, on one line.
    pub about: Option<String>,
}

impl From<RunSummary> for RunLabel {
    fn from(run: RunSummary) -> Self {
        Self {
            skill: run.position.skill,
            agent: run.agent,
            about: run.about,
        }
    }
}

/// The result of checking the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreCheck {
    /// The file.
    pub file: String,
    /// The store's schema version.
    pub schema: i64,
    /// Number of replayed runs.
    pub runs: u64,
    /// Number of run events read.
    pub events: u64,
    /// Number of replayed tasks.
    pub tasks: u64,
    /// Number of task events read.
    pub task_events: u64,
    /// Number of hashed blobs.
    pub blobs: u64,
    /// Whether the check covers only the caller's projects, because the caller does not see the others.
    pub only_own_projects: bool,
    /// The errors, one sentence each.
    pub faults: Vec<String>,
}

/// One visit of a run: what the agent was asked, and what it returned.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitDetail {
    /// The visit.
    pub visit: VisitToken,
    /// The step.
    pub step: StepId,
    /// The step's text as the agent saw it, without the frame; `None` if it cannot be rendered any more.
    pub prompt: Option<String>,
    /// How the visit ended; `None` if it is open.
    pub outcome: Option<Outcome>,
    /// What the agent itself returned.
    pub returned: Option<Value>,
    /// The step's result after the visit, if Bugle merged what the agent returned into the earlier result.
    pub merged: Option<Value>,
    /// The problems outside the step's work that the agent reported.
    pub also_found: Vec<AlsoFound>,
    /// Why the visit failed, or the person's reason for an answer.
    pub reason: Option<String>,
}

/// The problems that a run's agents noticed outside their steps.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundList {
    /// The run.
    pub run: RunId,
    /// The problems, in the order of the run.
    pub problems: Vec<FoundProblem>,
    /// The command that makes a task of each problem; `None` if there are none.
    pub command: Option<String>,
}
