//! Sets clients up: writes Bugle's entries into their files, looks whether they are there, and takes them out.

mod disk;
mod plugin;
mod record;
mod stub;
mod targets;

use std::path::PathBuf;

use bugle_wire::setup::{
    Client, Content, Entry, FileState, Presence, SetupAction, SetupFile, SetupView, status_line_is_own,
};

pub use plugin::{PluginRequest, build_plugin};
pub(crate) use stub::is_stub;
pub(crate) use targets::codex_home;

use crate::place::VariableSource;
use crate::{AppError, Place};
use record::Record;
use targets::{Target, TargetContent};

/// What is asked of a set-up.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that can be asked for or not"
)]
pub struct SetupRequest {
    /// The client.
    pub client: Client,
    /// For all of the user's projects, instead of this one.
    pub user: bool,
    /// What to do.
    pub action: SetupAction,
    /// Only say what would change.
    pub dry_run: bool,
    /// Also a block in the client's file of instructions.
    pub instructions: bool,
    /// Also the status line, if the client has one and nobody else has it.
    pub status_line: bool,
}

impl SetupRequest {
    /// Only to look.
    pub(crate) fn check(client: Client, user: bool) -> Self {
        Self {
            client,
            user,
            action: SetupAction::Check,
            dry_run: false,
            instructions: false,
            status_line: false,
        }
    }
}

/// A file of a client, and how it stands.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub path: PathBuf,
    /// What of Bugle's belongs in it.
    pub holds: &'static str,
    pub state: FileState,
    pub text: Option<String>,
    /// What belongs in it, if it is not Bugle's alone.
    pub content: Option<Content>,
    /// The entries of that.
    pub entries: Vec<Entry>,
}

/// Whether something of Bugle's lies in a place: its folder, or what was written for a client there. Around the user's home
/// lies what holds for all places, and tells nothing of one.
pub(crate) fn has_traces(place: &Place) -> bool {
    let root = &place.root;
    !place.home.starts_with(root) && (root.join(".bugle").is_dir() || Record::read(place).is_below(root))
}

/// Looks at every file of a client.
pub(crate) fn inspect(
    place: &Place,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<Vec<Inspected>, AppError> {
    let mut files = Vec::new();
    for target in targets::targets(place, variables, request)? {
        let step = check(&target, disk::read(&target.path)?)?;
        let content = match target.content {
            TargetContent::Part(content) => Some(content),
            TargetContent::Whole { .. } => None,
        };
        let entries = content
            .as_ref()
            .map(|content| content.inspect(step.before.as_deref().unwrap_or_default()));
        files.push(Inspected {
            path: target.path,
            holds: target.holds,
            state: step.state,
            text: step.before,
            content,
            // What cannot be read has been told of by the check already.
            entries: entries.and_then(Result::ok).unwrap_or_default(),
        });
    }
    Ok(files)
}

/// What is to become of a file.
struct Step {
    state: FileState,
    /// As it is.
    before: Option<String>,
    /// As it is to be; none if it is to be deleted or was never there.
    after: Option<String>,
    /// What is to be remembered of the edit.
    splices: Option<Vec<bugle_wire::setup::Splice>>,
    details: Vec<String>,
}

impl Step {
    fn still(state: FileState, before: Option<String>) -> Self {
        Self {
            state,
            after: before.clone(),
            before,
            splices: None,
            details: Vec::new(),
        }
    }
}

/// Sets a client up, looks whether it is set up, or takes everything out. Every file is read and every edit decided
/// before the first file is written.
pub fn setup(
    place: &Place,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<SetupView, AppError> {
    let targets = targets::targets(place, variables, request)?;
    let mut record = Record::read(place);
    let mut steps = Vec::new();
    for target in &targets {
        let before = disk::read(&target.path)?;
        steps.push(match request.action {
            SetupAction::Setup => install(target, before, &record)?,
            SetupAction::Check => check(target, before)?,
            SetupAction::Remove => remove(target, before, &record, request.client)?,
        });
    }
    let mut files = Vec::new();
    for (target, step) in targets.iter().zip(&steps) {
        let changes = step.before != step.after;
        let diff = (request.dry_run && changes).then(|| {
            bugle_render::setup::diff(
                &target.path.display().to_string(),
                step.before.as_deref(),
                step.after.as_deref(),
            )
        });
        files.push(SetupFile {
            path: target.path.display().to_string(),
            holds: target.holds.to_owned(),
            state: step.state,
            details: step.details.clone(),
            diff,
        });
    }
    if !request.dry_run && request.action != SetupAction::Check {
        let mut carried_out = Ok(());
        for (target, step) in targets.iter().zip(&steps) {
            carried_out = carry_out(target, step, request, &mut record);
            if carried_out.is_err() {
                break;
            }
        }
        // What was written is remembered, also if something later could not be.
        record.write(place)?;
        carried_out?;
    }
    Ok(SetupView {
        client: request.client.as_str().to_owned(),
        scope: if request.user { "user" } else { "project" }.to_owned(),
        action: request.action,
        dry_run: request.dry_run,
        notes: notes(request, &files, has_other_status_line(&steps)),
        files,
    })
}

fn install(target: &Target, before: Option<String>, record: &Record) -> Result<Step, AppError> {
    let changed = |before: &Option<String>, after: &str| match before {
        None => FileState::Created,
        Some(text) if text == after => FileState::Unchanged,
        Some(_) => FileState::Changed,
    };
    match &target.content {
        TargetContent::Whole { text, is_own } => Ok(match &before {
            Some(there) if there != text && !is_own(there) => Step::still(FileState::Foreign, before),
            _ => Step {
                state: changed(&before, text),
                after: Some(text.clone()),
                before,
                splices: None,
                details: Vec::new(),
            },
        }),
        TargetContent::Part(content) => {
            let current = before.as_deref().unwrap_or_default();
            let edit = |text: &str| content.install(text).map_err(|error| unreadable(target, &error));
            let pristine = record.before(&target.path, current);
            let own = content
                .inspect(current)
                .map_err(|error| unreadable(target, &error))?
                .iter()
                .any(|entry| entry.presence != Presence::Missing);
            let edited = edit(pristine.as_deref().unwrap_or(current))?;
            // An edit of a text that held entries already cannot be taken back as if there had been none.
            let known = pristine.is_some() || !own;
            Ok(Step {
                state: changed(&before, edited.text()),
                after: Some(edited.text().to_owned()),
                before,
                splices: known.then(|| edited.splices().to_vec()),
                details: Vec::new(),
            })
        }
    }
}

fn check(target: &Target, before: Option<String>) -> Result<Step, AppError> {
    let mut details = Vec::new();
    let state = match (&target.content, &before) {
        (TargetContent::Whole { .. }, None) => FileState::Missing,
        (TargetContent::Whole { text, is_own }, Some(there)) => match there {
            there if there == text => FileState::Present,
            there if is_own(there) => FileState::Outdated,
            _ => FileState::Foreign,
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
    Ok(Step {
        details,
        ..Step::still(state, before)
    })
}

fn remove(
    target: &Target,
    before: Option<String>,
    record: &Record,
    client: Client,
) -> Result<Step, AppError> {
    let Some(text) = before else {
        return Ok(Step::still(FileState::Absent, None));
    };
    let path = &target.path;
    let after = match &target.content {
        TargetContent::Whole { text: wanted, is_own } => {
            if text != *wanted && !is_own(&text) {
                return Ok(Step::still(FileState::Foreign, Some(text)));
            }
            if text != *wanted && record.knows(path) && !record.is_untouched(path, &text) {
                return Ok(Step::still(FileState::Kept, Some(text)));
            }
            None
        }
        TargetContent::Part(content) => {
            let edited = content
                .uninstall(&text)
                .map_err(|error| unreadable(target, &error))?;
            match record.before(path, &text) {
                Some(_) if record.made(path) => None,
                Some(before) => Some(before),
                None if edited.text() == text => return Ok(Step::still(FileState::Absent, Some(text))),
                None if record.made(path) && content.is_empty(edited.text()) => None,
                None => Some(edited.text().to_owned()),
            }
        }
    };
    if record.is_shared(path, client) {
        return Ok(Step::still(FileState::Shared, Some(text)));
    }
    Ok(Step {
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

fn carry_out(
    target: &Target,
    step: &Step,
    request: &SetupRequest,
    record: &mut Record,
) -> Result<(), AppError> {
    let path = &target.path;
    match (&step.before, &step.after) {
        (before, Some(after)) if before.as_ref() != Some(after) => {
            record.note_folders(disk::make_folder(path)?);
            let settings = matches!(target.content, TargetContent::Part(_));
            let readers = if request.user && settings {
                disk::Readers::Owner
            } else {
                disk::Readers::Usual
            };
            disk::write(path, after.as_bytes(), before.as_deref(), readers)?;
        }
        (Some(_), None) => disk::delete(path)?,
        _ => {}
    }
    match (request.action, step.state) {
        (SetupAction::Setup, FileState::Created | FileState::Changed | FileState::Unchanged) => {
            let text = step.after.as_deref().unwrap_or_default();
            // A file that was made once, and then anew by somebody else, is theirs.
            let created = step.before.as_ref().is_none_or(|before| {
                record.made(path) && (step.splices.is_none() || record.is_untouched(path, before))
            });
            record.note(path, request.client, created, text, step.splices.as_deref());
        }
        (SetupAction::Remove, _) => {
            // Of what another machine made nothing is known; a skill's folder is still the skill's own.
            let unknown = !record.knows(path) && target.holds == "skill";
            record.forget(path, request.client);
            if step.after.is_none() {
                record.remove_folders(path);
                if let (true, Some(folder)) = (unknown, path.parent()) {
                    // A folder that is not empty, or is gone, stays as it is.
                    let _ = std::fs::remove_dir(folder);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn unreadable(target: &Target, error: &bugle_wire::setup::EditError) -> AppError {
    let place = format!("{}:{}:{}", target.path.display(), error.line, error.column);
    AppError::Text {
        what: format!("{place}: {}", error.what),
        hints: vec!["Nothing was changed. Mend the file there, and run the same command again.".to_owned()],
    }
}

/// Whether somebody else makes the status line.
fn has_other_status_line(steps: &[Step]) -> bool {
    let settings = steps.first().and_then(|step| step.before.as_deref());
    settings.and_then(status_line_is_own) == Some(false)
}

/// What the user has to know or do besides.
fn notes(request: &SetupRequest, files: &[SetupFile], other_status_line: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let foreign = files.iter().filter(|file| file.state == FileState::Foreign);
    notes.extend(foreign.map(|file| format!("{} is not Bugle's, and was left alone.", file.path)));
    if request.action == SetupAction::Remove || request.dry_run {
        return notes;
    }
    if request.status_line && request.client != Client::Claude {
        notes.push(format!(
            "{} has no status line that a program can make.",
            request.client.title()
        ));
    } else if request.status_line && other_status_line {
        notes.push("There is a status line that is not Bugle's, and it was left alone.".to_owned());
    }
    match (request.client, request.user) {
        (Client::Codex, user) => {
            notes.push(
                "Codex skips hooks that you have not trusted, without a word: start `codex` here, open /hooks, look through the hooks of Bugle and trust them. Do so again whenever setup changes them."
                    .to_owned(),
            );
            if !user {
                notes.push("Codex reads this project's .codex only if you have trusted the project.".to_owned());
            }
        }
        (Client::Opencode, _) => notes.push(
            "opencode fetches a package of its own before it loads a plugin; without a network it waits for that.".to_owned(),
        ),
        (Client::Claude, false) => notes.push(
            "Claude Code asks you before it uses an MCP server that a project brings.".to_owned(),
        ),
        (Client::Gemini, false) => notes.push(
            "Gemini CLI reads a project's settings only in a folder that you have trusted.".to_owned(),
        ),
        (Client::Claude | Client::Gemini, true) => {}
    }
    notes
}
