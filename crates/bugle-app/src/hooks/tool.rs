//! Denies tools that the step forbids. After a tool has run, delivers the messages or the wake-up that the agent has
//! missed.

use std::path::{Component, Path, PathBuf};

use bugle_client::hook::{HookCall, HookReply};
use bugle_client::recognition::{is_path_variable, session_variables};
use bugle_client::{awaits_subagent, settings_files};
use bugle_core::hook::{AgentPaths, Shell, ToolUse, judge};
use bugle_core::id::SessionId;
use bugle_core::tool::{Tool, ToolPolicy};
use bugle_core::workflow::RoleSource;
use bugle_render::hook_text::{self, Alternative};
use bugle_store::{RunRow, Store};

use super::missed::missed_text;
use super::program::calls_bugle;
use super::session::{runs_of_call, session_row};
use super::{ReplySender, background, subagent, todos, user_input};
use crate::open_run::OpenRun;
use crate::{AppError, Context, delegation, open_run};

/// Handles a tool that is about to run.
pub(super) fn before_tool(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<HookReply, AppError> {
    let mut answer = HookReply::default();
    subagent::note_call(store, call, session)?;
    let mut rows = runs_of_call(store, call, session)?;
    // A sub-agent without its own run works on the main thread's runs.
    let is_helper = call.agent.is_some() && rows.is_empty();
    if is_helper {
        rows = store.main_runs(session)?;
    }
    let Some(latest) = rows.first() else {
        return Ok(answer);
    };
    // The rules of every open run apply; otherwise starting a second run would lift the rules of the first. An
    // unreadable run does not lift the rules of the others.
    let mut unreadable = None;
    let mut held = Vec::new();
    let mut policies = Vec::new();
    for row in &rows {
        match policy(store, row) {
            Ok((run, policy)) => {
                held.push((row, run));
                policies.push(policy);
            }
            Err(error) => unreadable = Some(error),
        }
    }
    let command = call.tool.command();
    let used = ToolUse {
        tool: call.tool.tool(),
        name: &call.tool.name,
        command: command.as_deref(),
        file: call.tool.file(),
        patch: call.tool.patch(),
    };
    let session_variables: Vec<&str> = session_variables().collect();
    let shell = Shell {
        program: &|word| calls_bugle(ctx, word),
        variable: &|name| reliable_variable(ctx, name),
        session_variables: &session_variables,
    };
    if let Some(denied) = background::deny_second(store, call, session)? {
        return Ok(denied);
    }
    let judged = judge(&policies, &used, &territory(ctx, &rows), &shell);
    if let Err((number, denied)) = judged
        && let Some((row, run)) = held.get(number)
    {
        let step = run
            .state
            .current()
            .and_then(|visit| run.workflow.step(&visit.step));
        let title = step.map_or("", |step| step.title.as_str());
        let token = run.state.current_token().map(|token| token.to_string());
        let ends_with = token.map(|token| ctx.command(&["done", &token]));
        let show = ctx.command(&["step", row.id.as_str()]);
        let alternative = if is_helper {
            Alternative::SubAgent
        } else {
            Alternative::Step {
                ends_with: ends_with.as_deref(),
                show: &show,
            }
        };
        answer.deny = Some(hook_text::denied(&denied, (&row.skill, title), alternative));
        return Ok(answer);
    }
    let noted = note_hook(store, ctx, call, latest, session);
    // If the store is busy, the hook still succeeds, unless a sub-agent made the call: its calls must be recorded.
    if call.agent.is_some() {
        noted?;
    }
    unreadable.map_or(Ok(answer), Err)
}

/// Records that the client calls this session's hooks. Bugle uses the record to detect hooks that no longer run. Writes
/// at most once per change of the run. Adds the session if it started before the project used Bugle.
fn note_hook(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    row: &RunRow,
    session: &SessionId,
) -> Result<(), AppError> {
    match store.session(session)? {
        Some(known) if known.seen_at < row.changed_at => store.note_hook(session, ctx.now())?,
        Some(_) => {}
        None => {
            let begun = session_row(store, ctx, call, session)?;
            store.keep_session(&begun)?;
        }
    }
    Ok(store.flush()?)
}

/// The run, and the tools that its current step forbids.
fn policy(store: &mut Store, row: &RunRow) -> Result<(OpenRun, ToolPolicy), AppError> {
    let run = open_run::read(store, &row.id, &row.directory)?;
    let Some(step) = run
        .state
        .current()
        .and_then(|visit| run.workflow.step(&visit.step))
    else {
        return Ok((run, ToolPolicy::Unrestricted));
    };
    let (role, given) = delegation::acting(Some(&run.state), step);
    let is_held = match given {
        RoleSource::Explicit | RoleSource::Dispatch => true,
        RoleSource::Unassigned => false,
    };
    let policy = step.permitted(run.compiled.roles.get(&role).filter(|_| is_held));
    Ok((run, policy))
}

/// Handles a tool that has run: mirrors the to-do list, binds a sub-agent to the run that it started, and delivers
/// unread messages.
pub(super) fn after_tool(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    sender: &mut ReplySender<'_>,
) -> Result<HookReply, AppError> {
    if let Some(agent) = &call.agent {
        let began = subagent::bind(store, ctx, call, session, agent)?;
        let missed = subagent::missed_step(store, ctx, call, session)?;
        return Ok(HookReply {
            // The tool that started the run has already printed the step.
            context: missed.filter(|_| !began),
            ..HookReply::default()
        });
    }
    if call.tool.tool() == Tool::AskUser && !call.tool.said().trim().is_empty() {
        let row = user_input::row_with_input(store, ctx, call, session)?;
        store.keep_session(&row)?;
    }
    if let Some(change) = call.todo_update() {
        todos::mirror_todos(store, ctx, call, session, &change)?;
    }
    background::note_launch(store, ctx, call, session)?;
    let returned = if awaits_subagent(&call.tool.name) {
        subagent::subagent_returned(store, ctx, session)?
    } else {
        None
    };
    Ok(HookReply {
        context: missed_text(store, ctx, call, session, returned, sender)?,
        ..HookReply::default()
    })
}

/// Files that an agent may always write, and files that it must not change.
fn territory(ctx: &Context, runs: &[RunRow]) -> AgentPaths {
    let text = |path: &Path| without_dots(path).to_string_lossy().into_owned();
    let below = [&ctx.root, &ctx.directory, &ctx.home]
        .into_iter()
        .flat_map(|folder| {
            let files = settings_files().flat_map(|settings| settings.files);
            files.map(move |file| folder.join(file))
        });
    let moved = settings_files().filter_map(|settings| {
        let (variable, files) = settings.moved?;
        let folder = std::env::var_os(variable).filter(|value| !value.is_empty())?;
        let folder = ctx.directory.join(folder);
        Some(files.iter().map(move |file| folder.join(file)))
    });
    let managed = settings_files()
        .flat_map(|settings| settings.managed)
        .map(PathBuf::from);
    let settings = below.chain(moved.flatten()).chain(managed);
    // Include the path in the client's settings and the path to which it resolves.
    let called = std::env::args_os().next().map(PathBuf::from);
    let program = called.into_iter().chain(std::env::current_exe().ok());
    let program = program.filter(|path| path.is_absolute());
    AgentPaths {
        directory: text(&ctx.directory),
        root: text(&ctx.root),
        store: text(&ctx.bugle_home),
        results: runs.iter().map(|run| text(&ctx.work_folder(&run.id))).collect(),
        scratch: text(&std::env::temp_dir()),
        settings: settings.map(|path| text(&path)).collect(),
        program: program.map(|path| text(&path)).collect(),
    }
}

/// The value of an environment variable, if it is the same in the client's shell as in this process.
fn reliable_variable(ctx: &Context, name: &str) -> Option<String> {
    let path = match name {
        "HOME" => ctx.home.clone(),
        "PWD" => PathBuf::from("."),
        _ if matches!(name, "TMPDIR" | "BUGLE_HOME") || is_path_variable(name) => {
            std::env::var_os(name).filter(|value| !value.is_empty())?.into()
        }
        _ => return None,
    };
    Some(path.to_string_lossy().into_owned())
}

/// A path without `.` and `..`, so that the path cannot leave its folder unnoticed. Does not resolve links, because
/// the file may not exist.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_dots_cannot_leave_its_folder() {
        assert_eq!(without_dots(Path::new("/a/b/../../c/./d")), Path::new("/c/d"));
        assert_eq!(without_dots(Path::new("/../x")), Path::new("/x"));
    }
}
