//! Plans the change to one file, before anything is written.

use bugle_client::Client;
use bugle_client::setup::{EditError, EntryName, Holds, Presence, Splice, Target, TargetContent};
use bugle_core::reply::FileState;

use super::record::Record;
use crate::AppError;
use crate::checksum::is_unedited;

/// A planned change to a file.
pub(super) struct FileChange {
    pub state: FileState,
    /// The text before the change.
    pub before: Option<String>,
    /// The text after the change; `None` if the file is deleted or never existed.
    pub after: Option<String>,
    /// The edit, if setup can undo it.
    pub splices: Option<Vec<Splice>>,
    pub details: Vec<String>,
}

impl FileChange {
    /// No change.
    fn none(state: FileState, before: Option<String>) -> Self {
        Self {
            state,
            after: before.clone(),
            before,
            splices: None,
            details: Vec::new(),
        }
    }
}

/// Whether one of Bugle's files has changed since Bugle wrote it. Without a record of the file, for example because
/// setup ran on another machine, the checksum in a skill or an agent shows whether it was edited.
fn is_edited(target: &Target, text: &str, record: &Record) -> bool {
    if record.knows(&target.path) {
        return !record.is_untouched(&target.path, text);
    }
    matches!(target.holds, Holds::Skill | Holds::Agent) && !is_unedited(text)
}

/// Adds or updates a file's content.
pub(super) fn install(
    target: &Target,
    before: Option<String>,
    record: &Record,
    client: Client,
) -> Result<FileChange, AppError> {
    let changed = |before: &Option<String>, after: &str| match before {
        None => FileState::Created,
        Some(text) if text == after => FileState::Unchanged,
        Some(_) => FileState::Changed,
    };
    match &target.content {
        TargetContent::Whole { text, is_own } => Ok(match &before {
            Some(current) if current != text && !is_own(current) => {
                FileChange::none(FileState::Foreign, before)
            }
            Some(current) if current != text && is_edited(target, current, record) => {
                FileChange::none(FileState::Kept, before)
            }
            _ => FileChange {
                state: changed(&before, text),
                after: Some(text.clone()),
                before,
                splices: None,
                details: Vec::new(),
            },
        }),
        TargetContent::Obsolete => remove(target, before, record, client),
        TargetContent::Part(content) => {
            let current = before.as_deref().unwrap_or_default();
            let edit = |text: &str| content.install(text).map_err(|error| unreadable(target, &error));
            // The record describes one edit per file, so it cannot undo the edit of only one client.
            let is_per_client = content.is_per_client();
            let pristine = record.before(&target.path, current).filter(|_| !is_per_client);
            let own = content
                .inspect(current)
                .map_err(|error| unreadable(target, &error))?
                .iter()
                // Users may have granted the sandbox access to the store themselves.
                .any(|entry| entry.name != EntryName::WritableStore && entry.presence != Presence::Missing);
            let edited = edit(pristine.as_deref().unwrap_or(current))?;
            // If the text already contained entries, undoing the edit would not remove them.
            let known = !is_per_client && (pristine.is_some() || !own);
            Ok(FileChange {
                state: changed(&before, edited.text()),
                after: Some(edited.text().to_owned()),
                before,
                splices: known.then(|| edited.splices().to_vec()),
                details: Vec::new(),
            })
        }
    }
}

/// Compares a file with the content that setup would write.
pub(super) fn check(
    target: &Target,
    before: Option<String>,
    record: &Record,
) -> Result<FileChange, AppError> {
    let mut details = Vec::new();
    let state = match (&target.content, &before) {
        (TargetContent::Whole { .. }, None) => FileState::Missing,
        (TargetContent::Obsolete, None) => FileState::Absent,
        (TargetContent::Obsolete, Some(current)) if is_edited(target, current, record) => FileState::Kept,
        (TargetContent::Obsolete, Some(_)) => {
            details.push("the skill was removed or has errors".to_owned());
            FileState::Outdated
        }
        (TargetContent::Whole { text, is_own }, Some(current)) => match current {
            current if current == text => FileState::Present,
            current if !is_own(current) => FileState::Foreign,
            current if is_edited(target, current, record) => FileState::Kept,
            _ => FileState::Outdated,
        },
        (TargetContent::Part(content), before) => {
            let entries = content
                .inspect(before.as_deref().unwrap_or_default())
                .map_err(|error| unreadable(target, &error))?;
            for entry in &entries {
                match entry.presence {
                    Presence::Present => {}
                    Presence::Outdated => details.push(format!("{} is outdated", entry.name)),
                    Presence::Missing => details.push(format!("{} is missing", entry.name)),
                }
            }
            let is = |presence| entries.iter().any(|entry| entry.presence == presence);
            if is(Presence::Missing) {
                FileState::Missing
            } else if is(Presence::Outdated) {
                FileState::Outdated
            } else {
                FileState::Present
            }
        }
    };
    Ok(FileChange {
        details,
        ..FileChange::none(state, before)
    })
}

/// Removes Bugle's entries from a file.
pub(super) fn remove(
    target: &Target,
    before: Option<String>,
    record: &Record,
    client: Client,
) -> Result<FileChange, AppError> {
    let Some(text) = before else {
        return Ok(FileChange::none(FileState::Absent, None));
    };
    let path = &target.path;
    let is_per_client = matches!(&target.content, TargetContent::Part(content) if content.is_per_client());
    if record.knows(path) && !record.is_used_by(path, client) && !is_per_client {
        return Ok(FileChange::none(FileState::Absent, Some(text)));
    }
    let after = match &target.content {
        TargetContent::Whole { text: wanted, is_own } => {
            if text != *wanted && !is_own(&text) {
                return Ok(FileChange::none(FileState::Foreign, Some(text)));
            }
            if text != *wanted && is_edited(target, &text, record) {
                return Ok(FileChange::none(FileState::Kept, Some(text)));
            }
            None
        }
        TargetContent::Obsolete => {
            if is_edited(target, &text, record) {
                return Ok(FileChange::none(FileState::Kept, Some(text)));
            }
            None
        }
        TargetContent::Part(content) => {
            let edited = content
                .uninstall(&text)
                .map_err(|error| unreadable(target, &error))?;
            match record.before(path, &text).filter(|_| !is_per_client) {
                Some(_) if record.created(path) => None,
                Some(before) => Some(before),
                None if edited.text() == text => return Ok(FileChange::none(FileState::Absent, Some(text))),
                None if record.created(path) && content.is_empty(edited.text()) => None,
                None => Some(edited.text().to_owned()),
            }
        }
    };
    if record.is_shared(path, client) && !is_per_client {
        return Ok(FileChange::none(FileState::Shared, Some(text)));
    }
    Ok(FileChange {
        state: if after.is_some() {
            FileState::Changed
        } else {
            FileState::Deleted
        },
        before: Some(text),
        after,
        splices: None,
        details: Vec::new(),
    })
}

fn unreadable(target: &Target, error: &EditError) -> AppError {
    let place = format!("{}:{}:{}", target.path.display(), error.line, error.column);
    AppError::Text {
        what: format!("{place}: {}", error.what),
        hints: vec![
            "Nothing was changed. Fix the file at the reported position, then run the same command again."
                .to_owned(),
        ],
    }
}
