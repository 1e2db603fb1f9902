//! Judges the integration with a client from what was observed.

/// A hook that takes longer than this is slow, in milliseconds.
pub const SLOW_HOOK_MILLISECONDS: u64 = 1000;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Well,
    /// It may be fine; a person has to look.
    Unsure,
    /// It has to be fixed.
    Wrong,
}

/// A kind of what setup writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// Hooks, or the plugin that stands for them.
    Hooks,
    /// The MCP server.
    Server,
    /// Skills.
    Skills,
    /// Agents.
    Agents,
}

/// Whether the client trusts the hooks, and so runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user has trusted all of them as they are.
    Trusted,
    /// Some are skipped.
    Untrusted {
        /// How many.
        skipped: usize,
        /// Of how many.
        all: usize,
    },
    /// The files of the client do not say.
    Unknown,
}

/// What became of a tool that had to be denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The client was told to deny it.
    Held,
    /// It was told nothing of the kind.
    LetThrough,
    /// It could not be tried, and why.
    Untried(String),
}

/// What was seen of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSeen {
    /// There is none yet.
    Absent,
    /// It is what its events say.
    Sound {
        /// How many runs it has.
        runs: u64,
        /// How many tasks.
        tasks: u64,
    },
    /// It is not.
    Faulty {
        /// The first fault.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// It cannot be opened, and why.
    Unusable(String),
}

/// Something that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The version of a client; nothing if the client is not on the `PATH`.
    Version(Option<String>),
    /// A client that is there, but not set up; and whether the user asked for this one.
    NotSetUp {
        /// Whether the user asked for it.
        asked_for: bool,
    },
    /// A file of the client that cannot be read, and why.
    Unreadable(String),
    /// What setup has written.
    Entries {
        /// Of which kind.
        kind: EntryKind,
        /// How many are as they should be.
        right: usize,
        /// What is wrong with the others.
        wrong: Vec<String>,
        /// How many are not Bugle's.
        foreign: usize,
    },
    /// A file of settings turns all hooks off.
    HooksOff(String),
    /// Whether the client trusts the hooks, and so runs them.
    Trust(Trust),
    /// Whether the client trusts the project, and so reads its settings; nothing if its files do not say.
    ProjectTrusted(Option<bool>),
    /// A hook was called as the client calls it: how many milliseconds it took, or why there was no answer.
    Answer(Result<u64, String>),
    /// A tool was used that had to be denied.
    Denial(Denial),
    /// The MCP server was started as the client starts it: how many tools it has, or why there was no answer.
    Server(Result<usize, String>),
    /// The store.
    Store(StoreSeen),
    /// What a login shell finds under Bugle's name.
    Shell {
        /// What it finds.
        finds: ShellFinds,
        /// Whether agents of a client that is set up call Bugle in one.
        needed: bool,
    },
    /// Faults of hooks in the last day: how many, and the last of them.
    Faults {
        /// How many.
        count: usize,
        /// The last.
        last: String,
    },
}

/// What a login shell finds under Bugle's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellFinds {
    /// This program.
    This,
    /// Another program.
    Other(String),
    /// None.
    Nothing,
    /// It could not be asked, and why.
    Unknown(String),
}

impl Seen {
    /// How it stands.
    pub fn health(&self) -> Health {
        match self {
            Self::Version(Some(_))
            | Self::Trust(Trust::Trusted)
            | Self::ProjectTrusted(Some(true))
            | Self::Denial(Denial::Held)
            | Self::Store(StoreSeen::Absent | StoreSeen::Sound { .. })
            | Self::Shell {
                finds: ShellFinds::This,
                ..
            } => Health::Well,
            Self::Entries { wrong, .. } if wrong.is_empty() => Health::Well,
            Self::Answer(Ok(milliseconds)) if *milliseconds < SLOW_HOOK_MILLISECONDS => Health::Well,
            // A server without tools is a server that an agent cannot use.
            Self::Server(Ok(tools)) if *tools > 0 => Health::Well,
            Self::Version(None)
            | Self::NotSetUp { asked_for: false }
            | Self::Trust(Trust::Unknown)
            | Self::ProjectTrusted(None)
            | Self::Answer(Ok(_))
            | Self::Shell { needed: false, .. }
            | Self::Shell {
                finds: ShellFinds::Other(_) | ShellFinds::Unknown(_),
                ..
            }
            | Self::Faults { .. } => Health::Unsure,
            Self::NotSetUp { asked_for: true }
            | Self::Unreadable(_)
            | Self::Entries { .. }
            | Self::HooksOff(_)
            | Self::Trust(Trust::Untrusted { .. })
            | Self::ProjectTrusted(Some(false))
            | Self::Answer(Err(_))
            | Self::Denial(Denial::LetThrough | Denial::Untried(_))
            | Self::Server(_)
            | Self::Store(StoreSeen::Faulty { .. } | StoreSeen::Unusable(_))
            | Self::Shell { .. } => Health::Wrong,
        }
    }
}

/// Whether a client runs the hooks, from those that it should run (by what the client calls each, with the hash that it
/// has now, if that can be told) and those that were trusted.
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
    fn hooks_are_trusted_as_they_are_or_not_at_all() {
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
    fn a_denial_that_does_not_hold_and_a_hook_that_does_not_answer_are_wrong() {
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
        assert_eq!(Seen::Version(None).health(), Health::Unsure);
    }
}
