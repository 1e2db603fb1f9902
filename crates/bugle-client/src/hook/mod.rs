//! Hook calls from clients and the replies to them, each in the client's dialect.

mod background;
mod lossy;
mod own_session;
mod prompt;
mod reply;
mod status;
mod todo;

use std::borrow::Cow;

use bugle_core::tool::Tool;
use serde_json::Value;

pub use lossy::text;
pub(crate) use reply::DenialShape;
pub use reply::{HookReply, is_denial};
pub use status::StatusCall;
pub use todo::todo_update;
pub(crate) use todo::{TodoChange, TodoList};

use crate::tool_names::tool_named;
use crate::{Client, shell_word};

/// An event that a client reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A session starts or resumes.
    SessionStart,
    /// The agent receives a prompt.
    UserPromptSubmit,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool was used.
    PostToolUse,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent is about to stop.
    SubagentStop,
    /// A compaction is about to begin.
    PreCompact,
    /// A compaction has ended.
    PostCompact,
    /// The agent is about to stop.
    Stop,
    /// A session has ended.
    SessionEnd,
}

impl HookEvent {
    /// The event with this name in any client.
    pub fn named(name: &str) -> Option<Self> {
        let clients = Client::ALL.into_iter();
        let mut events = clients.flat_map(|client| client.facts().hooks.events);
        events.find(|(known, _)| *known == name).map(|(_, event)| *event)
    }
}

/// The events of Claude Code. Codex uses the same names.
pub(crate) const COMMON_EVENTS: &[(&str, HookEvent)] = &[
    ("SessionStart", HookEvent::SessionStart),
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("PreToolUse", HookEvent::PreToolUse),
    ("PostToolUse", HookEvent::PostToolUse),
    ("SubagentStart", HookEvent::SubagentStart),
    ("SubagentStop", HookEvent::SubagentStop),
    ("PreCompact", HookEvent::PreCompact),
    ("PostCompact", HookEvent::PostCompact),
    ("Stop", HookEvent::Stop),
    ("SessionEnd", HookEvent::SessionEnd),
];

/// A tool call as the client reports it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The tool's input.
    pub input: Value,
    /// The tool's output, after the tool was used.
    pub response: Value,
}

impl ToolCall {
    /// The tool.
    pub fn tool(&self) -> Tool {
        tool_named(&self.name)
    }

    /// The command, if the tool runs one. A list of words is also a command; each word is quoted.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        if self.tool() == Tool::Patch {
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

    /// The patch, if the tool applies one.
    pub fn patch(&self) -> Option<&str> {
        let names = ["input", "patch", "command", "patchText"];
        let given = || names.iter().find_map(|name| self.input.get(name)?.as_str());
        let is_patch = self.tool() == Tool::Patch;
        is_patch.then(|| self.input.as_str().or_else(given))?
    }

    /// The file, if the input names one.
    pub fn file(&self) -> Option<&str> {
        let names = ["file_path", "notebook_path", "filePath", "path"];
        names.iter().find_map(|name| self.input.get(name)?.as_str())
    }

    /// All text in the tool's output.
    pub fn said(&self) -> String {
        let mut said = String::new();
        collect(&self.response, &mut said, 0);
        said
    }
}

/// A tool's name without the client's namespace.
fn bare(client: Client, name: &str) -> &str {
    let namespaces = client.facts().tools.namespaces.iter();
    let mut shorter = namespaces.filter_map(|namespace| name.strip_prefix(namespace));
    shorter.find(|rest| !rest.is_empty()).unwrap_or(name)
}

/// The maximum nesting depth to read in a tool's output.
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

/// Whether text looks like the input of a hook: a JSON object.
pub fn looks_like_a_call(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// Why a hook call cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotUnderstood {
    /// There is no event with this name.
    #[error("this version of Bugle does not know this event")]
    Event,
    /// The input is not JSON, or not an object.
    #[error("cannot read the client's JSON: {0}")]
    Text(String),
}

/// A client's hook call.
#[derive(Debug, Clone, PartialEq)]
pub struct HookCall {
    /// The text that the user typed, for an event with a prompt; `None` if the client or a tool generated the prompt.
    pub typed: Option<String>,
    /// The client.
    pub client: Client,
    /// The event.
    pub event: HookEvent,
    /// The event's name to use in the reply.
    pub event_name: String,
    /// The event's name in the input.
    pub reported_event: Option<String>,
    /// The client's session.
    pub session: Option<String>,
    /// The session's folder.
    pub directory: Option<String>,
    /// The sub-agent, if the call is not from the main thread.
    pub agent: Option<String>,
    /// The sub-agent's type.
    pub agent_type: Option<String>,
    /// Why a session starts or ends.
    pub cause: Option<String>,
    /// The tool.
    pub tool: ToolCall,
    /// The input that the tool needs instead: with the session, for a client that passes no session.
    pub changed_input: Option<Value>,
    /// Whether an earlier stop was refused.
    pub stop_hook_active: bool,
    /// The sub-agents at work in the background, for a client that lists them when the agent stops. The client starts
    /// another turn when such a sub-agent has finished.
    pub background_agents: Option<Vec<String>>,
}

impl HookCall {
    /// The same call as another client would report it, under that client's event names.
    #[must_use]
    pub fn as_called_by(self, client: Client) -> Option<Self> {
        if client == self.client {
            return Some(self);
        }
        let event_name = self.reported_event.clone()?;
        let event = HookEvent::named(&event_name)?;
        Some(Self {
            client,
            event,
            event_name,
            ..self
        })
    }

    /// Reads a client's JSON, which must be an object. Every field is optional.
    pub fn read(client: Client, event_name: &str, text: &str) -> Result<Self, NotUnderstood> {
        let event = HookEvent::named(event_name).ok_or(NotUnderstood::Event)?;
        let body = lossy::json(text).map_err(|error| NotUnderstood::Text(error.to_string()))?;
        if !body.is_object() {
            return Err(NotUnderstood::Text(
                "the top-level value is not an object".to_owned(),
            ));
        }
        let field = |names: &[&str]| {
            let found = names.iter().find_map(|name| body.get(name)?.as_str());
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let value = |name: &str| body.get(name).cloned().unwrap_or(Value::Null);
        let session = field(&["session_id", "sessionID"]);
        let mut tool = ToolCall {
            name: field(&["tool_name"]).map_or_else(String::new, |name| bare(client, &name).to_owned()),
            input: value("tool_input"),
            response: value("tool_response"),
        };
        let mut changed_input = None;
        if client.facts().hooks.gaps.session_in_reply.is_some()
            && let Some(session) = &session
        {
            tool = own_session::without_session(tool, session);
            let is_remote = body["mcp_context"]["url"].is_string();
            if event == HookEvent::PreToolUse && !is_remote {
                changed_input = own_session::with_session(&tool, session);
            }
        }
        Ok(Self {
            client,
            event,
            event_name: event_name.to_owned(),
            reported_event: field(&["hook_event_name"]),
            session,
            directory: field(&["cwd"]),
            agent: field(&["agent_id"]),
            agent_type: field(&["agent_type"]),
            cause: field(&["source", "reason"]),
            tool,
            changed_input,
            typed: prompt::typed(client, &body),
            stop_hook_active: body
                .get("stop_hook_active")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            background_agents: background::agents(&body),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_namespaces_are_removed_from_tool_names() {
        let named = |client, name: &str| {
            let text = serde_json::json!({ "tool_name": name }).to_string();
            HookCall::read(client, "PostToolUse", &text)
                .ok()
                .map(|call| call.tool.name)
        };
        for (reported, name) in [
            ("multi_agent_v1wait_agent", "wait_agent"),
            ("collaborationwait_agent", "wait_agent"),
            ("spawn_agent", "spawn_agent"),
            ("collaboration", "collaboration"),
            ("Bash", "Bash"),
        ] {
            assert_eq!(named(Client::Codex, reported).as_deref(), Some(name));
            assert_eq!(named(Client::Claude, reported).as_deref(), Some(reported));
        }
    }
}
