//! A decision in progress: its events, and the state of the run and its tasks after them.

use super::event::Event;
use super::state::RunState;
use super::tasks::{apply_decided, effects_of};
use crate::task::Board;
use crate::workflow::Workflow;

/// The decision so far. One decision may end a visit, close its task, and enter a step that takes the next task, so
/// the run and the board advance event by event.
pub(super) struct Unfolding<'a> {
    /// The run's workflow.
    pub workflow: &'a Workflow,
    /// The run after the events.
    pub state: RunState,
    /// The plan's tasks after the events.
    pub board: Option<Board>,
    /// The events.
    pub events: Vec<Event>,
}

impl<'a> Unfolding<'a> {
    /// Starts without events.
    pub(super) fn of(state: &RunState, workflow: &'a Workflow, board: Option<&Board>) -> Self {
        Self {
            workflow,
            state: state.clone(),
            board: board.cloned(),
            events: Vec::new(),
        }
    }

    /// Adds an event and applies it.
    pub(super) fn record(&mut self, event: Event) {
        if let Some(board) = &mut self.board {
            for (task, effect) in effects_of(&self.state, &event) {
                board.apply(&task, &effect);
            }
        }
        apply_decided(&mut self.state, &event);
        self.events.push(event);
    }
}
