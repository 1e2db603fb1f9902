//! Checks one client: whether its files contain Bugle's entries, and whether these entries work as the client would
//! call them.

use bugle_client::hook::is_denial;
use bugle_client::setup::{Call, Content, EntryName, Holds, Scope};
use bugle_client::{Client, plugin_call};
use bugle_core::doctor::{Denial, EntryKind, Seen};

use super::entries::EntryGroup;
use super::process::{called, run, tools};
use super::scratch::{Scratch, tool_call};
use super::trust::{hook_trust, project_trust};
use super::{MAX_HOOK_TIME, MAX_START_TIME, foreign};
use crate::Context;
use crate::context::VariableSource;
use crate::disabled_hooks::files_with_hooks_off;
use crate::setup::{Inspected, SetupRequest, inspect, invalid_skills};
use crate::store_location::URL_VARIABLE;

/// Checks a client; `None` if the client is not set up.
pub(super) fn check_client(
    ctx: &Context,
    variables: VariableSource<'_>,
    client: Client,
    scope: Scope,
) -> Option<Vec<Seen>> {
    let request = SetupRequest::check(client, scope);
    let files = match inspect(ctx, variables, &request) {
        Ok(files) => files,
        Err(error) => return Some(vec![Seen::Unreadable(error.to_string())]),
    };
    let mut hooks = EntryGroup::new(EntryKind::Hooks);
    let mut server = EntryGroup::new(EntryKind::Server);
    let mut skills = EntryGroup::new(EntryKind::Skills);
    let mut agents = EntryGroup::new(EntryKind::Agents);
    let mut sandbox = EntryGroup::new(EntryKind::Sandbox);
    for file in &files {
        match file.holds {
            Holds::Skill => skills.file(file),
            Holds::Agent => agents.file(file),
            Holds::Plugin => hooks.file(file),
            Holds::Rules => sandbox.file(file),
            Holds::Instructions | Holds::GitExclude => {}
            Holds::Hooks
            | Holds::HooksAndStatusLine
            | Holds::HooksAndServer
            | Holds::Server
            | Holds::SharedServer => {
                for entry in &file.entries {
                    let group = match entry.name {
                        EntryName::Server => &mut server,
                        EntryName::WritableStore => &mut sandbox,
                        _ => &mut hooks,
                    };
                    group.entry(entry.name, entry.presence);
                }
            }
        }
    }
    if !files.iter().any(Inspected::connects) {
        return None;
    }
    for note in invalid_skills(ctx, variables, &request) {
        skills.problem(&bugle_render::setup::note(&note));
    }
    let mut seen = vec![hooks.seen()];
    let off = files_with_hooks_off(ctx, variables, client);
    seen.extend(off.iter().map(|file| Seen::HooksOff(file.display().to_string())));
    if scope == Scope::Project {
        seen.extend(project_trust(ctx, variables, client));
    }
    seen.extend(hook_trust(ctx, variables, client, &files));
    let event = client.before_tool_event();
    if let Some(call) = files.iter().find_map(|file| hook_call(file, event)) {
        seen.extend(try_hook(ctx, variables, client, &call));
    }
    seen.push(server.seen());
    if let Some(call) = files.iter().find_map(server_call) {
        seen.push(Seen::Server(try_server(ctx, variables, &call)));
    }
    seen.push(skills.seen());
    seen.extend(
        [agents, sandbox]
            .into_iter()
            .filter(|group| group.all > 0)
            .map(EntryGroup::seen),
    );
    Some(seen)
}

/// Calls a hook twice: once for an unknown agent, and once for an agent whose step forbids the edit.
fn try_hook(ctx: &Context, variables: VariableSource<'_>, client: Client, call: &Call) -> [Seen; 2] {
    if let Some(why) = foreign::refused(call, &ctx.root, &ctx.directory) {
        return [Seen::Answer(Err(why.clone())), Seen::Denial(Denial::Untried(why))];
    }
    let mut command = called(call);
    command.current_dir(&ctx.directory);
    let facts = tool_call(client, "bugle-doctor-stranger", &ctx.directory);
    let answer = match run(command, facts.to_string().as_bytes(), MAX_HOOK_TIME) {
        Ok(ran) if ran.code != Some(0) => Err(match ran.code {
            Some(126 | 127) => {
                "the hook did not start: the shell could not find or run the program".to_owned()
            }
            Some(code) => format!("the hook exited with code {code}"),
            None => "a signal killed the hook".to_owned(),
        }),
        Ok(ran) if !ran.out.trim().is_empty() => Err("the hook printed unexpected output".to_owned()),
        Ok(ran) => Ok(u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX)),
        Err(why) => Err(why),
    };
    let denial = Scratch::new(ctx, variables)
        .map_err(|error| error.to_string())
        .and_then(|scratch| {
            let mut command = called(call);
            command
                .current_dir(scratch.project())
                .env("BUGLE_HOME", scratch.home())
                .env_remove(URL_VARIABLE);
            let facts = scratch.forbidden(client).to_string();
            run(command, facts.as_bytes(), MAX_HOOK_TIME)
        });
    let denial = match denial {
        Ok(ran) if is_denial(client, &ran.out) => {
            if client.commands_know_their_session() {
                Denial::Held
            } else {
                Denial::OnlyInTest
            }
        }
        Ok(_) => Denial::LetThrough,
        Err(why) => Denial::Untried(why),
    };
    [Seen::Answer(answer), Seen::Denial(denial)]
}

/// Starts the MCP server and counts its tools. Uses a temporary store, because the server creates a missing store.
fn try_server(ctx: &Context, variables: VariableSource<'_>, call: &Call) -> Result<usize, String> {
    if let Some(why) = foreign::refused(call, &ctx.root, &ctx.directory) {
        return Err(why);
    }
    let scratch = Scratch::new(ctx, variables).map_err(|error| error.to_string())?;
    let mut command = called(call);
    command
        .current_dir(scratch.project())
        .env("BUGLE_HOME", scratch.home())
        .env_remove(URL_VARIABLE);
    tools(command, MAX_START_TIME)
}

fn hook_call(file: &Inspected, event: &str) -> Option<Call> {
    let text = file.text.as_deref()?;
    match &file.content {
        Some(Content::Settings(settings)) => settings.hook_call(text, event),
        None if file.holds == Holds::Plugin => plugin_call(text, event),
        _ => None,
    }
}

fn server_call(file: &Inspected) -> Option<Call> {
    let text = file.text.as_deref()?;
    file.content.as_ref()?.server_call(text)
}
