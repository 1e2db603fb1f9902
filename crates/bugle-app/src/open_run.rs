//! Reads a run from the store: its state and its pinned skill.

use bugle_core::engine::{Recorded, RunState};
use bugle_core::id::{RunId, VisitNumber};
use bugle_core::workflow::Workflow;
use bugle_store::{RunRow, Store};

use crate::pinning::Compiled;
use crate::{AppError, pinning};

/// A run with its workflow, its pinned skill and its start folder.
pub(crate) struct OpenRun {
    pub state: RunState,
    pub workflow: Workflow,
    pub compiled: Compiled,
    pub directory: String,
}

impl OpenRun {
    pub(crate) fn new(state: RunState, compiled: Compiled, directory: String) -> Result<Self, AppError> {
        let workflow = compiled.workflow_of(&state.origin).ok_or_else(|| {
            AppError::System(format!(
                "run {}: the pinned skill does not contain the run's workflow",
                state.id
            ))
        })?;
        Ok(Self {
            state,
            workflow,
            compiled,
            directory,
        })
    }
}

/// Reads a run. The state of a long run is condensed: it lacks old visits.
pub(crate) fn read(store: &mut Store, id: &RunId, directory: &str) -> Result<OpenRun, AppError> {
    let state = read_state(store, id)?;
    opened(store, state, directory.to_owned())
}

/// A run, and the latest events that led to its state.
pub(crate) struct RunWithEvents {
    pub run: OpenRun,
    pub events: Vec<Recorded>,
}

impl RunWithEvents {
    /// Reads a run and the events after its snapshot.
    pub(crate) fn read(store: &mut Store, row: &RunRow) -> Result<Self, AppError> {
        let (state, events) = store
            .run_state_and_events(&row.id)?
            .ok_or_else(|| unknown_run(&row.id))?;
        let run = opened(store, state, row.directory.clone())?;
        Ok(Self { run, events })
    }

    /// Reads a run with all its visits and events.
    pub(crate) fn read_whole(store: &mut Store, row: &RunRow) -> Result<Self, AppError> {
        let events = store.run_events(&row.id)?;
        let state = RunState::replay(&row.id, &events).map_err(bugle_store::StoreError::from)?;
        let run = opened(store, state, row.directory.clone())?;
        Ok(Self { run, events })
    }

    /// The latest `most` events. Loads earlier events if `self` has fewer.
    pub(crate) fn last_events(&self, store: &mut Store, most: usize) -> Result<Vec<Recorded>, AppError> {
        let surplus = self.events.len().saturating_sub(most);
        let known = &self.events[surplus..];
        let state = &self.run.state;
        let first = state.version.saturating_sub(known.len() as u64);
        let after = state.version.saturating_sub(most as u64);
        if after >= first {
            return Ok(known.to_vec());
        }
        let mut events = store.events_between(&state.id, after, first)?;
        events.extend_from_slice(known);
        Ok(events)
    }
}

/// Reads a run's state, condensed if the run is long.
pub(crate) fn read_state(store: &mut Store, id: &RunId) -> Result<RunState, AppError> {
    store.run_state(id)?.ok_or_else(|| unknown_run(id))
}

/// Reads a run with all its visits.
pub(crate) fn read_whole(store: &mut Store, id: &RunId, directory: &str) -> Result<OpenRun, AppError> {
    let events = store.run_events(id)?;
    let state = RunState::replay(id, &events).map_err(bugle_store::StoreError::from)?;
    opened(store, state, directory.to_owned())
}

/// Reads a run; loads all its visits if the condensed state lacks this visit.
pub(crate) fn read_at(store: &mut Store, row: &RunRow, visit: VisitNumber) -> Result<OpenRun, AppError> {
    read_at_beside(store, row, visit, None)
}

/// Like [`read_at`], but reuses the skill of `other` if both runs pin the same version.
pub(crate) fn read_at_beside(
    store: &mut Store,
    row: &RunRow,
    visit: VisitNumber,
    other: Option<&OpenRun>,
) -> Result<OpenRun, AppError> {
    let mut state = read_state(store, &row.id)?;
    if !state.is_whole() && state.visit(visit).is_none() {
        let events = store.run_events(&row.id)?;
        state = RunState::replay(&row.id, &events).map_err(bugle_store::StoreError::from)?;
    }
    match other.filter(|other| other.state.pin == state.pin) {
        Some(other) => OpenRun::new(state, other.compiled.clone(), row.directory.clone()),
        None => opened(store, state, row.directory.clone()),
    }
}

pub(crate) fn opened(store: &mut Store, state: RunState, directory: String) -> Result<OpenRun, AppError> {
    let compiled = pinning::load(store, &state.pin)?;
    OpenRun::new(state, compiled, directory)
}

pub(crate) fn unknown_run(id: &RunId) -> AppError {
    AppError::NotFound {
        what: format!("there is no run {id}"),
        hints: Vec::new(),
    }
}
