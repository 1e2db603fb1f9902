//! The history of a run or a task.

use serde::Serialize;

use super::author::Author;
use crate::engine::{Event, RunState, Visit, verdict_of};
use crate::id::{Timestamp, VisitNumber};
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::task::TaskEvent;

/// An entry in the history of a run or a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    /// The event's number in the run or the task.
    pub seq: u64,
    /// The time.
    pub at: Timestamp,
    /// The event's author.
    pub by: Author,
    /// The person for whom the agent acted, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// What happened.
    pub change: Change,
    /// Whether the run was later rewound to a point before this event.
    pub left_behind: bool,
}

/// A change to a run or a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A run changed.
    Run(Box<RunChange>),
    /// A task changed.
    Task(TaskEvent),
}

/// A run's event, with the facts from the run's state that explain it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunChange {
    /// The event.
    pub event: Event,
    /// The step of the event's visit.
    pub step: Option<StepId>,
    /// The question, if the visit asked one and the question is known.
    pub question: Option<String>,
    /// The user's answer, if the visit ended with one.
    pub answer: Option<String>,
    /// Whether the event ended a review in which an agent reviewed its own work.
    pub has_self_review: bool,
    /// The sub-agents without a finished result, if a visit with sub-agents ended.
    pub unfinished: Vec<UnfinishedChild>,
    /// The outcome of the visit or the run, if the event ended one of them.
    pub outcome: Option<Outcome>,
}

/// A sub-agent that did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedChild {
    /// The sub-agent's number in its visit.
    pub slot: u64,
    /// How the sub-agent's work ended.
    pub outcome: String,
}

impl RunChange {
    /// Explains an event from the state of its run. `last` is the outcome of the last visit that ended with or before
    /// the event.
    pub fn of(event: &Event, state: &RunState, last: Option<Outcome>) -> Self {
        let number = visit(event).or(match event {
            Event::Rewound { to } => Some(*to),
            _ => None,
        });
        let mut change = Self {
            step: number.and_then(|number| state.step_of(number).cloned()),
            outcome: last.filter(|_| matches!(event, Event::Ended { .. } | Event::Completed)),
            ..Self::from(event.clone())
        };
        if let (Event::Ended { result, .. }, Some(ended)) =
            (event, number.and_then(|number| state.visit(number)))
        {
            change.answer = result.as_ref().and_then(|result| answer(ended, result));
            change.has_self_review =
                verdict_of(ended).is_some_and(|verdict| !verdict.self_reviews.is_empty());
            change.unfinished = result
                .as_ref()
                .map_or_else(Vec::new, |result| unfinished(ended, result));
        }
        change
    }
}

/// An event without the facts that explain it.
impl From<Event> for RunChange {
    fn from(event: Event) -> Self {
        Self {
            event,
            step: None,
            question: None,
            answer: None,
            has_self_review: false,
            unfinished: Vec::new(),
            outcome: None,
        }
    }
}

/// The user's answer to a visit's question.
fn answer(visit: &Visit, result: &serde_json::Value) -> Option<String> {
    if visit.asked.is_none() && visit.judged.is_none() {
        return None;
    }
    let answer = result.get("answer").or_else(|| result.get("decision"))?;
    answer.as_str().map(str::to_owned)
}

/// The sub-agents of a joined visit whose work is unfinished.
fn unfinished(visit: &Visit, joined: &serde_json::Value) -> Vec<UnfinishedChild> {
    let children = joined.get("children").and_then(|children| children.as_array());
    let children = children.filter(|_| visit.dispatched.is_some());
    let children = children.into_iter().flatten();
    children
        .filter_map(|child| {
            let outcome = child.get("outcome")?.as_str()?;
            (outcome != "finished").then_some(())?;
            Some(UnfinishedChild {
                slot: child.get("slot")?.as_u64()?,
                outcome: outcome.to_owned(),
            })
        })
        .collect()
}

/// The visit that an event belongs to.
fn visit(event: &Event) -> Option<VisitNumber> {
    match event {
        Event::Entered { visit, .. }
        | Event::Asked { visit }
        | Event::Dispatched { visit, .. }
        | Event::Took { visit, .. }
        | Event::Closed { visit, .. }
        | Event::Judged { visit, .. }
        | Event::RisksAccepted { visit, .. }
        | Event::Escalated { visit, .. }
        | Event::LetGo { visit }
        | Event::Noted { visit, .. }
        | Event::Ended { visit, .. } => Some(*visit),
        Event::Started { .. }
        | Event::Completed
        | Event::Paused { .. }
        | Event::Resumed
        | Event::Cancelled { .. }
        | Event::Rewound { .. }
        | Event::Upgraded { .. } => None,
    }
}

impl TimelineEntry {
    /// The event's kind.
    pub fn kind(&self) -> TimelineKind {
        self.change.kind()
    }

    /// The event's visit.
    pub fn visit(&self) -> Option<VisitNumber> {
        match &self.change {
            Change::Run(change) => visit(&change.event),
            Change::Task(_) => None,
        }
    }

    /// The outcome, if the event ended a visit or a run.
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.change {
            Change::Run(change) => change.outcome,
            Change::Task(_) => None,
        }
    }
}

impl Change {
    /// The event's kind.
    pub fn kind(&self) -> TimelineKind {
        match self {
            Self::Run(change) => run_kind(&change.event),
            Self::Task(event) => task_kind(event),
        }
    }
}

fn run_kind(event: &Event) -> TimelineKind {
    match event {
        Event::Started { .. } => TimelineKind::Started,
        Event::Entered { .. } => TimelineKind::Entered,
        Event::Asked { .. } => TimelineKind::Asked,
        Event::Dispatched { .. } => TimelineKind::Dispatched,
        Event::Took { .. } => TimelineKind::Took,
        Event::Closed { .. } => TimelineKind::Closed,
        Event::Judged { .. } => TimelineKind::Judged,
        Event::RisksAccepted { .. } => TimelineKind::RisksAccepted,
        Event::Escalated { .. } => TimelineKind::Escalated,
        Event::LetGo { .. } => TimelineKind::LetGo,
        Event::Noted { .. } => TimelineKind::Noted,
        Event::Ended { .. } => TimelineKind::Ended,
        Event::Completed => TimelineKind::Completed,
        Event::Paused { .. } => TimelineKind::Paused,
        Event::Resumed => TimelineKind::Resumed,
        Event::Cancelled { .. } => TimelineKind::Cancelled,
        Event::Rewound { .. } => TimelineKind::Rewound,
        Event::Upgraded { .. } => TimelineKind::Upgraded,
    }
}

fn task_kind(event: &TaskEvent) -> TimelineKind {
    match event {
        TaskEvent::Added { .. } => TimelineKind::Added,
        TaskEvent::Started { .. } => TimelineKind::Started,
        TaskEvent::Finished => TimelineKind::Done,
        TaskEvent::Skipped { .. } => TimelineKind::Skipped,
        TaskEvent::Failed { .. } => TimelineKind::Failed,
        TaskEvent::Blocked { .. } => TimelineKind::Blocked,
        TaskEvent::Reopened { .. } => TimelineKind::Reopened,
        TaskEvent::Noted { .. } => TimelineKind::Noted,
        TaskEvent::Retitled { .. } => TimelineKind::Retitled,
        TaskEvent::SkillNamed { .. } => TimelineKind::Skill,
        TaskEvent::Planned { .. } => TimelineKind::Planned,
        TaskEvent::Unplanned => TimelineKind::Unplanned,
        TaskEvent::Moved { .. } => TimelineKind::Moved,
        TaskEvent::Waits { .. } => TimelineKind::Waits,
        TaskEvent::WaitsNoMore { .. } => TimelineKind::WaitsNoMore,
        TaskEvent::OrderWaived { .. } => TimelineKind::OrderWaived,
        TaskEvent::Assigned { .. } => TimelineKind::Assigned,
        TaskEvent::SkillUsed { .. } => TimelineKind::SkillUsed,
        TaskEvent::Removed { .. } => TimelineKind::Removed,
        TaskEvent::Restored => TimelineKind::Restored,
    }
}

/// The kind of an event in a run's or a task's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineKind {
    /// The run or the task started.
    Started,
    /// A visit began.
    Entered,
    /// A visit asked a person.
    Asked,
    /// A visit dispatched sub-agents.
    Dispatched,
    /// A review did not pass and is waiting for a decision.
    Judged,
    /// Findings were accepted as risks.
    RisksAccepted,
    /// A sub-agent escalated.
    Escalated,
    /// A visit started a task.
    Took,
    /// A visit closed a task.
    Closed,
    /// A visit is waiting because its agent stopped three times without progress.
    LetGo,
    /// A note was added.
    Noted,
    /// A visit ended.
    Ended,
    /// The run completed.
    Completed,
    /// The run was paused.
    Paused,
    /// The run was resumed.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// The run went back to an earlier visit.
    Rewound,
    /// The run moved to another version of its skill.
    Upgraded,
    /// The task was added.
    Added,
    /// The task is done.
    Done,
    /// The task was skipped.
    Skipped,
    /// The task failed.
    Failed,
    /// The task is blocked.
    Blocked,
    /// The task is open again.
    Reopened,
    /// The task was renamed.
    Retitled,
    /// The task's skill changed.
    Skill,
    /// The plan's text about the task changed.
    Planned,
    /// The task was removed from the plan file but kept in the store.
    Unplanned,
    /// The task moved to another parent.
    Moved,
    /// The task got a dependency.
    Waits,
    /// The task lost a dependency.
    WaitsNoMore,
    /// The task no longer follows its plan's order.
    OrderWaived,
    /// The task was assigned to another agent.
    Assigned,
    /// The task used a skill.
    SkillUsed,
    /// The task was removed.
    Removed,
    /// The task was restored.
    Restored,
}
