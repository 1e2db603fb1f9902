//! A run's timeline.

use std::collections::BTreeSet;

use bugle_core::engine::{Event, Recorded, RunState, context};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{Author, Change, RunChange, TimelineEntry};
use bugle_core::workflow::Workflow;
use bugle_render::template::Engine;

/// A run's timeline, with one entry for each of `events`: all of the run's events, or the latest ones. Includes the text
/// of questions if `workflow` is given.
pub(crate) fn timeline(
    events: &[Recorded],
    state: &RunState,
    workflow: Option<&Workflow>,
) -> Vec<TimelineEntry> {
    let on_path: BTreeSet<VisitNumber> = state
        .head()
        .map(|head| state.passed(head.number).map(|passed| passed.number).collect())
        .unwrap_or_default();
    let first = state.version.saturating_sub(events.len() as u64) + 1;
    let outcomes = last_outcomes(events);
    let entries = events
        .iter()
        .zip(first..)
        .zip(outcomes)
        .map(|((recorded, seq), outcome)| {
            let mut change = RunChange::of(&recorded.event, state, outcome);
            if let (Event::Asked { visit }, Some(workflow)) = (&recorded.event, workflow) {
                change.question = question(*visit, state, workflow);
            }
            let mut entry = TimelineEntry {
                seq,
                at: recorded.at,
                by: Author::from(&recorded.by),
                person: None,
                change: Change::Run(Box::new(change)),
                left_behind: false,
            };
            entry.left_behind = entry.visit().is_some_and(|visit| !on_path.contains(&visit));
            entry
        });
    entries.collect()
}

/// For each event, the outcome of the visit that ended most recently.
fn last_outcomes(events: &[Recorded]) -> impl Iterator<Item = Option<Outcome>> {
    events.iter().scan(None, |last, recorded| {
        if let Event::Ended { outcome, .. } = &recorded.event {
            *last = Some(*outcome);
        }
        Some(*last)
    })
}

/// A visit's question to the user; `None` if the question cannot be rendered. The step then shows the error.
fn question(visit: VisitNumber, state: &RunState, workflow: &Workflow) -> Option<String> {
    let ask = workflow.step(state.step_of(visit)?)?.ask.as_ref()?;
    let values = context(state, workflow, visit).for_templates();
    Engine::default().render(&ask.question, &values).ok()
}
