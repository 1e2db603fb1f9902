//! Compares the places and quotes in a result with the project's files.

use std::collections::BTreeMap;
use std::path::Path;

use bugle_core::engine::{Event, Refusal, returned_shape};
use bugle_core::shape::{Citation, Mismatch};

use crate::contained_path;
use crate::open_run::OpenRun;

/// Larger files cannot be cited.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A refusal if what the agent returned cites a place or quotes text that does not exist. Items that Bugle kept from
/// earlier visits are not compared again, because files change.
pub(super) fn refusal(run: &OpenRun, events: &[Event]) -> Option<Refusal> {
    let ended = events.iter().find_map(|event| match event {
        Event::Ended {
            visit,
            result,
            merged,
            ..
        } => {
            let returned = merged.as_ref().map(|merged| &merged.returned);
            Some((*visit, returned.or(result.as_ref())?))
        }
        _ => None,
    });
    let (visit, returned) = ended?;
    let step = run.workflow.step(run.state.step_of(visit)?)?;
    if step.dispatch.is_some() {
        return None;
    }
    let results = run.state.results_before(visit);
    let expected = returned_shape(step, results.get(step.id.as_str()));
    let mut files: BTreeMap<String, Result<String, String>> = BTreeMap::new();
    let mut mismatches: Vec<Mismatch> = Vec::new();
    for citation in Citation::all(&expected, returned) {
        let name = &citation.place.file;
        let text = files
            .entry(name.clone())
            .or_insert_with(|| read(Path::new(&run.directory), name));
        mismatches.extend(citation.mismatches(text.as_deref().map_err(String::as_str)));
    }
    (!mismatches.is_empty()).then_some(Refusal::ResultMismatch { mismatches, expected })
}

fn read(root: &Path, file: &str) -> Result<String, String> {
    let path = root.join(file);
    if contained_path::check_contained(root, &path).is_err() {
        return Err("is not a file in the project".to_owned());
    }
    match crate::fs_util::read_bounded(&path, MAX_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}
