//! A request as the model sees it, independent of the protocol.

use std::collections::BTreeMap;

use serde_json::Value;

/// The protocol between a client and its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Messages, used by Claude Code.
    Messages,
    /// Responses, used by Codex.
    Responses,
    /// Chat completions, used by several clients.
    Chat,
    /// Content generation, used by Gemini CLI.
    Generate,
}

/// The author of a part of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The client, before the conversation: its system instructions.
    Instructions,
    /// The client or a hook, in the middle of the conversation.
    System,
    /// The user or, with some models, a hook whose text the client appends to the user's.
    User,
    /// The model: its text and its tool calls.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The part's author.
    pub by: Speaker,
    /// The part's text.
    pub text: String,
}

/// A client's request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The request's number on this server, starting at 1.
    pub number: usize,
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The headers, with lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
    /// The protocol; `None` if the request is not for the model.
    pub protocol: Option<Protocol>,
}

impl Request {
    pub(super) fn new(method: &str, path: &str, headers: BTreeMap<String, String>, body: Value) -> Self {
        let path = path.split('?').next().unwrap_or_default().to_owned();
        let protocol = match path.rsplit('/').next() {
            Some("messages") => Some(Protocol::Messages),
            Some("responses") => Some(Protocol::Responses),
            Some("completions") => Some(Protocol::Chat),
            Some(method) if method.ends_with(":generateContent") => Some(Protocol::Generate),
            Some(method) if method.ends_with(":streamGenerateContent") => Some(Protocol::Generate),
            _ => None,
        };
        Self {
            number: 0,
            method: method.to_owned(),
            protocol: protocol.filter(|_| method == "POST"),
            path,
            headers,
            body,
        }
    }

    /// A header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The client's session.
    pub fn session(&self) -> Option<&str> {
        ["x-claude-code-session-id", "session-id"]
            .iter()
            .find_map(|name| self.header(name))
    }

    /// The sub-agent; `None` for the main thread.
    pub fn subagent(&self) -> Option<&str> {
        ["x-claude-code-agent-id", "x-openai-subagent"]
            .iter()
            .find_map(|name| self.header(name))
    }

    /// The names of the tools that the model may call.
    pub fn tools(&self) -> Vec<&str> {
        let groups = list(&self.body["tools"]).iter();
        let tools = groups.flat_map(|tool| match list(&tool["functionDeclarations"]) {
            [] => std::slice::from_ref(tool),
            declared => declared,
        });
        let names = tools.filter_map(|tool| {
            let function = field(&tool["function"], "name");
            function
                .or_else(|| field(tool, "name"))
                .or_else(|| field(tool, "type"))
        });
        names.collect()
    }

    /// The whole conversation, including the client's system instructions.
    pub fn conversation(&self) -> Vec<Said> {
        let mut said = Vec::new();
        for standing in ["system", "instructions", "systemInstruction"] {
            push(&mut said, Speaker::Instructions, flat(&self.body[standing]));
        }
        let messages = ["messages", "input", "contents"].iter();
        for message in messages.flat_map(|name| list(&self.body[*name])) {
            collect(message, &mut said);
        }
        // In chat completions, the instructions are the first message.
        if let Some(first) = said.first_mut().filter(|first| first.by == Speaker::System) {
            first.by = Speaker::Instructions;
        }
        said
    }

    /// The whole conversation as one string.
    pub fn text(&self) -> String {
        joined(self.conversation())
    }

    /// The conversation without the model's own text.
    pub fn shown(&self) -> String {
        let told = |said: &Said| said.by != Speaker::Assistant;
        joined(self.conversation().into_iter().filter(told))
    }

    /// The conversation since the model's last reply. Before the first reply, everything but the system instructions.
    pub fn news(&self) -> String {
        let new = |said: &Said| !matches!(said.by, Speaker::Assistant | Speaker::Instructions);
        let mut news: Vec<Said> = self.conversation().into_iter().rev().take_while(new).collect();
        news.reverse();
        joined(news)
    }

    /// The result of the last tool call.
    pub fn last_tool_result(&self) -> Option<String> {
        let mut results = self.conversation().into_iter().rev();
        results
            .find(|said| said.by == Speaker::Tool)
            .map(|said| said.text)
    }

    /// The last line that starts with `beginning`, trimmed. Ignores the model's own text.
    pub fn last_line(&self, beginning: &str) -> Option<String> {
        let shown = self.shown();
        let mut lines = shown.lines().map(str::trim);
        lines.rfind(|line| line.starts_with(beginning)).map(str::to_owned)
    }

    /// Whether the client is asking for a summary in order to compact the conversation.
    pub fn asks_for_summary(&self) -> bool {
        let news = self.news();
        let requests = [
            "create a detailed summary",
            "CONTEXT CHECKPOINT COMPACTION",
            "generate the updated <state_snapshot>",
            "evaluate the <state_snapshot>",
            "produce the <state_snapshot>",
        ];
        requests.iter().any(|words| news.contains(words))
    }
}

fn joined(said: impl IntoIterator<Item = Said>) -> String {
    let texts: Vec<String> = said.into_iter().map(|said| said.text).collect();
    texts.join("\n")
}

fn push(said: &mut Vec<Said>, by: Speaker, text: String) {
    if !text.is_empty() {
        said.push(Said { by, text });
    }
}

/// Collects the parts of an item in any protocol. A user's message can also contain tool results.
fn collect(item: &Value, said: &mut Vec<Said>) {
    let speaker = match (field(item, "role"), field(item, "type")) {
        (Some("assistant" | "model"), _) => Speaker::Assistant,
        (Some("system" | "developer"), _) => Speaker::System,
        (Some("tool"), _) => Speaker::Tool,
        (Some(_), _) => Speaker::User,
        (None, Some(kind)) if kind.ends_with("_output") => {
            return push(said, Speaker::Tool, flat(&item["output"]));
        }
        // In Responses, earlier calls and reasoning are separate items.
        (None, _) => return push(said, Speaker::Assistant, called(item)),
    };
    let content = &item["content"];
    if content.is_string() {
        push(said, speaker, flat(content));
    }
    for block in list(content).iter().chain(list(&item["parts"])) {
        match field(block, "type") {
            Some("tool_result") => push(said, Speaker::Tool, flat(&block["content"])),
            Some("tool_use") => push(said, Speaker::Assistant, called(block)),
            _ => push(said, speaker, flat(&block["text"])),
        }
        push(said, Speaker::Tool, flat(&block["functionResponse"]["response"]));
        push(said, Speaker::Assistant, called(&block["functionCall"]));
    }
    for call in list(&item["tool_calls"]) {
        push(said, Speaker::Assistant, called(&call["function"]));
    }
}

/// A tool call as a string: name and input.
fn called(item: &Value) -> String {
    let given = flat(&item["input"]) + &flat(&item["arguments"]) + &flat(&item["args"]);
    format!("{} {given}", flat(&item["name"])).trim().to_owned()
}

fn field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value[name].as_str()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All text in a value, without block types and ids.
fn flat(value: &Value) -> String {
    let parts: Vec<String> = match value {
        Value::String(text) => return text.clone(),
        Value::Array(items) => items.iter().map(flat).collect(),
        Value::Object(fields) => {
            let text = fields
                .iter()
                .filter(|(name, _)| !["type", "id", "cache_control"].contains(&name.as_str()));
            text.map(|(_, value)| flat(value)).collect()
        }
        _ => return String::new(),
    };
    let said: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    said.join("\n")
}
