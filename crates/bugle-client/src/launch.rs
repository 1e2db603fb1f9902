//! How clients are started without a terminal, resumed, and opened for a person.
//!
//! The prompt comes on standard input, so it can have any length and is in no process list.

use crate::Client;

/// Which session a process works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session<'a> {
    /// A new one, whose id the client makes up.
    New,
    /// A new one with this id, if the client accepts one.
    NewWithId(&'a str),
    /// This one, as far as it has come.
    Resumed(&'a str),
}

/// How a client is started.
#[derive(Debug, Clone, Copy)]
pub struct LaunchOptions<'a> {
    /// In which session.
    pub session: Session<'a>,
    /// With which model, if not the client's default.
    pub model: Option<&'a str>,
    /// More arguments, from the user.
    pub arguments: &'a [String],
}

/// What an agent's tools may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Read, and write in its folder.
    Write,
    /// Everything.
    Full,
}

/// The command line of a client.
pub(crate) struct CommandLine {
    /// Runs without a terminal: reads the prompt from standard input and prints lines of JSON.
    pub run: &'static [&'static str],
    /// The option that chooses the id of a new session.
    pub new_session: Option<&'static str>,
    /// The word before the id of a session to resume.
    pub resume: &'static str,
    /// The last words of a run.
    pub last: &'static [&'static str],
    /// The option for access, and its values for reading, writing and everything.
    pub access: Option<(&'static str, [&'static str; 3])>,
}

impl Access {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Full];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Full => "full",
        }
    }

    /// The one with this word.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.as_str() == name)
    }

    /// The arguments that grant it; nothing for a client that reads it from its settings only.
    pub fn words(self, client: Client) -> Option<[&'static str; 2]> {
        let (option, [read, write, full]) = client.facts().command_line.access?;
        let value = match self {
            Self::Read => read,
            Self::Write => write,
            Self::Full => full,
        };
        Some([option, value])
    }
}

impl Client {
    /// Whether the id of a new session can be chosen.
    pub fn takes_session_id(self) -> bool {
        self.facts().command_line.new_session.is_some()
    }

    /// The command that runs it without a terminal.
    pub fn run_command(self, options: &LaunchOptions<'_>) -> Vec<String> {
        let line = &self.facts().command_line;
        let mut words: Vec<&str> = vec![self.as_str()];
        words.extend(line.run);
        if let Some(model) = options.model {
            words.extend(["--model", model]);
        }
        words.extend(options.arguments.iter().map(String::as_str));
        match options.session {
            Session::New => {}
            Session::NewWithId(id) => words.extend(line.new_session.iter().flat_map(|option| [*option, id])),
            Session::Resumed(id) => words.extend([line.resume, id]),
        }
        words.extend(line.last);
        words.into_iter().map(str::to_owned).collect()
    }

    /// The command that opens a session for a person at a terminal.
    pub fn attach_command(self, session: &str) -> Vec<String> {
        let words = [self.as_str(), self.facts().command_line.resume, session];
        words.map(str::to_owned).to_vec()
    }
}
