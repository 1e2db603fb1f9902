//! Sets up clients: writes, checks and removes Bugle's entries in clients' files.

mod change;
mod disk;
mod notes;
mod own_skills;
mod plugin;
mod record;
mod targets;

pub use plugin::{PluginRequest, build_plugin};
pub(crate) use targets::{client_folders, invalid_skills};

use std::path::PathBuf;

use bugle_client::Client;
use bugle_client::setup::{
    Content, Entry, EntryName, Holds, Presence, Scope, Target, TargetContent, status_line_is_own,
};
use bugle_core::reply::{FileState, SetupAction, SetupFile, SetupView};
use change::FileChange;
use notes::NoteFacts;
use record::Record;

use crate::context::{VariableSource, absolute_program, program_on_path};
use crate::{AppError, Context};

/// A setup request.
#[derive(Debug, Clone)]
pub struct SetupRequest {
    /// The client.
    pub client: Client,
    /// The project or the user.
    pub scope: Scope,
    /// The action.
    pub action: SetupAction,
    /// Only show the changes, and write nothing.
    pub dry_run: bool,
    /// The optional parts.
    pub options: SetupOptions,
}

/// The optional parts of a setup.
#[derive(Debug, Clone, Copy, Default)]
pub struct SetupOptions {
    /// Also add a block to the client's instructions file.
    pub instructions: bool,
    /// Also write the status line, if the client supports one and no other program uses it.
    pub status_line: bool,
    /// Also hide the files from git, in this clone only.
    pub git_exclude: bool,
}

impl SetupRequest {
    /// A check that writes nothing.
    pub(crate) fn check(client: Client, scope: Scope) -> Self {
        Self {
            client,
            scope,
            action: SetupAction::Check,
            dry_run: false,
            options: SetupOptions::default(),
        }
    }
}

/// A client's file and its state.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub path: PathBuf,
    /// The kind of Bugle's entries in the file.
    pub holds: Holds,
    pub state: FileState,
    pub text: Option<String>,
    /// Bugle's part of the file, if other programs also write to the file.
    pub content: Option<Content>,
    /// Bugle's entries in the file.
    pub entries: Vec<Entry>,
    /// Whether setup wrote the file for this client.
    pub is_recorded: bool,
}

impl Inspected {
    /// Whether the file connects the client to Bugle: it contains a hook, the MCP server or the plugin.
    pub(crate) fn connects(&self) -> bool {
        let has_entry = || {
            let entries = self.entries.iter();
            let mut present = entries.filter(|entry| entry.presence != Presence::Missing);
            present.any(|entry| entry.name != EntryName::WritableStore)
        };
        match self.holds {
            Holds::Hooks | Holds::HooksAndStatusLine | Holds::HooksAndServer | Holds::Server => has_entry(),
            // Another client's setup may have written a shared server.
            Holds::SharedServer => self.is_recorded && has_entry(),
            Holds::Plugin => !matches!(self.state, FileState::Missing | FileState::Foreign),
            Holds::Skill | Holds::Agent | Holds::Instructions | Holds::Rules | Holds::GitExclude => false,
        }
    }
}

/// Whether a project contains Bugle's files: Bugle's own folder, or files that setup wrote for a client. Files in the
/// user's home apply to all projects and do not count.
pub(crate) fn has_traces(ctx: &Context) -> bool {
    let root = &ctx.root;
    !ctx.home.starts_with(root) && (root.join(".bugle").is_dir() || Record::read(ctx).is_below(root))
}

/// Reads all of a client's files.
pub(crate) fn inspect(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<Vec<Inspected>, AppError> {
    let record = Record::read(ctx);
    let mut files = Vec::new();
    for target in targets::targets(ctx, variables, request)? {
        let checked = change::check(&target, disk::read(&target.path)?, &record)?;
        let content = match target.content {
            TargetContent::Part(content) => Some(content),
            TargetContent::Whole { .. } | TargetContent::Obsolete => None,
        };
        let entries = content
            .as_ref()
            .map(|content| content.inspect(checked.before.as_deref().unwrap_or_default()));
        files.push(Inspected {
            is_recorded: record.is_used_by(&target.path, request.client),
            path: target.path,
            holds: target.holds,
            state: checked.state,
            text: checked.before,
            content,
            // The check has already reported unreadable files.
            entries: entries.and_then(Result::ok).unwrap_or_default(),
        });
    }
    Ok(files)
}

/// The clients that are set up in a scope. Includes clients whose files cannot be read, so that a check reports them.
pub fn clients_set_up(ctx: &Context, variables: VariableSource<'_>, scope: Scope) -> Vec<Client> {
    let clients = Client::ALL.into_iter();
    clients
        .filter(|client| is_set_up(ctx, variables, *client, scope))
        .collect()
}

fn is_set_up(ctx: &Context, variables: VariableSource<'_>, client: Client, scope: Scope) -> bool {
    let files = inspect(ctx, variables, &SetupRequest::check(client, scope));
    files.map_or(true, |files| files.iter().any(Inspected::connects))
}

/// Sets up clients, checks them, or removes all of Bugle's entries. Reads every client's files and plans every edit
/// before it writes the first file.
pub fn setup(
    ctx: &Context,
    variables: VariableSource<'_>,
    requests: &[SetupRequest],
) -> Result<Vec<SetupView>, AppError> {
    let record = Record::read(ctx);
    for request in requests {
        plan(ctx, variables, request, &record)?;
    }
    // Clients share files, so set them up one after another: each edit depends on the earlier edits.
    let views = requests.iter().map(|request| set_up(ctx, variables, request));
    views.collect()
}

/// The planned change to each of a client's files.
fn plan(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
    record: &Record,
) -> Result<(Vec<Target>, Vec<FileChange>), AppError> {
    let targets = targets::targets(ctx, variables, request)?;
    let mut changes = Vec::new();
    for target in &targets {
        let before = disk::read(&target.path)?;
        changes.push(match request.action {
            SetupAction::Setup => change::install(target, before, record, request.client)?,
            SetupAction::Check => change::check(target, before, record)?,
            SetupAction::Remove => change::remove(target, before, record, request.client)?,
        });
    }
    Ok((targets, changes))
}

fn set_up(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<SetupView, AppError> {
    let mut record = Record::read(ctx);
    let (targets, changes) = plan(ctx, variables, request, &record)?;
    let mut files = Vec::new();
    for (target, change) in targets.iter().zip(&changes) {
        let is_changed = change.before != change.after;
        let diff = (request.dry_run && is_changed).then(|| {
            bugle_render::setup::diff(
                &target.path.display().to_string(),
                change.before.as_deref(),
                change.after.as_deref(),
            )
        });
        files.push(SetupFile {
            path: target.path.display().to_string(),
            holds: target.holds.as_str().to_owned(),
            state: change.state,
            details: change.details.clone(),
            diff,
        });
    }
    if !request.dry_run && request.action != SetupAction::Check {
        let mut applied = Ok(());
        for (target, change) in targets.iter().zip(&changes) {
            applied = apply(target, change, request, &mut record);
            if applied.is_err() {
                break;
            }
        }
        // Record every written file, even if a later file failed.
        record.write(ctx)?;
        applied?;
    }
    let facts = NoteFacts {
        is_installed: program_on_path(variables, request.client.as_str()).is_some(),
        is_set_up_elsewhere: request.action == SetupAction::Remove
            && is_set_up(ctx, variables, request.client, request.scope.other()),
        other_status_line: has_other_status_line(&changes),
        machine_files: machine_files(ctx, variables, &targets, &changes)?,
    };
    let mut notes = notes::notes(ctx, request, &files, &facts);
    if request.action != SetupAction::Remove {
        notes.splice(0..0, invalid_skills(ctx, variables, request));
    }
    Ok(SetupView {
        client: request.client.as_str().to_owned(),
        scope: request.scope.as_str().to_owned(),
        action: request.action,
        dry_run: request.dry_run,
        notes,
        files,
    })
}

fn apply(
    target: &Target,
    change: &FileChange,
    request: &SetupRequest,
    record: &mut Record,
) -> Result<(), AppError> {
    let path = &target.path;
    match (&change.before, &change.after) {
        (before, Some(after)) if before.as_ref() != Some(after) => {
            record.note_folders(disk::make_folder(path)?);
            let settings = matches!(target.content, TargetContent::Part(_));
            let readers = if request.scope == Scope::User && settings {
                disk::Readers::Owner
            } else {
                disk::Readers::Usual
            };
            disk::write(path, after.as_bytes(), before.as_deref(), readers)?;
        }
        (Some(_), None) => disk::delete(path)?,
        _ => {}
    }
    match (request.action, change.state) {
        (SetupAction::Setup, FileState::Created | FileState::Changed | FileState::Unchanged) => {
            let text = change.after.as_deref().unwrap_or_default();
            // If another program has replaced a file that setup created, the file no longer belongs to Bugle.
            let created = change.before.as_ref().is_none_or(|before| {
                record.created(path) && (change.splices.is_none() || record.is_untouched(path, before))
            });
            record.note(path, request.client, created, text, change.splices.as_deref());
        }
        (SetupAction::Remove, FileState::Kept) => record.leave_to_user(path, request.client),
        (SetupAction::Remove, _) | (SetupAction::Setup, FileState::Deleted) => {
            // There is no record if setup ran on another machine. An empty skill folder can still be removed, because
            // nothing else uses it.
            let unknown = !record.knows(path) && target.holds == Holds::Skill;
            record.forget(path, request.client);
            if change.after.is_none() {
                record.remove_folders(path);
                if let (true, Some(folder)) = (unknown, path.parent()) {
                    // This fails if the folder is not empty or does not exist.
                    let _ = std::fs::remove_dir(folder);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// The files in the project that contain the path to this program, relative to the project's folder.
fn machine_files(
    ctx: &Context,
    variables: VariableSource<'_>,
    targets: &[Target],
    changes: &[FileChange],
) -> Result<Vec<String>, AppError> {
    let program = absolute_program(variables)?;
    let holds_path = |change: &FileChange| change.after.as_ref().is_some_and(|text| text.contains(&program));
    let files = targets
        .iter()
        .zip(changes)
        .filter(|(_, change)| holds_path(change));
    let inside = files.filter_map(|(target, _)| target.path.strip_prefix(&ctx.root).ok());
    Ok(inside.map(|path| path.display().to_string()).collect())
}

/// Whether another program uses the status line.
fn has_other_status_line(changes: &[FileChange]) -> bool {
    let settings = changes.first().and_then(|change| change.before.as_deref());
    settings.and_then(status_line_is_own) == Some(false)
}
