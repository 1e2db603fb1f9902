//! The tasks in a run's plan: which plan applies, how a task appears, and how events affect tasks.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::command::Command;
use super::event::{Event, Recorded};
use super::evidence::EvidenceReport;
use super::state::RunState;
use super::task_record::{TaskRecord, reported};
use super::task_ref::TaskRef;
use super::visit::Visit;
use crate::id::{Actor, TaskId, VisitNumber};
use crate::task::{Board, TaskBrief, TaskEffect};
use crate::workflow::{StepDef, TaskUse};

/// A task as a value for guards, templates and sub-agents.
pub(super) fn task_value(task: &TaskBrief) -> Value {
    json!({
        "id": task.id,
        "number": task.number,
        "title": task.title,
        "text": task.text,
        "skill": task.skill.as_ref().map(ToString::to_string).unwrap_or_default(),
        "files": task.files,
    })
}

/// A plan as a value for guards: the number of tasks in each state.
pub(super) fn plan_value(board: &Board) -> Value {
    json!({
        "open": board.open(),
        "ready": board.ready().len(),
        "done": board.done(),
        "total": board.total(),
    })
}

/// The final state of each task that the run worked on before a visit.
pub(super) fn record_value(state: &RunState, before: VisitNumber) -> Value {
    if state.records.is_empty() {
        return Value::Array(Vec::new());
    }
    let led_here: BTreeSet<VisitNumber> = state.passed(before).skip(1).map(|passed| passed.number).collect();
    let mut latest: Vec<&TaskRecord> = Vec::new();
    let mut named: BTreeSet<&TaskId> = BTreeSet::new();
    for record in state
        .records
        .iter()
        .rev()
        .filter(|record| led_here.contains(&record.visit))
    {
        if named.insert(&record.task.id) {
            latest.push(record);
        }
    }
    let value = |record: &TaskRecord| {
        let TaskRef { id, number, title } = &record.task;
        json!({ "id": id, "number": number, "title": title, "outcome": record.outcome, "why": record.why })
    };
    latest.into_iter().rev().map(value).collect()
}

/// The plan that a decision concerns: the plan that the evidence has just provided, or else the run's plan at its
/// current visit or at the rewind target.
pub fn plan_in_view<'a>(
    state: &'a RunState,
    command: &Command<'_>,
    evidence: Option<&'a [EvidenceReport]>,
) -> Option<&'a TaskId> {
    if let Command::Rewind { to } = command {
        return state.plan_root(state.visit(*to)?.after?);
    }
    let brought = evidence.into_iter().flatten().find_map(EvidenceReport::plan_root);
    brought.or_else(|| state.plan_root(state.head()?.number))
}

/// How a run's events affect tasks, in order. Excludes groups that close with their last task: the board derives
/// those.
pub fn task_effects(before: &RunState, events: &[Event]) -> Vec<(TaskId, TaskEffect)> {
    let mut state = before.clone();
    let mut effects = Vec::new();
    for event in events {
        effects.extend(effects_of(&state, event));
        apply_decided(&mut state, event);
    }
    effects
}

/// Applies an event. The event was decided for this exact state, so it is always valid.
pub(super) fn apply_decided(state: &mut RunState, event: &Event) {
    let recorded = Recorded {
        at: state.changed_at,
        by: Actor::Program,
        event: event.clone(),
    };
    let _ = state.apply(&recorded);
}

/// How one event affects tasks; `state` is the run before the event.
pub(super) fn effects_of(state: &RunState, event: &Event) -> Vec<(TaskId, TaskEffect)> {
    match event {
        Event::Took { task, .. } => vec![(task.id.clone(), TaskEffect::Start)],
        Event::Closed { task, skipped, .. } => vec![(task.clone(), closing(skipped.clone()))],
        Event::Dispatched { children, .. } => {
            let tasks = children.iter().filter_map(|plan| plan.task.as_ref());
            tasks.map(|task| (task.id.clone(), TaskEffect::Start)).collect()
        }
        Event::Ended { visit, result, .. } => state
            .visit(*visit)
            .map(|visit| reported(visit, result.as_ref()))
            .unwrap_or_default(),
        Event::Completed | Event::Cancelled { .. } => {
            let Some(head) = state.head() else {
                return Vec::new();
            };
            let own = state.task(head.number).map(|task| task.id.clone());
            let given = given_out(head).filter(|_| head.ending.is_none());
            own.into_iter()
                .chain(given.cloned())
                .map(|task| (task, TaskEffect::Release))
                .collect()
        }
        Event::Rewound { to } => left_behind(state, state.visit(*to)),
        _ => Vec::new(),
    }
}

fn closing(skipped: Option<String>) -> TaskEffect {
    skipped.map_or(TaskEffect::Done, |reason| TaskEffect::Skip { reason })
}

/// The tasks that a visit dispatched.
fn given_out(visit: &Visit) -> impl Iterator<Item = &TaskId> {
    visit
        .children()
        .iter()
        .filter_map(|plan| plan.task.as_ref())
        .map(|task| &task.id)
}

/// How a rewind to a visit affects tasks. The run takes back its task from before that visit, and releases all tasks
/// that it took, closed or dispatched since then.
fn left_behind(state: &RunState, to: Option<&Visit>) -> Vec<(TaskId, TaskEffect)> {
    let (Some(head), Some(to)) = (state.head(), to) else {
        return Vec::new();
    };
    let kept = to.after.and_then(|before| state.task(before));
    let mut touched: Vec<&TaskId> = kept.iter().map(|task| &task.id).collect();
    for visit in state
        .lineage(head.number)
        .take_while(|visit| Some(visit.number) != to.after)
    {
        let taken = visit.took.as_ref().map(|task| &task.id);
        let closed = visit.closed.as_ref().map(|(task, _)| task);
        for task in taken.into_iter().chain(closed).chain(given_out(visit)) {
            if !touched.contains(&task) {
                touched.push(task);
            }
        }
    }
    let effect = |task: &TaskId| {
        if kept.is_some_and(|kept| kept.id == *task) {
            TaskEffect::Start
        } else {
            TaskEffect::Release
        }
    };
    touched
        .into_iter()
        .map(|task| (task.clone(), effect(task)))
        .collect()
}

/// The event that closes the run's task at the end of a visit; `None` if the task stays open.
pub(super) fn closed(
    state: &RunState,
    visit: &Visit,
    closing: Option<TaskUse>,
    result: Option<&Value>,
) -> Option<Event> {
    let skipped = match closing? {
        TaskUse::Take => return None,
        TaskUse::Done => None,
        TaskUse::Skip => {
            let why = result.and_then(|result| result.get("why")?.as_str());
            Some(why.unwrap_or("set aside").to_owned())
        }
    };
    Some(Event::Closed {
        visit: visit.number,
        task: state.task(visit.number)?.id.clone(),
        skipped,
    })
}

/// The plan as it will be if the visit succeeds. Guards use it to choose the next step.
pub(super) fn board_after(
    board: &Board,
    state: &RunState,
    (step, visit): (&StepDef, &Visit),
    result: Option<&Value>,
) -> Board {
    let mut board = board.clone();
    let closing = closed(
        state,
        visit,
        step.closes_task(crate::outcome::Outcome::Ok),
        result,
    );
    let own = closing.iter().flat_map(|event| effects_of(state, event));
    for (task, effect) in own.chain(reported(visit, result)) {
        board.apply(&task, &effect);
    }
    board
}
