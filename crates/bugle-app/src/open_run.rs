//! Reads a run from the store: its state and its pinned skill.

use bugle_core::engine::RunState;
use bugle_core::id::{RunId, VisitNumber};
use bugle_core::workflow::Workflow;
use bugle_store::{RunRow, Store};

use crate::pinning::Compiled;
use crate::{AppError, pinning};

/// A run with its workflow, its pinned skill and the folder it was started in.
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
                "run {}: its pinned skill does not contain its workflow",
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

/// Reads the state of a run, condensed if it is long.
pub(crate) fn read_state(store: &mut Store, id: &RunId) -> Result<RunState, AppError> {
    store.run_state(id)?.ok_or_else(|| unknown_run(id))
}

/// Reads a run with all its visits.
pub(crate) fn read_whole(store: &mut Store, id: &RunId, directory: &str) -> Result<OpenRun, AppError> {
    let events = store.run_events(id)?;
    let state = RunState::replay(id, &events).map_err(bugle_store::StoreError::from)?;
    opened(store, state, directory.to_owned())
}

/// Reads a run with all its visits if the condensed state lacks this one.
pub(crate) fn read_at(store: &mut Store, row: &RunRow, visit: VisitNumber) -> Result<OpenRun, AppError> {
    let run = read(store, &row.id, &row.directory)?;
    if run.state.is_whole() || run.state.visit(visit).is_some() {
        return Ok(run);
    }
    read_whole(store, &row.id, &row.directory)
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
