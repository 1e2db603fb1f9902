//! Hook calls from clients and the replies to them, each in the client's dialect.

mod background;
mod lossy;
mod own_session;
mod prompt;
mod reply;
mod status;
mod todo;

use std::borrow::Cow;

use bugle_core::hook::TodoUpdate;
use bugle_core::tool::Tool;
use serde_json::Value;

pub use lossy::text;
pub(crate) use reply::{ContextPlace, DenialShape};
pub use reply::{HookReply, is_denial};
pub use status::StatusCall;
pub(crate) use todo::{TodoChange, TodoList};

use crate::tool_names::{bugle_tool, tool_named};
use crate::{Client, shell_word};
pub(crate) use own_session::LackingCalls;

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
    /// The event with this name in a client.
    fn in_client(client: Client, name: &str) -> Option<Self> {
        let mut events = client.facts().hooks.events.iter();
        events.find(|(known, _)| *known == name).map(|(_, event)| *event)
    }

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

/// The events at which clients show the context in a reply. Some clients show it only at some of them.
const CONTEXT_EVENTS: &[HookEvent] = &[
    HookEvent::SessionStart,
    HookEvent::UserPromptSubmit,
    HookEvent::PreToolUse,
    HookEvent::PostToolUse,
    HookEvent::SubagentStart,
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

/// A tool's arguments, which some clients wrap for MCP tools.
fn tool_arguments(mut input: Value) -> Value {
    match input.get_mut("tool_input").map(Value::take) {
        Some(inner @ Value::Object(_)) if input.get("tool_name").is_some() => inner,
        Some(other) => {
            input["tool_input"] = other;
            input
        }
        None => input,
    }
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
    /// Whether the client can continue a turn that is about to end.
    pub can_continue: bool,
}

impl HookCall {
    /// The same call as the client that made it reports it, under that client's event names. `text` is the call's JSON.
    #[must_use]
    pub fn as_called_by(self, client: Client, text: &str) -> Option<Self> {
        if client == self.client {
            return Some(self);
        }
        let event_name = self.reported_event.unwrap_or(self.event_name);
        HookEvent::in_client(client, &event_name)?;
        Self::read(client, &event_name, text).ok()
    }

    /// Whether the client shows the agent the context in a reply to this call.
    pub fn shows_context(&self) -> bool {
        let silent = self.client.facts().hooks.gaps.silent_events;
        CONTEXT_EVENTS.contains(&self.event) && !silent.contains(&self.event)
    }

    /// Whether a sub-agent made this call in a session of its own.
    pub fn is_in_subagent_session(&self) -> bool {
        self.agent.is_none() && self.agent_type.is_some()
    }

    /// Whether the main thread's turn may still continue when this stop is reported. Clients also report the stops of
    /// sub-agents, which end with another event, and stops after the session's end.
    pub fn can_continue(&self) -> bool {
        let is_over = matches!(self.cause.as_deref(), Some("shutdown" | "channel_closed"));
        self.agent.is_none() && !is_over
    }

    /// The change that the tool made to the client's to-do list, if any.
    pub fn todo_update(&self) -> Option<TodoUpdate> {
        let tools = &self.client.facts().tools;
        let has_list = !tools.todo_lists.is_empty() || !tools.todo_items.is_empty();
        has_list.then(|| todo::todo_update(&self.tool)).flatten()
    }

    /// Whether the client reports the end of a compaction. If not, its start is the last event that hooks see.
    pub fn reports_end_of_compaction(&self) -> bool {
        let mut events = self.client.facts().hooks.events.iter();
        events.any(|(_, event)| *event == HookEvent::PostCompact)
    }

    /// Reads a client's JSON, which must be an object. Every field is optional.
    pub fn read(client: Client, event_name: &str, text: &str) -> Result<Self, NotUnderstood> {
        let event = HookEvent::in_client(client, event_name)
            .or_else(|| HookEvent::named(event_name))
            .ok_or(NotUnderstood::Event)?;
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
        let value = |names: &[&str]| {
            let found = names.iter().find_map(|name| body.get(name));
            found.cloned().unwrap_or(Value::Null)
        };
        let (session, agent) = (
            field(&["session_id", "sessionID", "sessionId"]),
            field(&["agent_id"]),
        );
        // Some clients report a sub-agent's own id as its session. Its work belongs to the session that started it.
        let parent = field(&["parent_agent_id"]).filter(|_| agent.is_some() && agent == session);
        let session = parent.or(session);
        let mut tool = ToolCall {
            name: field(&["tool_name"]).map_or_else(String::new, |name| bare(client, &name).to_owned()),
            input: tool_arguments(value(&["tool_input"])),
            response: value(&["tool_response", "tool_result"]),
        };
        let mut changed_input = None;
        if let Some(lacking) = &client.facts().hooks.gaps.lacks_session
            && let Some(session) = &session
        {
            tool = own_session::without_session(tool, session);
            let is_needed = match lacking.calls {
                LackingCalls::All => !body["mcp_context"]["url"].is_string(),
                LackingCalls::SubagentCommands => agent.is_some() && tool.tool() == Tool::Shell,
                LackingCalls::Mcp => bugle_tool(&tool.name).is_some(),
            };
            if event == HookEvent::PreToolUse && is_needed {
                changed_input = own_session::with_session(&tool, session);
            }
        }
        let flag = |name: &str| body.get(name).and_then(Value::as_bool);
        Ok(Self {
            client,
            event,
            event_name: event_name.to_owned(),
            reported_event: field(&["hook_event_name"]),
            session,
            directory: field(&["cwd"]),
            agent,
            agent_type: field(&["agent_type", "subagentType"]),
            cause: field(&["source", "reason"]),
            tool,
            changed_input,
            typed: prompt::typed(client, &body),
            background_agents: background::agents(&body),
            stop_hook_active: flag("stop_hook_active")
                .or_else(|| flag("stopHookActive"))
                .unwrap_or(false),
            can_continue: flag("can_continue").unwrap_or(true),
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
