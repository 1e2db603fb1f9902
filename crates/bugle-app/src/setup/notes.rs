//! The notes for the user after setup.

use bugle_client::setup::{Holds, Scope};
use bugle_core::reply::{FileState, SetupAction, SetupFile};

use super::SetupRequest;
use crate::Context;

/// Notes for the user.
pub(super) fn notes(
    ctx: &Context,
    request: &SetupRequest,
    files: &[SetupFile],
    other_status_line: bool,
) -> Vec<String> {
    let mut notes = Vec::new();
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
    } else if request.options.status_line && other_status_line {
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
            notes.push(commit_note(ctx, request, files));
        }
        let doctor = command(ctx, "doctor", request, &[]);
        notes.push(format!("To check the setup: {doctor}"));
    }
    notes
}

/// Which files to commit, and how to keep the others out of git.
fn commit_note(ctx: &Context, request: &SetupRequest, files: &[SetupFile]) -> String {
    let is_excluded = files.iter().any(|file| file.holds == Holds::GitExclude.as_str());
    if is_excluded {
        return "In this clone, git ignores these files, except those that it already tracks.".to_owned();
    }
    let mut note =
        "Don't commit these files: they contain the path to bugle on this machine. Do commit your own \
                    skills in .bugle/skills."
            .to_owned();
    if ctx.is_repository() {
        let exclude = command(ctx, "setup", request, &["--git-exclude"]);
        note.push_str(&format!(
            "\nTo make git ignore these files in this clone: {exclude}"
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
