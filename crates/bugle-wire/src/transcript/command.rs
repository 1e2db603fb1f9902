//! The words with which each client is started, taken up again, and opened for a person.
//!
//! The prompt is never among them: it comes on standard input, so that it may have any length and stands in no list of
//! processes.

use crate::setup::Client;

/// Which session a process works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session<'a> {
    /// A new one, whose id the client makes up.
    New,
    /// A new one with this id, if the client lets others choose it.
    NewAs(&'a str),
    /// This one, as far as it has come.
    Resumed(&'a str),
}

/// What a client is started for.
#[derive(Debug, Clone, Copy)]
pub struct Errand<'a> {
    /// In which session.
    pub session: Session<'a>,
    /// With which model, if not with the client's own choice.
    pub model: Option<&'a str>,
    /// More words for the client, as the user gave them.
    pub arguments: &'a [String],
}

/// What an agent's tools may do without somebody being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Read, and write in its folder.
    Write,
    /// Everything.
    Full,
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

    /// The words that tell it to a client; nothing for one that is told it only by its settings.
    pub fn words(self, client: Client) -> Option<[&'static str; 2]> {
        match client {
            Client::Claude => Some([
                "--permission-mode",
                match self {
                    Self::Read => "plan",
                    Self::Write => "acceptEdits",
                    Self::Full => "bypassPermissions",
                },
            ]),
            Client::Codex => Some([
                "--sandbox",
                match self {
                    Self::Read => "read-only",
                    Self::Write => "workspace-write",
                    Self::Full => "danger-full-access",
                },
            ]),
            // Without a terminal, Gemini refuses what it would have to ask for.
            Client::Gemini => Some([
                "--approval-mode",
                match self {
                    Self::Read => "default",
                    Self::Write => "auto_edit",
                    Self::Full => "yolo",
                },
            ]),
            Client::Opencode => None,
        }
    }
}

impl Client {
    /// Whether the id of a new session can be chosen by whoever starts it.
    pub fn takes_session_id(self) -> bool {
        matches!(self, Self::Claude)
    }
}

/// The words that run a client without a terminal: it reads its prompt from standard input and prints lines of JSON.
pub fn run_command(client: Client, errand: &Errand<'_>) -> Vec<String> {
    let mut words: Vec<&str> = vec![client.as_str()];
    match client {
        Client::Claude => words.extend(["-p", "--output-format", "stream-json", "--verbose"]),
        // Outside git, Codex asks a person whether it may work there; whoever starts it has decided that.
        Client::Codex => words.extend(["exec", "--json", "--skip-git-repo-check"]),
        Client::Gemini => words.extend(["-o", "stream-json"]),
        Client::Opencode => words.extend(["run", "--format", "json"]),
    }
    if let Some(model) = errand.model {
        words.extend(["--model", model]);
    }
    words.extend(errand.arguments.iter().map(String::as_str));
    match (client, errand.session) {
        (Client::Claude, Session::NewAs(id)) => words.extend(["--session-id", id]),
        (Client::Claude | Client::Gemini, Session::Resumed(id)) => words.extend(["--resume", id]),
        (Client::Codex, Session::Resumed(id)) => words.extend(["resume", id, "-"]),
        (Client::Codex, _) => words.push("-"),
        (Client::Opencode, Session::Resumed(id)) => words.extend(["--session", id]),
        (_, Session::New | Session::NewAs(_)) => {}
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The words that open a session for a person at a terminal.
pub fn attach_command(client: Client, session: &str) -> Vec<String> {
    let words = match client {
        Client::Claude | Client::Gemini => [client.as_str(), "--resume", session],
        Client::Codex => [client.as_str(), "resume", session],
        Client::Opencode => [client.as_str(), "--session", session],
    };
    words.map(str::to_owned).to_vec()
}
