//! Adds the session to a tool's input, for clients that pass no session to commands and MCP calls.

use bugle_core::tool::Tool;
use serde_json::{Value, json};

use super::ToolCall;
use crate::session_names::{SESSION, SESSION_ARGUMENT};
use crate::shell::shell_word;
use crate::tool_names::bugle_tool;

/// The calls of a client's agents that have no session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LackingCalls {
    /// Commands and MCP calls.
    All,
    /// Commands of sub-agents.
    SubagentCommands,
    /// MCP calls.
    Mcp,
}

/// The input with the session; `None` for a tool that does not call Bugle. Other commands stay as they are, because the
/// client shows its user the changed command and checks it against the user's rules.
pub(super) fn with_session(tool: &ToolCall, session: &str) -> Option<Value> {
    let mut input = tool.input.clone();
    let fields = input.as_object_mut()?;
    if bugle_tool(&tool.name).is_some() {
        fields.insert(SESSION_ARGUMENT.to_owned(), json!(session));
    } else {
        let command = fields.get("command")?.as_str()?;
        if tool.tool() != Tool::Shell || !command.contains("bugle") {
            return None;
        }
        let command = format!("{}{command}", prefix(session));
        fields.insert("command".to_owned(), json!(command));
    }
    Some(input)
}

/// The input without the session. The client reports the changed input after the call, and a model copies earlier
/// commands.
pub(super) fn without_session(mut tool: ToolCall, session: &str) -> ToolCall {
    let is_own = bugle_tool(&tool.name).is_some();
    if let Some(fields) = tool.input.as_object_mut() {
        if is_own {
            fields.remove(SESSION_ARGUMENT);
        }
        let mut command = fields.get("command").and_then(Value::as_str).unwrap_or_default();
        let prefix = prefix(session);
        if command.starts_with(&prefix) {
            while let Some(rest) = command.strip_prefix(&prefix) {
                command = rest;
            }
            let command = json!(command);
            fields.insert("command".to_owned(), command);
        }
    }
    tool
}

/// The beginning of a command that sets the session.
fn prefix(session: &str) -> String {
    format!("export {SESSION}={}; ", shell_word(session))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tool(name: &str, input: Value) -> ToolCall {
        ToolCall {
            name: name.to_owned(),
            input,
            response: Value::Null,
        }
    }

    #[test]
    fn commands_and_calls_of_bugle_get_the_session() {
        let shell = tool(
            "run_shell_command",
            json!({ "command": "bugle step", "dir": "a" }),
        );
        assert_eq!(
            with_session(&shell, "s-1"),
            Some(json!({ "command": "export BUGLE_SESSION=s-1; bugle step", "dir": "a" }))
        );
        let mcp = tool("mcp_bugle_get_step", json!({ "run": "r-1" }));
        assert_eq!(
            with_session(&mcp, "s-1"),
            Some(json!({ "run": "r-1", "bugle_session": "s-1" }))
        );
    }

    #[test]
    fn other_tools_keep_their_input() {
        for other in [
            tool("run_shell_command", json!({ "command": "ls" })),
            tool("run_shell_command", json!({ "command": 3 })),
            tool("run_shell_command", Value::Null),
            tool("write_file", json!({ "command": "bugle", "content": "bugle" })),
            tool("mcp_other_bugle", json!({ "text": "bugle" })),
        ] {
            assert_eq!(with_session(&other, "s-1"), None, "{other:?}");
        }
    }

    #[test]
    fn only_the_own_session_is_removed() {
        for command in [
            "export BUGLE_SESSION=s-2; bugle step",
            "BUGLE_SESSION=s-1 bugle step",
        ] {
            let input = json!({ "command": command });
            let shell = tool("run_shell_command", input.clone());
            assert_eq!(without_session(shell, "s-1").input, input);
        }
        let input = json!({ "bugle_session": "s-1" });
        let other = tool("mcp_other_tool", input.clone());
        assert_eq!(without_session(other, "s-1").input, input);
    }

    proptest! {
        #[test]
        fn a_changed_input_is_read_back(command in "[ -~\n]{0,30}", session in "[ -~]{1,12}", times in 1..4) {
            let original = tool("run_shell_command", json!({ "command": format!("bugle {command}") }));
            let mut changed = original.clone();
            for _ in 0..times {
                changed.input = with_session(&changed, &session).expect("a changed input");
            }
            prop_assert_eq!(without_session(changed, &session), original);
        }
    }
}
