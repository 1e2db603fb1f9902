//! The command lines that start a client without a terminal, resume a session, or open a session for the user.
//!
//! The client reads the prompt from stdin, so the prompt can have any length and appears in no process list.

use std::path::Path;

use bugle_core::agent::Access;

use crate::Client;

/// The session that a process opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session<'a> {
    /// A new session, with an id that the client chooses.
    New,
    /// A new session with this id, if the client accepts one.
    NewWithId(&'a str),
    /// An earlier session.
    Resumed(&'a str),
}

/// Options for starting a client.
#[derive(Debug, Clone, Copy)]
pub struct LaunchOptions<'a> {
    /// The session.
    pub session: Session<'a>,
    /// The model, if not the client's default.
    pub model: Option<&'a str>,
    /// Extra arguments that the user passed.
    pub arguments: &'a [String],
}

/// What an agent needs to use Bugle, whatever its access.
#[derive(Debug, Clone, Copy)]
pub struct BugleAccess<'a> {
    /// The first word of the commands that Bugle prints: `bugle` or a path.
    pub program: &'a str,
    /// Bugle's home folder. Agents write their results to its subfolder `work`.
    pub home: &'a Path,
}

/// The arguments that grant an access level.
pub(crate) struct AccessArguments {
    /// The option for access.
    pub option: &'static str,
    /// The option's values for read, write and full access.
    pub values: [&'static str; 3],
    /// Further arguments, without which the client would keep the agent from using Bugle: from running its commands,
    /// calling its MCP tools, or writing to its home folder.
    pub bugle: fn(Access, &BugleAccess<'_>) -> Vec<String>,
}

/// The command line of a client.
pub(crate) struct CommandLine {
    /// Runs without a terminal: reads the prompt from stdin and prints lines of JSON.
    pub run: &'static [&'static str],
    /// The option that chooses the id of a new session.
    pub new_session: Option<&'static str>,
    /// The argument before the id of a session to resume.
    pub resume: &'static str,
    /// Arguments that must come last.
    pub last: &'static [&'static str],
    /// The arguments for access; `None` for a client that reads access only from its settings.
    pub access: Option<AccessArguments>,
}

impl Client {
    /// The arguments that grant an access level and let the agent use Bugle; `None` for a client that reads access only
    /// from its settings.
    pub fn access_arguments(self, access: Access, bugle: &BugleAccess<'_>) -> Option<Vec<String>> {
        let arguments = self.facts().command_line.access.as_ref()?;
        let [read, write, full] = arguments.values;
        let value = match access {
            Access::Read => read,
            Access::Write => write,
            Access::Full => full,
        };
        let words = [arguments.option, value].map(str::to_owned);
        Some(
            words
                .into_iter()
                .chain((arguments.bugle)(access, bugle))
                .collect(),
        )
    }

    /// Whether the client accepts an id for a new session.
    pub fn takes_session_id(self) -> bool {
        self.facts().command_line.new_session.is_some()
    }

    /// The command that runs the client without a terminal.
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

    /// The command that opens a session for the user at a terminal.
    pub fn attach_command(self, session: &str) -> Vec<String> {
        let words = [self.as_str(), self.facts().command_line.resume, session];
        words.map(str::to_owned).to_vec()
    }
}
