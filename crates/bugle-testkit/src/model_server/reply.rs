//! A model's reply: text, tool calls and the reported number of tokens.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Protocol, Request};

/// The next call id. Ids are unique in the process, because a resumed session contains ids from earlier servers.
static IDS: AtomicU64 = AtomicU64::new(1);

pub(super) fn fresh_id(prefix: &str) -> String {
    format!("{prefix}_{:08}", IDS.fetch_add(1, Ordering::Relaxed))
}

/// One model turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The reply's text, before the tool calls.
    pub text: Option<String>,
    /// The reply's tool calls.
    pub calls: Vec<Call>,
    /// The reported conversation size in tokens. A client uses it to decide when to compact.
    pub input_tokens: u64,
    /// An HTTP error status to send instead of a turn.
    pub status: Option<u16>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A shell command for the client's shell tool.
    Shell(String),
    /// A program for Codex's `exec`, which calls other tools.
    Script(String),
    /// A call to a named tool.
    Tool {
        /// The tool's namespace: Codex groups tools by MCP server.
        namespace: Option<String>,
        /// The tool's name.
        name: String,
        /// The tool's input.
        input: Value,
    },
}

impl Reply {
    fn empty() -> Self {
        Self {
            text: None,
            calls: Vec::new(),
            input_tokens: 100,
            status: None,
        }
    }

    /// A text reply that ends the turn.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::empty()
        }
    }

    /// A reply that runs a command in the client's shell tool.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::empty().and(Call::Shell(command.into()))
    }

    /// A reply that runs a program in Codex's `exec`.
    pub fn script(program: impl Into<String>) -> Self {
        Self::empty().and(Call::Script(program.into()))
    }

    /// A reply that calls the tool with this name.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().and(Call::Tool {
            namespace: None,
            name: name.to_owned(),
            input,
        })
    }

    /// A reply with this HTTP error status.
    pub fn error(status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::empty()
        }
    }

    /// Adds another call to the same turn.
    #[must_use]
    pub fn and(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }

    /// Sets the reported conversation size in tokens.
    #[must_use]
    pub fn at(mut self, input_tokens: u64) -> Self {
        self.input_tokens = input_tokens;
        self
    }
}

/// The clients' shell tools: the tool's name, and its input for a command.
const SHELLS: [(&str, fn(&str) -> Value); 6] = [
    ("Bash", described),
    ("exec_command", |command| json!({ "cmd": command })),
    ("bash", described),
    ("run_shell_command", |command| {
        json!({ "command": command, "description": "Run a command", "is_background": false })
    }),
    ("run_terminal_command", described),
    ("run_terminal_cmd", described),
];

fn described(command: &str) -> Value {
    json!({ "command": command, "description": "Run a command" })
}

impl Call {
    /// The tool's namespace, name and input for the client that sent this request.
    pub(super) fn resolve(&self, request: &Request) -> (Option<&str>, &str, Value) {
        match self {
            Self::Shell(command) => {
                let tools = request.tools();
                let offered = SHELLS.iter().find(|(name, _)| tools.contains(name));
                let (name, input) = offered.unwrap_or(match request.protocol {
                    Some(Protocol::Responses) => &SHELLS[1],
                    _ => &SHELLS[0],
                });
                (None, name, input(command))
            }
            Self::Script(program) => (Some("functions"), "exec", json!(program)),
            Self::Tool {
                namespace,
                name,
                input,
            } => (namespace.as_deref(), name, input.clone()),
        }
    }
}

/// A model that gives these replies in order and then reports that it is done. A request for a summary does not count
/// as a turn: the model answers it with `summary`.
pub fn turns(
    summary: &str,
    replies: impl IntoIterator<Item = Reply>,
) -> impl FnMut(&Request) -> Reply + Send + 'static {
    let summary = summary.to_owned();
    let mut replies: VecDeque<Reply> = replies.into_iter().collect();
    move |request| {
        if request.asks_for_summary() {
            return Reply::text(summary.clone());
        }
        replies.pop_front().unwrap_or_else(|| Reply::text("That is all."))
    }
}
