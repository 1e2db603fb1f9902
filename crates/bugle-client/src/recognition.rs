//! Recognises clients by the environment variables and program names of their processes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Client;
use crate::facts::{Recognition, ToolMark};
use crate::hook::LackingCalls;
use crate::others::OTHERS;
pub use crate::session_names::{SESSION, SESSION_ARGUMENT};

fn known() -> impl Iterator<Item = &'static Recognition> {
    Client::ALL.into_iter().map(|client| &client.facts().recognition)
}

fn all() -> impl Iterator<Item = &'static Recognition> {
    known().chain(OTHERS.iter())
}

/// The environment variables that contain a command's session.
pub fn session_variables() -> impl Iterator<Item = &'static str> {
    let own = known().filter_map(|client| client.command_session);
    std::iter::once(SESSION).chain(own.filter(|name| *name != SESSION))
}

/// The client that passes this session to the commands of its agents.
pub fn client_of_session(session: &str, variables: &dyn Fn(&str) -> Option<OsString>) -> Option<Client> {
    let names = |client: &Client| {
        let name = client.facts().recognition.command_session;
        name.and_then(variables).is_some_and(|value| value == session)
    };
    Client::ALL.into_iter().find(names)
}

/// The environment `variables`, with `session` as the only session, or with no session if `session` is `None`.
pub fn in_session<'a>(
    session: Option<&'a str>,
    variables: &'a dyn Fn(&str) -> Option<OsString>,
) -> impl Fn(&str) -> Option<OsString> + 'a {
    move |name| match session_variables().position(|known| known == name) {
        Some(place) => session.filter(|_| place == 0).map(OsString::from),
        None => variables(name),
    }
}

/// The environment variables in which clients pass their project's folder to the servers that they start.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    known().filter_map(|client| client.project_folder)
}

/// The environment variables that clients set in their agents' commands, in addition to the session or instead of it.
pub fn command_marks() -> impl Iterator<Item = &'static str> {
    all().flat_map(|client| client.command_marks.iter().copied())
}

/// Environment variables that describe a client to its own processes. Their values are wrong in another client's
/// processes.
pub fn own_variables() -> impl Iterator<Item = &'static str> {
    std::iter::once(SESSION).chain(known().flat_map(|client| client.own_variables.iter().copied()))
}

/// Environment variables set by clients that also run other clients' hooks.
pub fn hook_marks() -> impl Iterator<Item = &'static str> {
    all().flat_map(|client| client.hook_session.into_iter().chain(client.hook_mark))
}

/// Whether these are the environment variables of a client whose MCP calls get their session from Bugle's hooks.
pub fn passes_session_as_argument(has: &dyn Fn(&str) -> bool) -> bool {
    Client::ALL.into_iter().any(|client| {
        let facts = client.facts();
        let mut marks = facts.recognition.command_marks.iter();
        let lacking = facts.hooks.gaps.lacks_session.as_ref();
        lacking.is_some_and(|lacking| lacking.calls != LackingCalls::SubagentCommands)
            && marks.any(|mark| has(mark))
    })
}

/// The hints for a command that cannot use the store because it runs in a client's sandbox; `None` outside sandboxes. `is_set`
/// is whether an environment variable is set.
pub fn sandbox_hints(is_set: impl Fn(&str) -> bool) -> Option<&'static [&'static str]> {
    let client = known().find(|client| client.sandbox.iter().any(|name| is_set(name)))?;
    Some(client.sandbox_hints)
}

/// Whether an environment variable contains a path that is the same in a client's shell as in its hooks.
pub fn is_path_variable(name: &str) -> bool {
    known().any(|client| client.path_variables.contains(&name))
}

/// Whether a program is a client, judged by its name without folder and extension.
pub fn is_client_program(name: &str) -> bool {
    all().any(|client| client.program == Some(name))
}

/// The client's program whose script is in a folder with this name.
pub fn program_of_package(folder: &str) -> Option<&'static str> {
    all().find(|client| client.package == Some(folder))?.program
}

/// Whether an agent's tool, not the client, started a process with these environment variables. `program` is the client.
pub fn started_by_tool(program: Option<&str>, has: &dyn Fn(&str) -> bool) -> bool {
    let client = Client::ALL
        .into_iter()
        .find(|client| program.is_some() && client.facts().recognition.program == program);
    match client.map(|client| (client, &client.facts().recognition.tool_mark)) {
        Some((client, ToolMark::With(_) | ToolMark::Without(_))) => client.is_called_by_tool(has),
        Some((_, ToolMark::None)) | None => command_marks().any(has),
    }
}

/// The client that calls a hook. It may differ from the client that the hook was written for. `None` if Bugle cannot
/// answer the caller.
///
/// A client that is started inside another client inherits that client's variables. So a session variable counts only
/// if its value is the session of this call. Other marker variables count only if no session variable counts.
pub fn caller(
    written_for: Client,
    session: Option<&str>,
    variables: &dyn Fn(&str) -> Option<String>,
) -> Option<Client> {
    let is_session = |name: &str| session.is_some() && variables(name).as_deref() == session;
    let by_session = Client::ALL.into_iter().find(|client| {
        let recognition = &client.facts().recognition;
        let named = [recognition.command_session, recognition.hook_session];
        named.into_iter().flatten().any(is_session)
    });
    if by_session.is_some() {
        return by_session;
    }
    // Only Claude Code's settings are read by other clients.
    if written_for != Client::Claude {
        return Some(written_for);
    }
    let is_marked = |recognition: &Recognition| {
        let value = recognition.hook_mark.and_then(variables);
        value.is_some_and(|value| !value.is_empty())
    };
    let by_mark = Client::ALL
        .into_iter()
        .find(|client| is_marked(&client.facts().recognition));
    by_mark.or_else(|| (!OTHERS.iter().any(is_marked)).then_some(written_for))
}

/// Whether a client also calls a hook that was written for the client itself, or one with precedence. Only one of them
/// may answer.
pub fn is_repeated(
    called_by: Client,
    written_for: Client,
    variables: &dyn Fn(&str) -> Option<String>,
    exists: &dyn Fn(&Path) -> bool,
) -> bool {
    let Some(own) = &called_by.facts().recognition.own_hooks else {
        return false;
    };
    let folder = |name: &str| {
        variables(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let (moved, usual, file) = own.user;
    let user = folder(moved).or_else(|| Some(folder("HOME")?.join(usual)));
    let user = user.map(|folder| folder.join(file));
    let project = folder(own.project.0).map(|folder| folder.join(own.project.1));
    let is_there = |file: &Option<PathBuf>| file.as_deref().is_some_and(exists);
    if called_by != written_for {
        return is_there(&user) || is_there(&project);
    }
    let called_from = own.called_from.and_then(folder);
    let in_project =
        called_from.is_some() && called_from.as_deref() == project.as_deref().and_then(Path::parent);
    in_project && user != project && is_there(&user)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(written_for: Client, variables: &[(&str, &str)]) -> Option<Client> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        caller(written_for, Some("s-1"), &variable)
    }

    #[test]
    fn a_client_is_recognised_by_its_own_session() {
        assert_eq!(called(Client::Claude, &[]), Some(Client::Claude));
        for (mark, client) in [
            ("GEMINI_SESSION_ID", Client::Gemini),
            ("GROK_SESSION_ID", Client::Grok),
            ("QWEN_CODE_SESSION_ID", Client::Qwen),
        ] {
            assert_eq!(called(Client::Claude, &[(mark, "s-1")]), Some(client), "{mark}");
            assert_eq!(
                called(Client::Claude, &[(mark, "s-2")]),
                Some(Client::Claude),
                "{mark}"
            );
        }
        for (mark, client) in [("COPILOT_CLI", Some(Client::Copilot)), ("CURSOR_VERSION", None)] {
            assert_eq!(called(Client::Claude, &[(mark, "1")]), client, "{mark}");
            assert_eq!(
                called(Client::Codex, &[(mark, "1")]),
                Some(Client::Codex),
                "{mark}"
            );
        }
    }

    #[test]
    fn only_one_of_the_hooks_that_a_client_calls_answers() {
        let (user, project) = (
            "/users/.copilot/hooks/bugle.json",
            "/work/.github/hooks/bugle.json",
        );
        let repeated = |written_for, from: Option<&str>, files: &[&str]| {
            let variables = |name: &str| match name {
                "HOME" => Some("/users".to_owned()),
                "COPILOT_PROJECT_DIR" => Some("/work".to_owned()),
                "COPILOT_HOOK_DIR" => from.map(str::to_owned),
                _ => None,
            };
            let exists = |path: &Path| files.iter().any(|file| Path::new(file) == path);
            is_repeated(Client::Copilot, written_for, &variables, &exists)
        };
        assert!(!repeated(Client::Claude, None, &[]), "only Claude Code is set up");
        assert!(repeated(Client::Claude, None, &[user]));
        assert!(repeated(Client::Claude, None, &[project]));
        let (from_user, from_project) = (Some("/users/.copilot/hooks"), Some("/work/.github/hooks"));
        assert!(!repeated(Client::Copilot, from_project, &[project]));
        assert!(repeated(Client::Copilot, from_project, &[user, project]));
        assert!(!repeated(Client::Copilot, from_user, &[user, project]));
    }

    #[test]
    fn an_environment_can_name_another_session() {
        let environment = |name: &str| Some(OsString::from(format!("the {name} around")));
        let named = |session: Option<&str>| -> Vec<OsString> {
            let inside = in_session(session, &environment);
            session_variables().filter_map(inside).collect()
        };
        assert_eq!(named(Some("s-1")), ["s-1"]);
        assert!(named(None).is_empty());
        assert_eq!(
            in_session(None, &environment)("HOME"),
            Some(OsString::from("the HOME around"))
        );
    }

    #[test]
    fn a_client_inside_another_client_is_recognised_as_itself() {
        let inside = [("COPILOT_CLI", "1"), ("CLAUDE_CODE_SESSION_ID", "s-1")];
        assert_eq!(called(Client::Claude, &inside), Some(Client::Claude));
        let outside = [("COPILOT_CLI", "1"), ("CLAUDE_CODE_SESSION_ID", "s-0")];
        assert_eq!(
            called(Client::Claude, &outside),
            Some(Client::Copilot),
            "Copilot inside Claude Code"
        );
    }
}
