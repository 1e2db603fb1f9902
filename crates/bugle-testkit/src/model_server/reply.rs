//! A model's reply: text, tool calls and the reported number of tokens.

use std::borrow::Cow;
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
    /// A new file, for the client's own tool.
    Write {
        /// The file's absolute path.
        file: String,
        /// The file's text.
        text: String,
    },
    /// A call to a tool of Bugle's MCP server.
    Bugle {
        /// The tool's name on the server.
        name: String,
        /// The tool's input.
        input: Value,
    },
    /// A sub-agent with this prompt, for the client's own tool.
    Agent(String),
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

    /// A reply that writes a new file with the client's own tool. The path must be absolute.
    pub fn write(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self::empty().and(Call::Write {
            file: file.into(),
            text: text.into(),
        })
    }

    /// A reply that calls a tool of Bugle's MCP server.
    pub fn bugle(name: &str, input: Value) -> Self {
        Self::empty().and(Call::Bugle {
            name: name.to_owned(),
            input,
        })
    }

    /// A reply that starts a sub-agent and waits for it, if the client can wait.
    pub fn agent(prompt: impl Into<String>) -> Self {
        Self::empty().and(Call::Agent(prompt.into()))
    }

    /// The last reply of a sub-agent, with the client's own tool if it has one.
    pub fn report(request: &Request, text: &str) -> Self {
        if request.tools().contains(&REPORT) {
            return Self::tool(REPORT, json!({ "result": { "response": text } }));
        }
        Self::text(text)
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

/// A tool's input for a command.
type CommandInput = fn(&str) -> Value;

/// A tool's input for a path and a text.
type FileInput = fn(&str, &str) -> Value;

/// The clients' shell tools: the tool's name, and its input for a command.
const SHELLS: [(&str, CommandInput); 6] = [
    ("Bash", described),
    ("exec_command", |command| json!({ "cmd": command })),
    ("bash", described),
    (
        "run_shell_command",
        |command| json!({ "command": command, "description": "Run a command", "is_background": false }),
    ),
    ("run_terminal_command", described),
    ("run_terminal_cmd", described),
];

/// The clients' tools that write a file: the tool's name, and its input for a path and a text.
const WRITERS: [(&str, FileInput); 4] = [
    (
        "Write",
        |file, text| json!({ "file_path": file, "content": text }),
    ),
    (
        "write_file",
        |file, text| json!({ "file_path": file, "content": text }),
    ),
    (
        "write",
        |file, text| json!({ "filePath": file, "file_path": file, "content": text, "contents": text }),
    ),
    ("create", |file, text| json!({ "path": file, "file_text": text })),
];

/// The clients' tools that start a sub-agent: the tool's name, and its input for a prompt.
const AGENTS: [(&str, CommandInput); 5] = [
    ("Agent", general_purpose),
    ("agent", general_purpose),
    (
        "task",
        |prompt| json!({ "name": "helper", "description": "Help", "prompt": prompt, "subagent_type": "general", "agent_type": "general-purpose" }),
    ),
    ("spawn_subagent", general_purpose),
    (
        "invoke_agent",
        |prompt| json!({ "agent_name": "generalist", "prompt": prompt }),
    ),
];

/// The tool with which a sub-agent of Gemini CLI returns its report.
const REPORT: &str = "complete_task";

fn general_purpose(prompt: &str) -> Value {
    json!({
        "description": "Help", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": false,
    })
}

fn described(command: &str) -> Value {
    json!({ "command": command, "description": "Run a command" })
}

impl Call {
    /// The tool's namespace, name and input for the client that sent this request.
    pub(super) fn resolve(&self, request: &Request) -> (Option<&str>, Cow<'_, str>, Value) {
        match self {
            Self::Shell(command) => shell(request, command),
            Self::Write { file, text } => {
                let tools = request.tools();
                let offered = WRITERS.iter().find(|(name, _)| tools.contains(name));
                offered.map_or_else(
                    || shell(request, &patch(file, text)),
                    |(name, input)| (None, Cow::Borrowed(*name), input(file, text)),
                )
            }
            Self::Bugle { name, input } => {
                if request.protocol == Some(Protocol::Responses) {
                    return (Some("mcp__bugle"), Cow::Borrowed(name), input.clone());
                }
                let is_own = |tool: &&str| tool.contains("bugle") && tool.ends_with(name.as_str());
                let offered = request.tools().into_iter().find(is_own);
                if offered.is_none() && request.tools().contains(&"use_tool") {
                    let input = json!({ "tool_name": format!("bugle__{name}"), "tool_input": input });
                    return (None, Cow::Borrowed("use_tool"), input);
                }
                // A client may offer a tool only after a search, but accepts calls before it.
                let full = offered.map_or_else(|| format!("mcp__bugle__{name}"), str::to_owned);
                (None, Cow::Owned(full), input.clone())
            }
            Self::Agent(prompt) => agent(request, prompt),
            Self::Script(program) => (Some("functions"), Cow::Borrowed("exec"), json!(program)),
            Self::Tool {
                namespace,
                name,
                input,
            } => (namespace.as_deref(), Cow::Borrowed(name), input.clone()),
        }
    }
}

/// A command in the client's shell tool.
fn shell(request: &Request, command: &str) -> (Option<&'static str>, Cow<'static, str>, Value) {
    let tools = request.tools();
    let offered = SHELLS.iter().find(|(name, _)| tools.contains(name));
    let (name, input) = offered.unwrap_or(match request.protocol {
        Some(Protocol::Responses) => &SHELLS[1],
        _ => &SHELLS[0],
    });
    (None, Cow::Borrowed(*name), input(command))
}

/// A sub-agent in the client's own tool.
fn agent(request: &Request, prompt: &str) -> (Option<&'static str>, Cow<'static, str>, Value) {
    if request.protocol == Some(Protocol::Responses) {
        let input = json!({ "message": prompt, "agent_type": "default" });
        return (Some("multi_agent_v1"), Cow::Borrowed("spawn_agent"), input);
    }
    let tools = request.tools();
    let offered = AGENTS.iter().find(|(name, _)| tools.contains(name));
    let (name, input) = offered.unwrap_or(&AGENTS[0]);
    (None, Cow::Borrowed(*name), input(prompt))
}

/// A new file, for clients that write files with patches.
fn patch(file: &str, text: &str) -> String {
    format!("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {file}\n+{text}\n*** End Patch\nEOF")
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
