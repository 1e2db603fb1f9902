//! Detects an agent by this process's ancestors. An agent can remove a variable from its command's environment, but
//! not from the environment of the shell that the client started.

use bugle_client::Client;
use bugle_client::recognition::command_marks;
use bugle_core::rights::Ancestry;

/// Environment variable that names the agent for which Bugle started the client.
pub(crate) const AGENT_VARIABLE: &str = "BUGLE_AGENT";

/// Environment variables that are set only in an agent's commands.
pub(crate) fn agent_marks() -> impl Iterator<Item = &'static str> {
    command_marks().chain(std::iter::once(AGENT_VARIABLE))
}

/// Inspects this process's ancestors for agents. On systems other than Linux, finds nothing.
pub(crate) fn ancestry() -> Ancestry {
    #[cfg(target_os = "linux")]
    return Ancestry::of(linux::ancestors());
    #[cfg(not(target_os = "linux"))]
    Ancestry::default()
}

/// Whether an agent's tool, not the client, called this hook. Such a call could report a prompt that the user did not
/// type. False on systems other than Linux, or if no ancestor is a client.
pub(crate) fn is_called_by_tool(client: Client) -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_called_by_tool(client);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = client;
        false
    }
}

/// Whether an agent's tool, not the client, started this process. Unlike [`is_called_by_tool`], the client is unknown.
/// False on systems other than Linux, or if no ancestor is a client.
pub(crate) fn is_started_by_tool() -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_started_by_tool();
    #[cfg(not(target_os = "linux"))]
    false
}

/// Whether the nearest client has this variable with this value in its own environment, so that its agents' commands
/// inherit it. False on systems other than Linux, or if no ancestor is a client.
pub(crate) fn is_inherited(variable: &str, value: &str) -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_inherited(variable, value);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (variable, value);
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io::Read as _;
    use std::path::Path;

    use bugle_client::Client;
    use bugle_client::recognition::{
        is_client_program, program_of_package, session_variables, started_by_tool,
    };
    use bugle_core::id::SessionId;
    use bugle_core::rights::ProcessFacts;

    use super::agent_marks;

    /// Maximum number of ancestors to read. A process rarely has more than twenty.
    const MAX_ANCESTORS: usize = 64;
    /// Maximum number of bytes to read from an environment or a command line.
    const MAX_BYTES: u64 = 1024 * 1024;

    pub(super) fn ancestors() -> Vec<ProcessFacts> {
        let mut found = Vec::new();
        let mut process = parent("self");
        while let Some(id) = process.filter(|id| *id > 1 && !is_root_of_tests(*id)) {
            if found.len() == MAX_ANCESTORS {
                break;
            }
            let id = id.to_string();
            found.push(process_facts(&id));
            process = parent(&id);
        }
        found
    }

    /// Whether the nearest client's own environment has this variable with this value.
    pub(super) fn is_inherited(variable: &str, value: &str) -> bool {
        let Some((client, _)) = nearest_client() else {
            return false;
        };
        let environment = read(&client, "environ");
        parts(&environment).any(|pair| pair.split_once('=') == Some((variable, value)))
    }

    /// Whether an agent's tool, not the client, called this hook. A client sets different variables for hooks and
    /// tools, and its direct child process has these variables.
    pub(super) fn is_called_by_tool(client: Client) -> bool {
        clients_child().is_some_and(|(_, environment)| client.is_called_by_tool(&has(&environment)))
    }

    /// Whether an agent's tool, not the client, started this process.
    pub(super) fn is_started_by_tool() -> bool {
        clients_child().is_some_and(|(program, environment)| {
            started_by_tool(program_of(&program).as_deref(), &has(&environment))
        })
    }

    /// The nearest ancestor that is a client, as its command line, and the environment of its child process above this
    /// process.
    fn clients_child() -> Option<(String, String)> {
        let (client, child) = nearest_client()?;
        Some((read(&client, "cmdline"), read(&child, "environ")))
    }

    /// The process of the nearest ancestor that is a client, and that of its child above this process.
    fn nearest_client() -> Option<(String, String)> {
        let mut below = "self".to_owned();
        for _ in 0..MAX_ANCESTORS {
            let above = parent(&below).filter(|id| *id > 1 && !is_root_of_tests(*id))?;
            let above = above.to_string();
            if is_client(&read(&above, "cmdline")) {
                return Some((above, below));
            }
            below = above;
        }
        None
    }

    /// Whether an environment has a variable.
    fn has(environment: &str) -> impl Fn(&str) -> bool {
        |name| parts(environment).any(|pair| pair.split_once('=').is_some_and(|(own, _)| own == name))
    }

    /// Whether the process with this pid runs Bugle's tests. The search for clients ends there, because the tests may
    /// run in an agent's session. Always false in release builds.
    fn is_root_of_tests(id: u32) -> bool {
        cfg!(debug_assertions)
            && std::env::var("BUGLE_TESTED_BY").is_ok_and(|tester| tester == id.to_string())
    }

    fn parent(process: &str) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The program name may contain parentheses.
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(1)?.parse().ok()
    }

    fn process_facts(process: &str) -> ProcessFacts {
        // Another user's environment is unreadable; it counts as empty.
        let environment = read(process, "environ");
        let value = |name: &str| {
            parts(&environment)
                .filter_map(|pair| pair.split_once('='))
                .find(|(own, value)| *own == name && !value.is_empty())
                .map(|(_, value)| value)
        };
        ProcessFacts {
            session: session_variables()
                .find_map(value)
                .map(|session| SessionId(session.to_owned())),
            is_marked: agent_marks().any(|name| value(name).is_some()),
            is_client: is_client(&read(process, "cmdline")),
        }
    }

    fn read(process: &str, what: &str) -> String {
        let mut bytes = Vec::new();
        if let Ok(file) = fs::File::open(format!("/proc/{process}/{what}")) {
            let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn parts(text: &str) -> impl Iterator<Item = &str> {
        text.split('\0').filter(|part| !part.is_empty())
    }

    /// Whether a command line starts a client.
    fn is_client(command_line: &str) -> bool {
        program_of(command_line).is_some()
    }

    /// The client that a command line starts, judged by its program or by the script that an interpreter runs.
    fn program_of(command_line: &str) -> Option<String> {
        let stem = |word: &str| Some(Path::new(word).file_stem()?.to_str()?.to_owned());
        let named = |word: &str| stem(word).filter(|name| is_client_program(name));
        let mut arguments = parts(command_line);
        let program = arguments.next().unwrap_or_default();
        let interpreters = ["node", "bun", "deno"];
        let is_interpreter = stem(program).is_some_and(|name| interpreters.contains(&name.as_str()));
        let script = arguments.find(|word| is_interpreter && !word.starts_with('-'));
        let packaged = |word: &str| {
            let folder = Path::new(word).parent()?.file_name()?.to_str()?;
            program_of_package(folder).map(str::to_owned)
        };
        named(program).or_else(|| script.and_then(|script| named(script).or_else(|| packaged(script))))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_client_is_recognised_by_its_program_or_its_script() {
            for client in [
                "claude\0-p\0",
                "/opt/x/claude\0",
                "node\0--no-warnings\0/usr/bin/gemini\0-p\0",
                "/usr/bin/node\0/x/bin/codex.js\0",
                "/usr/bin/node\0--expose-gc\0/x/@qwen-code/qwen-code/cli.js\0-p\0",
            ] {
                assert!(is_client(client), "{client:?}");
            }
            for other in [
                "",
                "bash\0-c\0claude\0",
                "node\0server.js\0claude\0",
                "node\0/x/other/cli.js\0",
                "vim\0claude\0",
                "claudette\0",
            ] {
                assert!(!is_client(other), "{other:?}");
            }
        }

        #[test]
        fn this_process_has_a_parent() {
            assert!(parent("self").is_some_and(|id| id > 0));
        }
    }
}
