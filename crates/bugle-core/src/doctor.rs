//! Rates a client's integration from observations.

/// A hook that takes longer than this many milliseconds is slow.
pub const SLOW_HOOK_MILLISECONDS: u64 = 1000;

/// How an observation is rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Correct.
    Well,
    /// Possibly fine; a person should check.
    Unsure,
    /// Must be fixed.
    Wrong,
}

/// A kind of entry that setup creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// Hooks, or the plugin that replaces them.
    Hooks,
    /// The MCP server.
    Server,
    /// Skills.
    Skills,
    /// Agents.
    Agents,
    /// The client's sandbox: rules and permissions that let Bugle write its store.
    Sandbox,
}

/// Whether the client trusts the hooks. The client runs only trusted hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user trusts the current version of every hook.
    Trusted,
    /// The client skips some of the hooks.
    Untrusted {
        /// The number of skipped hooks.
        skipped: usize,
        /// The number of hooks.
        all: usize,
    },
    /// The client's files do not show whether the client trusts the hooks.
    Unknown,
}

/// The outcome of a test call that the hook must deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The hook denied the call.
    Held,
    /// The hook denied the call for a known session. Because the client's agents do not pass their session to Bugle,
    /// no real call is denied.
    OnlyInTest,
    /// The hook did not deny the call.
    LetThrough,
    /// The call could not be tested, for this reason.
    Untried(String),
}

/// The state of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSeen {
    /// There is no store yet.
    Absent,
    /// The store matches its events.
    Sound {
        /// The number of runs.
        runs: u64,
        /// The number of tasks.
        tasks: u64,
    },
    /// The store does not match its events.
    Faulty {
        /// The first error.
        first: String,
        /// The number of errors.
        count: usize,
    },
    /// The store cannot be opened.
    Unusable {
        /// The reason.
        why: String,
        /// The fix; `None` if only a check of the store can find it.
        remedy: Option<String>,
    },
}

/// An observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The client's version.
    Version(String),
    /// A client whose program is not on the `PATH`.
    NoProgram {
        /// The name of the program.
        name: String,
        /// Whether the client is set up.
        is_set_up: bool,
    },
    /// A client that is installed but not set up.
    NotSetUp {
        /// Whether the user named this client.
        asked_for: bool,
    },
    /// A client file that cannot be read, and why.
    Unreadable(String),
    /// Entries that setup created.
    Entries {
        /// The entries' kind.
        kind: EntryKind,
        /// The number of correct entries.
        right: usize,
        /// The problems with the other entries.
        wrong: Vec<String>,
        /// The files that the user has edited, and that setup keeps.
        edited: Vec<String>,
        /// The number of entries that do not belong to Bugle.
        foreign: usize,
    },
    /// A settings file that disables all hooks.
    HooksOff(String),
    /// Whether the client trusts the hooks. The client runs only trusted hooks.
    Trust(Trust),
    /// Whether the client trusts the project and reads the project's settings.
    ProjectTrust {
        /// Whether the client trusts the project; `None` if unknown.
        is_trusted: Option<bool>,
        /// The client's name.
        client: &'static str,
        /// The command that asks the user to trust the project.
        start: &'static str,
    },
    /// The result of calling a hook as the client does: the duration in milliseconds, or an error.
    Answer(Result<u64, String>),
    /// A tool call that must be denied.
    Denial(Denial),
    /// The result of starting the MCP server as the client does: the number of tools, or an error.
    Server(Result<usize, String>),
    /// The store.
    Store(StoreSeen),
    /// The time to connect to the store's server and read one row, in microseconds: directly and through a pooler.
    Connection {
        /// The time without a pooler, if the server's address is known.
        direct: Option<u64>,
        /// The time with a pooler, if there is one.
        pooled: Option<u64>,
    },
    /// The program that a login shell runs as `bugle`.
    Shell {
        /// The program.
        finds: ShellFinds,
        /// Whether agents of a configured client call Bugle through a login shell.
        needed: bool,
    },
    /// A settings file with an error, as a sentence.
    Settings(String),
    /// Hook errors in the last day.
    HookErrors {
        /// The number of errors.
        count: usize,
        /// The most recent error.
        last: String,
    },
}

/// The program that a login shell runs as `bugle`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellFinds {
    /// This program.
    This,
    /// Another program.
    Other(String),
    /// No program.
    Nothing,
    /// The shell did not answer, for this reason.
    Unknown(String),
}

impl Seen {
    /// The rating.
    pub fn health(&self) -> Health {
        match self {
            Self::Version(_)
            | Self::Trust(Trust::Trusted)
            | Self::ProjectTrust {
                is_trusted: Some(true),
                ..
            }
            | Self::Denial(Denial::Held)
            | Self::Store(StoreSeen::Absent | StoreSeen::Sound { .. })
            | Self::Connection { .. }
            | Self::Shell {
                finds: ShellFinds::This,
                ..
            } => Health::Well,
            Self::Entries { wrong, .. } if wrong.is_empty() => Health::Well,
            Self::Answer(Ok(milliseconds)) if *milliseconds < SLOW_HOOK_MILLISECONDS => Health::Well,
            // An agent cannot use a server that offers no tools.
            Self::Server(Ok(tools)) if *tools > 0 => Health::Well,
            Self::NoProgram { is_set_up: false, .. }
            | Self::NotSetUp { asked_for: false }
            | Self::Trust(Trust::Unknown)
            | Self::ProjectTrust { is_trusted: None, .. }
            | Self::Answer(Ok(_))
            | Self::Denial(Denial::OnlyInTest)
            | Self::Shell { needed: false, .. }
            | Self::Shell {
                finds: ShellFinds::Other(_) | ShellFinds::Unknown(_),
                ..
            }
            | Self::HookErrors { .. } => Health::Unsure,
            Self::NotSetUp { asked_for: true }
            | Self::NoProgram { is_set_up: true, .. }
            | Self::Settings(_)
            | Self::Unreadable(_)
            | Self::Entries { .. }
            | Self::HooksOff(_)
            | Self::Trust(Trust::Untrusted { .. })
            | Self::ProjectTrust {
                is_trusted: Some(false),
                ..
            }
            | Self::Answer(Err(_))
            | Self::Denial(Denial::LetThrough | Denial::Untried(_))
            | Self::Server(_)
            | Self::Store(StoreSeen::Faulty { .. } | StoreSeen::Unusable { .. })
            | Self::Shell { .. } => Health::Wrong,
        }
    }
}

/// Whether a client runs its hooks. `hooks` contains the client's key for each hook and the current hash, if known;
/// `trusted` returns the hash that the user trusted.
pub fn trust<'a>(hooks: &[(String, Option<String>)], trusted: impl Fn(&str) -> Option<&'a str>) -> Trust {
    let mut skipped = 0;
    let mut unknown = 0;
    for (key, hash) in hooks {
        match (trusted(key), hash) {
            (Some(was), Some(is)) if was == is => {}
            (Some(_), None) => unknown += 1,
            _ => skipped += 1,
        }
    }
    match (skipped, unknown) {
        (0, 0) if !hooks.is_empty() => Trust::Trusted,
        (0, _) => Trust::Unknown,
        _ => Trust::Untrusted {
            skipped,
            all: hooks.len(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks(hashes: &[Option<&str>]) -> Vec<(String, Option<String>)> {
        (0..)
            .zip(hashes)
            .map(|(number, hash)| (format!("hook:{number}"), hash.map(str::to_owned)))
            .collect()
    }

    #[test]
    fn a_changed_hook_is_not_trusted() {
        let all_a = |_: &str| Some("a");
        assert_eq!(trust(&hooks(&[Some("a"), Some("a")]), all_a), Trust::Trusted);
        let changed = Trust::Untrusted { skipped: 1, all: 2 };
        assert_eq!(trust(&hooks(&[Some("a"), Some("b")]), all_a), changed);
        let never = Trust::Untrusted { skipped: 2, all: 2 };
        assert_eq!(trust(&hooks(&[Some("a"), None]), |_| None), never);
        assert_eq!(trust(&hooks(&[Some("a"), None]), all_a), Trust::Unknown);
        assert_eq!(trust(&[], all_a), Trust::Unknown);
    }

    #[test]
    fn an_allowed_call_and_a_silent_hook_are_wrong() {
        for seen in [
            Seen::Denial(Denial::LetThrough),
            Seen::Denial(Denial::Untried("x".to_owned())),
            Seen::Answer(Err("x".to_owned())),
            Seen::Server(Ok(0)),
            Seen::NotSetUp { asked_for: true },
        ] {
            assert_eq!(seen.health(), Health::Wrong, "{seen:?}");
        }
        assert_eq!(Seen::Answer(Ok(SLOW_HOOK_MILLISECONDS)).health(), Health::Unsure);
        assert_eq!(Seen::Answer(Ok(3)).health(), Health::Well);
        for (is_set_up, health) in [(true, Health::Wrong), (false, Health::Unsure)] {
            let name = "claude".to_owned();
            assert_eq!(Seen::NoProgram { name, is_set_up }.health(), health);
        }
    }
}
