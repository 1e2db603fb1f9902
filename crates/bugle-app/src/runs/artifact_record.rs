//! Records the files that match a step's artifact patterns when a run enters the step, so that `done` can detect
//! changes.

use std::path::Path;

use bugle_core::engine::{CorruptHistory, Event, Recorded, RunState, Visit};
use bugle_core::id::ContentHash;
use bugle_core::workflow::Workflow;
use bugle_store::{Store, StoreError};

use crate::AppError;
use crate::artifacts::{self, VisitStart};
use crate::files::content_hash;

/// The bytes of a blob and their hash.
type Blob = (ContentHash, Vec<u8>);

/// Applies events to a run, and returns the resulting state. If the run enters a step that expects a new file, also
/// returns a blob with the list of matching files, and adds its hash to the `Entered` event.
pub(super) fn entered(
    workflow: &Workflow,
    root: &Path,
    events: &mut [Recorded],
    apply: impl Fn(&[Recorded]) -> Result<RunState, CorruptHistory>,
) -> Result<(RunState, Option<Blob>), AppError> {
    let state = apply(events).map_err(StoreError::from)?;
    let Some(visit) = state.current() else {
        return Ok((state, None));
    };
    let number = visit.number;
    let is_entry = |event: &Event| matches!(event, Event::Entered { visit, .. } if *visit == number);
    let is_recorded = workflow.step(&visit.step).is_some_and(artifacts::is_recorded);
    let entry = events.iter_mut().find(|recorded| is_entry(&recorded.event));
    let Some(Recorded {
        event: Event::Entered { files, .. },
        ..
    }) = entry.filter(|_| is_recorded)
    else {
        return Ok((state, None));
    };
    let baseline = artifacts::baseline(&state, workflow, visit, root);
    let bytes = serde_json::to_vec(&baseline).map_err(|error| AppError::System(error.to_string()))?;
    let hash = content_hash(&bytes);
    *files = Some(hash.clone());
    let state = apply(events).map_err(StoreError::from)?;
    Ok((state, Some((hash, bytes))))
}

/// The project's files, as recorded when a visit began.
pub(crate) fn files_before(store: &mut Store, visit: &Visit) -> Result<VisitStart, AppError> {
    let stored = match &visit.files {
        Some(hash) => store.blob(hash)?,
        None => None,
    };
    let files = stored
        .map(|bytes| serde_json::from_slice(&bytes))
        .transpose()
        .map_err(|error| AppError::System(format!("cannot read the files recorded for a visit: {error}")))?;
    Ok(VisitStart {
        since: visit.entered_at,
        files,
    })
}
