//! What a model replies: words, calls of tools, and how much it claims to have read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Protocol, Request};

/// A resumed session holds the ids of servers before this one, so an id is never given twice in a process.
static IDS: AtomicU64 = AtomicU64::new(1);

pub(super) fn fresh_id(prefix: &str) -> String {
    format!("{prefix}_{:08}", IDS.fetch_add(1, Ordering::Relaxed))
}

/// What a model says and calls in one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Its words, before any call.
    pub text: Option<String>,
    /// What it calls.
    pub calls: Vec<Call>,
    /// The reported size of the conversation in tokens, by which a client decides when to compact.
    pub input_tokens: u64,
    /// An HTTP status instead of all that.
    pub status: Option<u16>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A command for the shell, by whatever tool the client has for that.
    Shell(String),
    /// A program in the language of Codex's `exec`, which calls the other tools in their turn.
    Script(String),
    /// A tool by its name.
    Tool {
        /// In which namespace: Codex groups the tools of a server so.
        namespace: Option<String>,
        /// Its name.
        name: String,
        /// What it is given.
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

    /// Words, and the end of the turn.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::empty()
        }
    }

    /// A command for the shell.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::empty().and(Call::Shell(command.into()))
    }

    /// A program for Codex's `exec`.
    pub fn script(program: impl Into<String>) -> Self {
        Self::empty().and(Call::Script(program.into()))
    }

    /// A call of a tool by its name.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().and(Call::Tool {
            namespace: None,
            name: name.to_owned(),
            input,
        })
    }

    /// An HTTP error.
    pub fn error(status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::empty()
        }
    }

    /// One more call in the same turn.
    #[must_use]
    pub fn and(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }

    /// Claims that the conversation has so many tokens by now.
    #[must_use]
    pub fn at(mut self, input_tokens: u64) -> Self {
        self.input_tokens = input_tokens;
        self
    }
}

impl Call {
    /// The namespace, name and input of the tool that it is in a client of this protocol.
    pub(super) fn resolve(&self, protocol: Protocol) -> (Option<&str>, &str, Value) {
        match (self, protocol) {
            (Self::Shell(command), Protocol::Messages) => {
                let input = json!({ "command": command, "description": "Run a command" });
                (None, "Bash", input)
            }
            (Self::Shell(command), Protocol::Responses) => (None, "exec_command", json!({ "cmd": command })),
            (Self::Script(program), _) => (Some("functions"), "exec", json!(program)),
            (
                Self::Tool {
                    namespace,
                    name,
                    input,
                },
                _,
            ) => (namespace.as_deref(), name, input.clone()),
        }
    }
}

/// A model that gives these replies, one after the other, and then says that it is done. To sum up is not a turn: a
/// request for that gets `summary`.
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
        replies.pop_front().unwrap_or_else(|| Reply::text("All is said."))
    }
}
