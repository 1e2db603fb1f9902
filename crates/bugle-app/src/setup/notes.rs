//! The notes for the user after setup.

use bugle_client::setup::{Holds, Scope};
use bugle_core::reply::{FileState, SetupAction, SetupFile, SetupNote};

use super::SetupRequest;
use crate::Context;

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
) -> Vec<SetupNote> {
    let client = || request.client.title().to_owned();
    let mut notes = Vec::new();
    if facts.is_set_up_elsewhere {
        notes.push(other_scope(ctx, request));
    }
    if request.action == SetupAction::Setup && !facts.is_installed {
        notes.push(SetupNote::NotInstalled {
            program: request.client.as_str().to_owned(),
            client: client(),
        });
    }
    let foreign = files.iter().filter(|file| file.state == FileState::Foreign);
    notes.extend(foreign.map(|file| SetupNote::Foreign {
        path: file.path.clone(),
    }));
    if request.action == SetupAction::Remove || request.dry_run {
        return notes;
    }
    if request.options.status_line && !request.client.has_status_line() {
        notes.push(SetupNote::NoStatusLine { client: client() });
    } else if request.options.status_line && facts.other_status_line {
        notes.push(SetupNote::OtherStatusLine);
    }
    if files.iter().any(|file| !file.state.is_in_order()) {
        notes.push(SetupNote::Incomplete {
            setup: setup_command(ctx, request),
        });
        return notes;
    }
    let texts = request.client.setup_notes(request.scope).into_iter();
    notes.extend(texts.map(|text| SetupNote::Client {
        text: text.to_owned(),
    }));
    if request.action == SetupAction::Setup {
        if request.scope == Scope::Project {
            notes.push(commit(ctx, request, files, facts));
        }
        notes.push(SetupNote::Check {
            doctor: command(ctx, "doctor", request, &[]),
        });
    }
    notes
}

/// Where the client is still set up after a removal.
fn other_scope(ctx: &Context, request: &SetupRequest) -> SetupNote {
    let other = SetupRequest {
        scope: request.scope.other(),
        ..request.clone()
    };
    SetupNote::OtherScope {
        client: request.client.title().to_owned(),
        is_user: other.scope == Scope::User,
        remove: command(ctx, "setup", &other, &["--remove"]),
    }
}

/// Which files to commit, and how to keep the others out of git.
fn commit(ctx: &Context, request: &SetupRequest, files: &[SetupFile], facts: &NoteFacts) -> SetupNote {
    if files.iter().any(|file| file.holds == Holds::GitExclude.as_str()) {
        return SetupNote::GitExcluded;
    }
    let setup = |option| command(ctx, "setup", request, &[option]);
    SetupNote::Commit {
        machine_files: facts.machine_files.clone(),
        exclude: ctx.is_repository().then(|| setup("--git-exclude")),
        remove: setup("--remove"),
        user: setup("--user"),
    }
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
