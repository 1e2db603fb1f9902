//! The outcomes of a plan's tasks, derived from a run's events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::Event;
use super::task_ref::TaskRef;
use super::visit::Visit;
use crate::id::{TaskId, VisitNumber};
use crate::task::{TaskBrief, TaskEffect};

/// The outcome of a plan's task at a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskRecord {
    pub(super) visit: VisitNumber,
    pub(super) task: TaskRef,
    pub(super) outcome: TaskOutcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
}

/// How a task ended in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskOutcome {
    Done,
    Skipped,
    Failed,
    Blocked,
}

/// The task outcomes in an event: the task that the run closed, and the tasks that its sub-agents reported on.
/// `lineage` returns a visit followed by its ancestors.
pub(super) fn records_of<'a, L: Iterator<Item = &'a Visit>>(
    event: &Event,
    lineage: impl FnOnce(VisitNumber) -> L,
) -> Vec<TaskRecord> {
    match event {
        Event::Closed { visit, task, skipped } => {
            let own = lineage(*visit).find_map(|visit| visit.took.as_ref());
            let outcome = match skipped {
                Some(_) => TaskOutcome::Skipped,
                None => TaskOutcome::Done,
            };
            let record = |own: &TaskBrief| TaskRecord {
                visit: *visit,
                task: TaskRef::from(own),
                outcome,
                why: skipped.clone().unwrap_or_default(),
            };
            own.filter(|own| own.id == *task)
                .map(record)
                .into_iter()
                .collect()
        }
        Event::Ended { visit, result, .. } => {
            let ended = lineage(*visit).next().filter(|ended| ended.number == *visit);
            let Some(ended) = ended else {
                return Vec::new();
            };
            let given = ended.children().iter().filter_map(|plan| plan.task.clone());
            let record = |(task, (_, effect)): (TaskRef, (TaskId, TaskEffect))| {
                let (outcome, why) = match effect {
                    TaskEffect::Done => (TaskOutcome::Done, String::new()),
                    TaskEffect::Fail { reason } => (TaskOutcome::Failed, reason),
                    TaskEffect::Block { reason } => (TaskOutcome::Blocked, reason),
                    TaskEffect::Start | TaskEffect::Skip { .. } | TaskEffect::Release => return None,
                };
                Some(TaskRecord {
                    visit: *visit,
                    task,
                    outcome,
                    why,
                })
            };
            given
                .zip(reported(ended, result.as_ref()))
                .filter_map(record)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// How a visit's reports affect the tasks that it dispatched. If a sub-agent did not report, because the quorum was
/// reached or the step failed, its task is released.
pub(super) fn reported(visit: &Visit, joined: Option<&Value>) -> Vec<(TaskId, TaskEffect)> {
    let entries = joined.and_then(|joined| joined.get("children")?.as_array());
    let effect = |index: usize| {
        let entry = entries.and_then(|entries| entries.get(index));
        let text = |key: &str| {
            entry
                .and_then(|entry| entry.get(key)?.as_str())
                .unwrap_or_default()
        };
        let reason = text("reason").to_owned();
        match text("outcome") {
            "finished" => TaskEffect::Done,
            "failed" => TaskEffect::Fail { reason },
            "escalated" => TaskEffect::Block { reason },
            _ => TaskEffect::Release,
        }
    };
    let children = visit.children().iter().enumerate();
    children
        .filter_map(|(index, plan)| Some((plan.task.as_ref()?.id.clone(), effect(index))))
        .collect()
}
