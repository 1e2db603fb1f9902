//! Stamps events with the time and the actor.

use bugle_core::engine::{Event, Recorded};
use bugle_core::id::{Actor, TaskId};
use bugle_core::task::{RecordedTaskEvent, TaskChanges, TaskEvent};

use crate::Context;

/// Stamps run events.
pub(crate) fn run_events(ctx: &Context, by: &Actor, events: Vec<Event>) -> Vec<Recorded> {
    let at = ctx.now();
    events
        .into_iter()
        .map(|event| Recorded {
            at,
            by: by.clone(),
            event,
        })
        .collect()
}

/// Stamps task events with the current actor.
pub(crate) fn task_events(ctx: &Context, changes: TaskChanges) -> Vec<(TaskId, RecordedTaskEvent)> {
    task_events_by(ctx, &ctx.actor, changes)
}

/// Stamps task events with an actor.
pub(crate) fn task_events_by(
    ctx: &Context,
    by: &Actor,
    changes: TaskChanges,
) -> Vec<(TaskId, RecordedTaskEvent)> {
    let at = ctx.now();
    let record = |event: TaskEvent| RecordedTaskEvent {
        at,
        by: by.clone(),
        event,
    };
    changes
        .into_iter()
        .map(|(id, event)| (id, record(event)))
        .collect()
}
