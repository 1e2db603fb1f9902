//! What each client is told: which events have hooks and in which form, how a server is named, and how Bugle knows its
//! own entries again.

use super::json::Json;
use super::jsonc::Node;

/// A client that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

impl Client {
    /// The word for it on the command line and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// Every client.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// The client that is called so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// What its makers call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }

    /// Whether its hooks tell what a sub-agent does from what the one does who started it.
    pub fn tells_subagents_apart(self) -> bool {
        match self {
            // In opencode each sub-agent has a session of its own.
            Self::Claude | Self::Codex | Self::Opencode => true,
            Self::Gemini => false,
        }
    }

    /// The events of which Bugle wants to hear. opencode has a plugin instead.
    pub fn events(self) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Codex => &[
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PostToolUse",
                "SubagentStart",
                "SubagentStop",
                "PreCompact",
                "PostCompact",
                "Stop",
                "SessionEnd",
            ],
            Self::Gemini => &[
                "SessionStart",
                "BeforeAgent",
                "BeforeTool",
                "AfterTool",
                "AfterAgent",
                "SessionEnd",
            ],
            Self::Opencode => &[],
        }
    }

    /// The group of hooks for an event, in the client's own form.
    pub(crate) fn hook_group(self, event: &str, program: &str) -> Json {
        let mut group = Vec::new();
        // Everywhere else no matcher means everything, which is what is wanted.
        if matches!(event, "PreToolUse" | "PostToolUse" | "BeforeTool" | "AfterTool") {
            group.push(("matcher", Json::text("*")));
        }
        group.push(("hooks", Json::Array(vec![self.handler(event, program)])));
        Json::Object(group)
    }

    /// A hook. Its command is one plain string: some clients also read the settings of others, and those that do not know
    /// a list of arguments would run the program alone.
    pub(crate) fn handler(self, event: &str, program: &str) -> Json {
        let words = ["hook", event, "--client", self.as_str()];
        let mut handler = vec![("type", Json::text("command"))];
        if self == Self::Gemini {
            handler.insert(0, ("name", Json::text("bugle")));
        }
        let line = [&[shell_word(program).as_str()], words.as_slice()]
            .concat()
            .join(" ");
        handler.push(("command", Json::Text(line)));
        let timeout = match (self, event) {
            (Self::Codex, "SessionEnd") => 3,
            (Self::Gemini, _) => 10_000,
            _ => 10,
        };
        handler.push(("timeout", Json::Number(timeout)));
        Json::Object(handler)
    }

    /// Under which key its settings have MCP servers.
    pub(crate) fn servers_key(self) -> &'static str {
        match self {
            Self::Opencode => "mcp",
            _ => "mcpServers",
        }
    }

    /// Bugle's MCP server in the form of its JSON settings.
    pub(crate) fn server(self, program: &str) -> Json {
        match self {
            Self::Opencode => Json::Object(vec![
                ("type", Json::text("local")),
                ("command", Json::texts([program, "mcp"])),
                ("enabled", Json::True),
            ]),
            _ => Json::Object(vec![
                ("command", Json::text(program)),
                ("args", Json::texts(["mcp"])),
            ]),
        }
    }

    /// Whether a hook is one that Bugle wrote for this client, perhaps from another place of the program.
    pub(crate) fn is_own_handler(self, handler: &Node) -> bool {
        let words = command_words(handler);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(words.as_slice(), [program, "hook", _, "--client", client]
            if is_bugle(program) && *client == self.as_str())
    }
}

/// Whether a server is Bugle's.
pub(crate) fn is_own_server(server: &Node) -> bool {
    let words = command_words(server);
    matches!(words.as_slice(), [program, verb, ..] if is_bugle(program) && verb == "mcp")
}

/// The status line in the form of Claude Code's settings.
pub(crate) fn status_line(program: &str) -> Json {
    let line = format!("{} statusline", shell_word(program));
    Json::Object(vec![
        ("type", Json::text("command")),
        ("command", Json::Text(line)),
    ])
}

/// Whether a status line is Bugle's.
pub(crate) fn is_own_status_line(entry: &Node) -> bool {
    let words = command_words(entry);
    matches!(words.as_slice(), [program, verb] if is_bugle(program) && verb == "statusline")
}

/// The words that an entry runs, in whichever of the usual forms it says so.
pub(super) fn command_words(entry: &Node) -> Vec<String> {
    let Some(command) = entry.member("command") else {
        return Vec::new();
    };
    let own = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    let Some(line) = command.text() else {
        return command.texts().map(own).unwrap_or_default();
    };
    match entry.member("args").and_then(Node::texts) {
        Some(rest) => std::iter::once(line.to_owned())
            .chain(rest.into_iter().map(str::to_owned))
            .collect(),
        None => shell_words(line),
    }
}

/// Whether a path leads to this program, under whatever folder or ending.
pub(crate) fn is_bugle(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "bugle" || name.starts_with("bugle.") || name.starts_with("bugle-")
}

/// A word as a POSIX shell takes it literally. A `#` is harmless inside a word for most shells, but not for all.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a simple command line.
pub(super) fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_into_them() {
        assert_eq!(shell_word("start"), "start");
        assert_eq!(shell_word("r-7f3a1c#12"), "'r-7f3a1c#12'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~/x y"), "'~/x y'");
    }

    #[test]
    fn a_quoted_word_is_read_as_it_was() {
        for word in [
            "/usr/bin/bugle",
            "/my tools/it's \"here\"/bugle",
            r"C:\bin\bugle.exe",
            "",
        ] {
            let line = format!("{} hook  Stop", shell_word(word));
            assert_eq!(shell_words(&line), [word, "hook", "Stop"], "{line}");
        }
    }

    #[test]
    fn the_program_is_known_wherever_it_lies() {
        for program in ["bugle", "/old/bin/bugle", r"C:\x\bugle.exe", "/a/bugle-0.2"] {
            assert!(is_bugle(program), "{program}");
        }
        for program in ["", "bugler", "/bugle/other", "/usr/bin/debugle"] {
            assert!(!is_bugle(program), "{program}");
        }
    }
}
