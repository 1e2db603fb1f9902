//! Replies to hooks, in each client's dialect. A reply contains only fields that the client knows.

use serde_json::{Map, Value, json};

use super::HookCall;
use crate::Client;

/// A reply to a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookReply {
    /// Shown to the agent.
    pub context: Option<String>,
    /// Why the tool may not be used.
    pub deny: Option<String>,
    /// Why the agent must not stop. The agent continues with this text.
    pub continue_with: Option<String>,
    /// Shown to the user.
    pub user_message: Option<String>,
}

/// Where a client reads the text for the agent in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextPlace {
    /// In `hookSpecificOutput`.
    Specific,
    /// At the top level.
    Top,
}

/// How a client reads a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenialShape {
    /// `decision` and `reason`.
    Decision,
    /// `permissionDecision` in `hookSpecificOutput`.
    PermissionDecision,
}

impl HookReply {
    /// The reply in the client's format; `None` if the reply is empty.
    pub fn render(&self, call: &HookCall) -> Option<String> {
        let hooks = &call.client.facts().hooks;
        let mut fields = Map::new();
        let mut specific = Map::new();
        if let Some(reason) = &self.deny {
            match hooks.denial {
                DenialShape::Decision => {
                    fields.insert("decision".to_owned(), json!("deny"));
                    fields.insert("reason".to_owned(), json!(reason));
                }
                DenialShape::PermissionDecision => {
                    specific.insert("permissionDecision".to_owned(), json!("deny"));
                    specific.insert("permissionDecisionReason".to_owned(), json!(reason));
                }
            }
        } else if let Some(reason) = &self.continue_with {
            fields.insert("decision".to_owned(), json!("block"));
            fields.insert("reason".to_owned(), json!(reason));
        } else {
            if let Some(context) = self.context.as_ref().filter(|_| call.shows_context()) {
                let end = if hooks.gaps.tags_context { "\n" } else { "" };
                let shown = if hooks.gaps.context == ContextPlace::Top {
                    &mut fields
                } else {
                    &mut specific
                };
                shown.insert("additionalContext".to_owned(), json!(format!("{context}{end}")));
            }
            let changed = hooks.gaps.lacks_session.as_ref().zip(call.changed_input.clone());
            specific.extend(changed.map(|(lacking, input)| (lacking.field.to_owned(), input)));
        }
        if !specific.is_empty() {
            specific.insert("hookEventName".to_owned(), json!(call.event_name));
            fields.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        if let Some(message) = &self.user_message {
            fields.insert("systemMessage".to_owned(), json!(message));
        }
        (!fields.is_empty()).then(|| Value::Object(fields).to_string())
    }
}

/// Whether a client would read a reply as a denial.
pub fn is_denial(client: Client, reply: &str) -> bool {
    let reply: Value = serde_json::from_str(reply).unwrap_or(Value::Null);
    let decision = match client.facts().hooks.denial {
        DenialShape::Decision => &reply["decision"],
        DenialShape::PermissionDecision => &reply["hookSpecificOutput"]["permissionDecision"],
    };
    decision == "deny"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(client: Client, event: &str) -> HookCall {
        HookCall::read(client, event, "{}").expect("an event")
    }

    fn answered(client: Client, event: &str, answer: &HookReply) -> String {
        answer.render(&call(client, event)).unwrap_or_default()
    }

    #[test]
    fn a_denial_is_recognised() {
        let denied = HookReply {
            deny: Some("D".to_owned()),
            ..HookReply::default()
        };
        for (client, event) in [
            (Client::Claude, "PreToolUse"),
            (Client::Codex, "PreToolUse"),
            (Client::Gemini, "BeforeTool"),
            (Client::Opencode, "tool.execute.before"),
        ] {
            assert!(is_denial(client, &answered(client, event, &denied)));
            assert!(!is_denial(client, ""));
        }
        let other = answered(Client::Gemini, "BeforeTool", &denied);
        assert!(
            !is_denial(Client::Claude, &other),
            "another client's denial does not count"
        );
    }

    #[test]
    fn each_client_gets_its_own_format() {
        let text = |text: &str| Some(text.to_owned());
        let context = HookReply {
            context: text("C"),
            ..HookReply::default()
        };
        let denied = HookReply {
            deny: text("D"),
            ..HookReply::default()
        };
        let resumed = HookReply {
            continue_with: text("G"),
            ..HookReply::default()
        };
        let person = HookReply {
            user_message: text("P"),
            ..HookReply::default()
        };
        assert_eq!(
            answered(Client::Claude, "SessionStart", &context),
            r#"{"hookSpecificOutput":{"additionalContext":"C","hookEventName":"SessionStart"}}"#
        );
        assert_eq!(
            answered(Client::Codex, "PreToolUse", &denied),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"D"}}"#
        );
        assert_eq!(
            answered(Client::Gemini, "BeforeTool", &denied),
            r#"{"decision":"deny","reason":"D"}"#
        );
        assert_eq!(
            answered(Client::Gemini, "BeforeAgent", &context),
            r#"{"hookSpecificOutput":{"additionalContext":"C\n","hookEventName":"BeforeAgent"}}"#
        );
        assert_eq!(
            answered(Client::Claude, "Stop", &resumed),
            r#"{"decision":"block","reason":"G"}"#
        );
        assert_eq!(
            answered(Client::Codex, "Stop", &person),
            r#"{"systemMessage":"P"}"#
        );
        assert_eq!(
            answered(Client::Copilot, "UserPromptSubmit", &context),
            r#"{"additionalContext":"C"}"#
        );
        assert_eq!(answered(Client::Grok, "UserPromptSubmit", &context), "");
        assert_eq!(answered(Client::Claude, "SessionEnd", &context), "");
        assert_eq!(answered(Client::Claude, "PreToolUse", &HookReply::default()), "");
    }

    #[test]
    fn a_client_that_passes_no_session_gets_it_in_the_input() {
        let body = json!({ "session_id": "s-1", "tool_name": "run_shell_command", "tool_input": { "command": "bugle step" } });
        let answered = |client, event, answer: &HookReply| {
            let call = HookCall::read(client, event, &body.to_string()).expect("an event");
            answer.render(&call).unwrap_or_default()
        };
        let nothing = HookReply::default();
        assert_eq!(
            answered(Client::Gemini, "BeforeTool", &nothing),
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"export BUGLE_SESSION=s-1; bugle step"}}}"#
        );
        let denied = HookReply {
            deny: Some("D".to_owned()),
            ..HookReply::default()
        };
        assert_eq!(
            answered(Client::Gemini, "BeforeTool", &denied),
            r#"{"decision":"deny","reason":"D"}"#
        );
        assert_eq!(answered(Client::Gemini, "AfterTool", &nothing), "");
        assert_eq!(answered(Client::Claude, "PreToolUse", &nothing), "");
    }
}
