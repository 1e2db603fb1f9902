//! The interface through which an agent calls Bugle: commands in a shell or MCP tools. Bugle prints each command in the
//! form that the agent's interface has.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The interface through which the caller calls Bugle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Interface {
    /// Commands in a shell, and everything but MCP.
    #[default]
    Shell,
    /// MCP tools.
    Mcp(AnswerRoute),
}

/// How the user's answer to a question reaches Bugle from an MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AnswerRoute {
    /// Bugle asks the user through the client. The agent does not see the form and cannot fill it in.
    Client,
    /// The agent relays the answer. The client's hooks report when the user types something.
    Agent,
    /// The user answers in a terminal or on the dashboard, because Bugle cannot tell whether the user has said
    /// anything to the agent.
    Person,
}

/// A call of an MCP tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: &'static str,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl fmt::Display for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        write!(f, "{} {arguments}", self.tool)
    }
}

impl Interface {
    /// Whether the caller uses MCP tools.
    pub fn is_mcp(self) -> bool {
        matches!(self, Self::Mcp(_))
    }

    /// A command as the caller can issue it: a tool call if a tool does the same, else a shell command.
    pub fn command(self, words: &[&str]) -> String {
        match self.tool_call(words) {
            Some(call) => call.to_string(),
            None => format!("bugle {}", words.join(" ")),
        }
    }

    /// The tool call that does the same as a command; `None` if there is none or the caller uses the shell.
    pub fn tool_call(self, words: &[&str]) -> Option<ToolCall> {
        if !self.is_mcp() {
            return None;
        }
        let (tool, arguments) = run_call(words)
            .or_else(|| task_call(words))
            .or_else(|| message_call(words))?;
        let Value::Object(arguments) = arguments else {
            return None;
        };
        Some(ToolCall { tool, arguments })
    }

    /// What the caller does with a command, at the start of a sentence's clause: `run` or `call`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Shell => "run",
            Self::Mcp(_) => "call",
        }
    }

    /// "Run the same command again", for a caller of this interface.
    pub fn repeat(self) -> &'static str {
        match self {
            Self::Shell => "run the same command again",
            Self::Mcp(_) => "call the tool again",
        }
    }
}

/// The calls that concern runs.
fn run_call(words: &[&str]) -> Option<(&'static str, Value)> {
    Some(match words {
        ["skill", "list"] => ("start_run", json!({})),
        ["start", "--child", child] => ("start_run", json!({ "child": child })),
        ["start", skill, params @ ..] => {
            let params = params.iter().map(|param| param.split_once('='));
            let params: Option<Map<String, Value>> = params
                .map(|param| param.map(|(name, value)| (name.to_owned(), Value::from(value))))
                .collect();
            let params = params?;
            let mut arguments = json!({ "skill": skill });
            if !params.is_empty() {
                arguments["params"] = Value::Object(params);
            }
            ("start_run", arguments)
        }
        ["run", "retry", child] => ("start_run", json!({ "restart": child })),
        ["run", "resume", run] => ("start_run", json!({ "resume": run })),
        ["step"] => ("get_step", json!({})),
        ["step", run] => ("get_step", json!({ "run": run })),
        ["run", "show", run] => ("get_step", json!({ "run": run, "show": "history" })),
        ["run", "findings", visit] => ("get_step", json!({ "run": visit, "show": "findings" })),
        ["run", "list", "--open"] => ("get_step", json!({ "show": "runs" })),
        ["done" | "decide", visit] | ["done", visit, "--result", _] => {
            ("finish_step", json!({ "visit": visit }))
        }
        ["done", visit, "--fail"] => ("finish_step", json!({ "visit": visit, "outcome": "fail" })),
        ["done", visit, "--unanswered"] => {
            ("finish_step", json!({ "visit": visit, "outcome": "unanswered" }))
        }
        ["done", visit, "--escalate", kind] => ("finish_step", json!({ "visit": visit, "outcome": kind })),
        ["decide", visit, answer] => ("finish_step", json!({ "visit": visit, "answer": answer })),
        _ => return None,
    })
}

/// The calls that concern tasks.
fn task_call(words: &[&str]) -> Option<(&'static str, Value)> {
    let ["task", words @ ..] = words else { return None };
    let list = |show: Option<&str>, within: Option<&&str>| {
        let mut arguments = json!({});
        if let Some(show) = show {
            arguments["show"] = json!(show);
        }
        if let Some(within) = within {
            arguments["within"] = json!(within);
        }
        ("list_tasks", arguments)
    };
    Some(match words {
        ["list"] => list(None, None),
        ["list", within] if !within.starts_with('-') => list(None, Some(within)),
        ["list", "--all"] => list(Some("all"), None),
        ["next" | "ready"] => list(Some(words[0]), None),
        ["show", task] | ["show", task, "--full"] => list(Some("details"), Some(task)),
        ["add", title] => ("update_task", json!({ "action": "add", "text": title })),
        [action @ ("start" | "done" | "reopen"), task] => {
            ("update_task", json!({ "action": action, "task": task }))
        }
        ["start", task, "--take-over"] => ("update_task", json!({ "action": "take_over", "task": task })),
        _ => return None,
    })
}

/// The calls that concern messages and wake-ups.
fn message_call(words: &[&str]) -> Option<(&'static str, Value)> {
    Some(match words {
        ["say", text] => ("send_message", json!({ "text": text })),
        ["ask", text] => ("send_message", json!({ "text": text, "question": true })),
        ["answer", question, "-"] => ("send_message", json!({ "answers": question })),
        ["inbox"] => ("read_inbox", json!({})),
        ["message", "list", "--for", agent, "--unread", "--take"] => ("read_inbox", json!({ "as": agent })),
        ["wake"] => ("get_context", json!({})),
        ["wake", agent] => ("get_context", json!({ "as": agent })),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MCP: Interface = Interface::Mcp(AnswerRoute::Person);

    #[test]
    fn a_command_becomes_a_tool_call_only_for_an_mcp_client() {
        let words = ["done", "r-7f3a1c#2"];
        assert_eq!(Interface::Shell.command(&words), "bugle done r-7f3a1c#2");
        assert_eq!(MCP.command(&words), r#"finish_step {"visit":"r-7f3a1c#2"}"#);
    }

    #[test]
    fn a_command_without_a_tool_stays_a_command() {
        for words in [
            &["run", "pause", "r-7f3a1c"][..],
            &["trust", "x"],
            &["start", "x", "y"],
        ] {
            assert_eq!(MCP.command(words), format!("bugle {}", words.join(" ")));
        }
    }

    #[test]
    fn params_keep_their_values() {
        let call = MCP.command(&["start", "ship", "why=a=b \"c\""]);
        assert_eq!(call, r#"start_run {"params":{"why":"a=b \"c\""},"skill":"ship"}"#);
    }
}
