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
    /// The arguments for read, write and full access.
    pub own: [&'static [&'static str]; 3],
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
    pub access: AccessArguments,
    /// The environment variable for access, for a client without options for it. Among the arguments, it is
    /// `NAME=VALUE`.
    pub access_variable: Option<&'static str>,
}

impl Client {
    /// The arguments that grant an access level and let the agent use Bugle.
    pub fn access_arguments(self, access: Access, bugle: &BugleAccess<'_>) -> Vec<String> {
        let arguments = &self.facts().command_line.access;
        let [read, write, full] = arguments.own;
        let own = match access {
            Access::Read => read,
            Access::Write => write,
            Access::Full => full,
        };
        let own = own.iter().map(|word| (*word).to_owned());
        own.chain((arguments.bugle)(access, bugle)).collect()
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
        let given = options.arguments.iter().map(String::as_str);
        words.extend(given.filter(|word| self.access_variable(word).is_none()));
        match options.session {
            Session::New => {}
            Session::NewWithId(id) => words.extend(line.new_session.iter().flat_map(|option| [*option, id])),
            Session::Resumed(id) => words.extend([line.resume, id]),
        }
        words.extend(line.last);
        words.into_iter().map(str::to_owned).collect()
    }

    /// The environment variables of the command that runs the client without a terminal.
    pub fn run_environment(self, options: &LaunchOptions<'_>) -> Vec<(String, String)> {
        let given = options.arguments.iter();
        let variables = given.filter_map(|word| self.access_variable(word));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        variables.map(owned).collect()
    }

    /// The name and value of the variable for access in an argument.
    fn access_variable(self, word: &str) -> Option<(&'static str, &str)> {
        let name = self.facts().command_line.access_variable?;
        let value = word.strip_prefix(name)?.strip_prefix('=')?;
        Some((name, value))
    }

    /// The command that opens a session for the user at a terminal.
    pub fn attach_command(self, session: &str) -> Vec<String> {
        let words = [self.as_str(), self.facts().command_line.resume, session];
        words.map(str::to_owned).to_vec()
    }
}
