//! The notes for the user after setup.

use bugle_client::setup::{Holds, Scope};
use bugle_core::reply::{FileState, SetupAction, SetupFile};

use super::SetupRequest;
use crate::Context;

/// Maximum number of files that a note names.
const MAX_NAMED_FILES: usize = 3;

/// Facts for the notes that the files' states do not show.
pub(super) struct NoteFacts {
    /// Whether the client's program is on the `PATH`.
    pub is_installed: bool,
    /// On removal: whether the client is set up in the other scope.
    pub is_set_up_elsewhere: bool,
    /// Whether another program uses the status line.
    pub other_status_line: bool,
    /// The project's files that contain the path to Bugle on this machine.
    pub machine_files: Vec<String>,
}

/// Notes for the user.
pub(super) fn notes(
    ctx: &Context,
    request: &SetupRequest,
    files: &[SetupFile],
    facts: &NoteFacts,
) -> Vec<String> {
    let mut notes = Vec::new();
    if facts.is_set_up_elsewhere {
        notes.push(other_scope_note(ctx, request));
    }
    if request.action == SetupAction::Setup && !facts.is_installed {
        notes.push(format!(
            "`{}` was not found on the PATH. Install {}, or add its folder to the PATH.",
            request.client.as_str(),
            request.client.title()
        ));
    }
    let foreign = files.iter().filter(|file| file.state == FileState::Foreign);
    notes.extend(
        foreign.map(|file| format!("{} does not belong to Bugle, so it was not changed.", file.path)),
    );
    if request.action == SetupAction::Remove || request.dry_run {
        return notes;
    }
    if request.options.status_line && !request.client.has_status_line() {
        notes.push(format!(
            "{} has no configurable status line.",
            request.client.title()
        ));
    } else if request.options.status_line && facts.other_status_line {
        notes.push("The status line does not belong to Bugle, so it was not changed.".to_owned());
    }
    if files.iter().any(|file| !file.state.is_in_order()) {
        notes.push(format!("To complete the setup: {}", setup_command(ctx, request)));
        return notes;
    }
    notes.extend(
        request
            .client
            .setup_notes(request.scope)
            .into_iter()
            .map(str::to_owned),
    );
    if request.action == SetupAction::Setup {
        if request.scope == Scope::Project {
            notes.push(commit_note(ctx, request, files, facts));
        }
        let doctor = command(ctx, "doctor", request, &[]);
        notes.push(format!("To check the setup: {doctor}"));
    }
    notes
}

/// Where the client is still set up after a removal, and the command that removes that setup.
fn other_scope_note(ctx: &Context, request: &SetupRequest) -> String {
    let other = SetupRequest {
        scope: request.scope.other(),
        ..request.clone()
    };
    let place = match other.scope {
        Scope::Project => "in this project",
        Scope::User => "for all your projects",
    };
    let remove = command(ctx, "setup", &other, &["--remove"]);
    format!(
        "{} is set up {place}. To remove that setup: {remove}",
        request.client.title()
    )
}

/// Which files to commit, and how to keep the others out of git.
fn commit_note(ctx: &Context, request: &SetupRequest, files: &[SetupFile], facts: &NoteFacts) -> String {
    let is_excluded = files.iter().any(|file| file.holds == Holds::GitExclude.as_str());
    if is_excluded {
        return "In this clone, git ignores these files, except those that it already tracks.".to_owned();
    }
    let mut note = match facts.machine_files.as_slice() {
        [file] => format!("Don't commit {file}: it contains the path to bugle on this machine."),
        [first @ .., last] if first.len() < MAX_NAMED_FILES => format!(
            "Don't commit {} and {last}: they contain the path to bugle on this machine.",
            first.join(", ")
        ),
        _ => "Don't commit these files: they contain the path to bugle on this machine.".to_owned(),
    };
    note.push_str(" Do commit your own skills in .bugle/skills.");
    if ctx.is_repository() {
        let exclude = command(ctx, "setup", request, &["--git-exclude"]);
        note.push_str(&format!(
            "\nTo make git ignore the setup's untracked files in this clone: {exclude}"
        ));
    }
    let remove = command(ctx, "setup", request, &["--remove"]);
    let user = command(ctx, "setup", request, &["--user"]);
    note.push_str(&format!(
        "\nTo set up all your projects without adding files to them: {remove} && {user}"
    ));
    note
}

/// The setup command for the client, scope and options of this request.
fn setup_command(ctx: &Context, request: &SetupRequest) -> String {
    let instructions = request.options.instructions.then_some("--instructions");
    let status_line = request.options.status_line.then_some("--statusline");
    let git_exclude = request.options.git_exclude.then_some("--git-exclude");
    let options: Vec<&str> = instructions
        .into_iter()
        .chain(status_line)
        .chain(git_exclude)
        .collect();
    command(ctx, "setup", request, &options)
}

/// A command for the client and the scope of a request.
fn command(ctx: &Context, name: &str, request: &SetupRequest, options: &[&str]) -> String {
    let scope = (request.scope == Scope::User).then_some("--user");
    let words: Vec<&str> = [name, request.client.as_str()]
        .into_iter()
        .chain(scope)
        .chain(options.iter().copied())
        .collect();
    ctx.command(&words)
}
