//! What clients tell of their agents' doings, and what they are answered: each in its own words.

mod answer;
mod caller;
mod lossy;
mod prompt;
mod status;
mod todo;

use std::borrow::Cow;

use serde_json::Value;

pub use answer::{HookAnswer, is_denial, written};
pub use caller::{CALLERS, caller};
pub use lossy::text;
pub use status::StatusCall;
pub use todo::mirrored;

use crate::setup::{Client, shell_word};

/// Something that a client tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A session begins, or goes on.
    SessionStart,
    /// Somebody has said something to the agent.
    UserPromptSubmit,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool was used.
    PostToolUse,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent is about to stop.
    SubagentStop,
    /// A compaction is about to begin.
    PreCompact,
    /// A compaction is over.
    PostCompact,
    /// The agent is about to stop.
    Stop,
    /// A session is over.
    SessionEnd,
}

impl HookEvent {
    /// The event that a client calls so.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "SessionStart" | "session.created" => Self::SessionStart,
            "UserPromptSubmit" | "BeforeAgent" | "chat.message" => Self::UserPromptSubmit,
            "PreToolUse" | "BeforeTool" | "tool.execute.before" => Self::PreToolUse,
            "PostToolUse" | "AfterTool" | "tool.execute.after" => Self::PostToolUse,
            "SubagentStart" => Self::SubagentStart,
            "SubagentStop" => Self::SubagentStop,
            "PreCompact" | "session.compacting" => Self::PreCompact,
            "PostCompact" | "session.compacted" => Self::PostCompact,
            "Stop" | "AfterAgent" | "session.idle" => Self::Stop,
            "SessionEnd" | "session.deleted" => Self::SessionEnd,
            _ => return None,
        })
    }
}

/// A tool in the words of a client.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// What it is called.
    pub name: String,
    /// What it gets.
    pub input: Value,
    /// What it gave, if it was used.
    pub response: Value,
}

impl ToolCall {
    /// The command, if it runs one. A list of words is a command too, each word quoted.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        if self.is_patch() {
            return None;
        }
        let typed = self.input.get("chars").filter(|_| self.name == "write_stdin");
        let command = self.input.get("command").or_else(|| self.input.get("cmd"));
        match command.or(typed)? {
            Value::String(line) => Some(Cow::Borrowed(line)),
            Value::Array(words) => {
                let words = words.iter().filter_map(Value::as_str).map(shell_word);
                Some(Cow::Owned(words.collect::<Vec<_>>().join(" ")))
            }
            _ => None,
        }
    }

    /// The patch, if it applies one.
    pub fn patch(&self) -> Option<&str> {
        let names = ["input", "patch", "command", "patchText"];
        let given = || names.iter().find_map(|name| self.input.get(name)?.as_str());
        self.is_patch().then(|| self.input.as_str().or_else(given))?
    }

    fn is_patch(&self) -> bool {
        matches!(self.name.as_str(), "apply_patch" | "patch")
    }

    /// The file, if it is about one.
    pub fn file(&self) -> Option<&str> {
        let names = ["file_path", "notebook_path", "filePath", "path"];
        names.iter().find_map(|name| self.input.get(name)?.as_str())
    }

    /// Everything that it gave which is text.
    pub fn said(&self) -> String {
        let mut said = String::new();
        collect(&self.response, &mut said, 0);
        said
    }
}

/// Where Codex keeps its tools for sub-agents. It puts the name of that place right before some of theirs.
const CODEX_NAMESPACES: [&str; 2] = ["multi_agent_v1", "collaboration"];

/// The name of a tool as its users know it.
fn bare(client: Client, name: &str) -> &str {
    if client != Client::Codex {
        return name;
    }
    let mut shorter = CODEX_NAMESPACES
        .iter()
        .filter_map(|place| name.strip_prefix(place));
    shorter.find(|rest| !rest.is_empty()).unwrap_or(name)
}

/// What a client wrote. Some shells put a byte order mark before it. What is not quite JSON is repaired: a hook that does
/// not understand a call denies nothing.
fn json(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&lossy::repaired(text)))
}

/// How deep an answer is looked into.
const DEEPEST: usize = 6;

fn collect(value: &Value, said: &mut String, depth: usize) {
    match value {
        Value::String(text) => {
            said.push_str(text);
            said.push('\n');
        }
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                collect(item, said, depth + 1);
            }
        }
        Value::Object(fields) if depth < DEEPEST => {
            for field in fields.values() {
                collect(field, said, depth + 1);
            }
        }
        _ => {}
    }
}

/// Whether a text looks like what clients write to hooks: an object of JSON.
pub fn looks_like_a_call(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// Why nothing can be made of what a client tells.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    /// There is no event of this name.
    #[error("this version of Bugle knows no such event")]
    Event,
    /// What it says of the event is not JSON, or none that says anything.
    #[error("what the client says is not understood: {0}")]
    Text(String),
}

/// What a client tells of.
#[derive(Debug, Clone, PartialEq)]
pub struct HookCall {
    /// What a person typed, at an event that tells of a prompt; nothing if the client or a tool made the prompt.
    pub typed: Option<String>,
    /// Which client.
    pub client: Client,
    /// What happens.
    pub event: HookEvent,
    /// What the client calls it, for the answer.
    pub event_name: String,
    /// What it is called in what the client tells.
    pub own_event: Option<String>,
    /// The client's session.
    pub session: Option<String>,
    /// The folder it is in.
    pub directory: Option<String>,
    /// The sub-agent it is about, if it is not the main thread.
    pub agent: Option<String>,
    /// What kind of sub-agent that is.
    pub agent_type: Option<String>,
    /// Why a session begins or ends.
    pub cause: Option<String>,
    /// The tool.
    pub tool: ToolCall,
    /// Whether the agent was kept from stopping already.
    pub kept_already: bool,
}

impl HookCall {
    /// The same call as another client tells it, which has other names for its events.
    #[must_use]
    pub fn told_by(self, client: Client) -> Option<Self> {
        if client == self.client {
            return Some(self);
        }
        let event_name = self.own_event.clone()?;
        let event = HookEvent::named(&event_name)?;
        Some(Self {
            client,
            event,
            event_name,
            ..self
        })
    }

    /// Reads what a client wrote. What is missing is not there; nothing but the event and an object is needed.
    pub fn read(client: Client, event_name: &str, text: &str) -> Result<Self, NotUnderstood> {
        let event = HookEvent::named(event_name).ok_or(NotUnderstood::Event)?;
        let body = json(text).map_err(|error| NotUnderstood::Text(error.to_string()))?;
        if !body.is_object() {
            return Err(NotUnderstood::Text("it is no object".to_owned()));
        }
        let field = |names: &[&str]| {
            let found = names.iter().find_map(|name| body.get(name)?.as_str());
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let value = |name: &str| body.get(name).cloned().unwrap_or(Value::Null);
        Ok(Self {
            client,
            event,
            event_name: event_name.to_owned(),
            own_event: field(&["hook_event_name"]),
            session: field(&["session_id", "sessionID"]),
            directory: field(&["cwd"]),
            agent: field(&["agent_id"]),
            agent_type: field(&["agent_type"]),
            cause: field(&["source", "reason"]),
            tool: ToolCall {
                name: field(&["tool_name"]).map_or_else(String::new, |name| bare(client, &name).to_owned()),
                input: value("tool_input"),
                response: value("tool_response"),
            },
            typed: prompt::typed(client, &body),
            kept_already: body
                .get("stop_hook_active")
                .and_then(Value::as_bool)
                .unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_of_codex_for_sub_agents_is_known_by_its_own_name() {
        let named = |client, name: &str| {
            let text = serde_json::json!({ "tool_name": name }).to_string();
            HookCall::read(client, "PostToolUse", &text)
                .ok()
                .map(|call| call.tool.name)
        };
        for (told, name) in [
            ("multi_agent_v1wait_agent", "wait_agent"),
            ("collaborationwait_agent", "wait_agent"),
            ("spawn_agent", "spawn_agent"),
            ("collaboration", "collaboration"),
            ("Bash", "Bash"),
        ] {
            assert_eq!(named(Client::Codex, told).as_deref(), Some(name));
            assert_eq!(named(Client::Claude, told).as_deref(), Some(told));
        }
    }
}
