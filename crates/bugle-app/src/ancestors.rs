//! What the processes above this one show about who runs it. An agent can take a variable out of its command's environment,
//! but not out of the environment of the shell that its client started.

use bugle_core::rights::Ancestry;
use bugle_wire::setup::Client;

/// What the ancestors of this process show; nothing where the system does not tell.
pub(crate) fn look() -> Ancestry {
    #[cfg(target_os = "linux")]
    return Ancestry::of(linux::ancestors());
    #[cfg(not(target_os = "linux"))]
    Ancestry::default()
}

/// Whether a hook was called by an agent's tool and not by the client: it would tell of a prompt that nobody typed. Where the
/// system does not tell, or no client is above, it was not.
pub(crate) fn is_called_by_tool(client: Client) -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_called_by_tool(client);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = client;
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io::Read as _;
    use std::path::Path;

    use bugle_core::id::SessionId;
    use bugle_core::rights::Shown;
    use bugle_wire::setup::Client;

    use crate::place::{CLIENT_MARKS, SESSION_VARIABLES};

    /// How many ancestors are looked at. A chain of processes is seldom longer than twenty.
    const MOST: usize = 64;
    /// How much of an environment or a command line is read.
    const MOST_BYTES: u64 = 1024 * 1024;
    /// The names of clients' programs.
    const CLIENTS: [&str; 7] = ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "grok"];

    pub(super) fn ancestors() -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut process = parent("self");
        while let Some(id) = process.filter(|id| *id > 1 && !is_root_of_tests(*id)) {
            if shown.len() == MOST {
                break;
            }
            let id = id.to_string();
            shown.push(look_at(&id));
            process = parent(&id);
        }
        shown
    }

    /// Each client gives its hooks and its tools different variables, which the process below the client shows.
    pub(super) fn is_called_by_tool(client: Client) -> bool {
        let mut below = "self".to_owned();
        for _ in 0..MOST {
            let Some(above) = parent(&below).filter(|id| *id > 1 && !is_root_of_tests(*id)) else {
                return false;
            };
            let above = above.to_string();
            if is_client(&read(&above, "cmdline")) {
                let environment = read(&below, "environ");
                let has = |name: &str| {
                    parts(&environment).any(|pair| pair.split_once('=').is_some_and(|(own, _)| own == name))
                };
                return match client {
                    Client::Claude => !has("CLAUDE_PROJECT_DIR"),
                    Client::Codex => has("CODEX_THREAD_ID"),
                    Client::Gemini | Client::Opencode => false,
                };
            }
            below = above;
        }
        false
    }

    /// The tests of Bugle may run in an agent's session themselves: what is above them does not count. A program that is
    /// shipped has no such way out.
    fn is_root_of_tests(id: u32) -> bool {
        cfg!(debug_assertions)
            && std::env::var("BUGLE_TESTED_BY").is_ok_and(|tester| tester == id.to_string())
    }

    fn parent(process: &str) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of a program may hold anything, brackets too.
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(1)?.parse().ok()
    }

    fn look_at(process: &str) -> Shown {
        // What belongs to another user cannot be read, and shows nothing.
        let environment = read(process, "environ");
        let value = |name: &str| {
            parts(&environment)
                .filter_map(|pair| pair.split_once('='))
                .find(|(own, value)| *own == name && !value.is_empty())
                .map(|(_, value)| value)
        };
        Shown {
            session: SESSION_VARIABLES
                .into_iter()
                .find_map(value)
                .map(|session| SessionId(session.to_owned())),
            is_marked: CLIENT_MARKS.into_iter().any(|name| value(name).is_some()),
            is_client: is_client(&read(process, "cmdline")),
        }
    }

    fn read(process: &str, what: &str) -> String {
        let mut bytes = Vec::new();
        if let Ok(file) = fs::File::open(format!("/proc/{process}/{what}")) {
            let _ = file.take(MOST_BYTES).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn parts(text: &str) -> impl Iterator<Item = &str> {
        text.split('\0').filter(|part| !part.is_empty())
    }

    /// Whether a command line is that of a client: by its program, or by the script that an interpreter runs.
    fn is_client(words: &str) -> bool {
        let name = |word: &str| {
            let name = Path::new(word).file_stem()?.to_str()?;
            CLIENTS.into_iter().find(|client| *client == name)
        };
        let mut words = parts(words);
        let program = words.next().unwrap_or_default();
        let interpreters = ["node", "bun", "deno"];
        let is_interpreter = Path::new(program)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .is_some_and(|stem| interpreters.contains(&stem));
        let script = words.find(|word| is_interpreter && !word.starts_with('-'));
        name(program).is_some() || script.and_then(name).is_some()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_client_is_known_by_its_program_or_its_script() {
            for client in [
                "claude\0-p\0",
                "/opt/x/claude\0",
                "node\0--no-warnings\0/usr/bin/gemini\0-p\0",
                "/usr/bin/node\0/x/bin/codex.js\0",
            ] {
                assert!(is_client(client), "{client:?}");
            }
            for other in [
                "",
                "bash\0-c\0claude\0",
                "node\0server.js\0claude\0",
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
