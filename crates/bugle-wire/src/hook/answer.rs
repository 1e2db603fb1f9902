//! What a client is answered, in its own dialect and with exactly its fields.

use serde_json::{Map, Value, json};

use super::{HookCall, HookEvent};
use crate::setup::Client;

/// What follows from what a client told of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// What the agent is told.
    pub context: Option<String>,
    /// Why the tool may not be used.
    pub denied: Option<String>,
    /// With what the agent goes on instead of stopping.
    pub go_on: Option<String>,
    /// What the person at the client is told.
    pub for_person: Option<String>,
}

/// The answer as the client reads it; nothing if there is nothing to say.
pub fn written(call: &HookCall, answer: &HookAnswer) -> Option<String> {
    let mut fields = Map::new();
    let gemini = call.client == Client::Gemini;
    if let Some(reason) = &answer.denied {
        if gemini {
            fields.insert("decision".to_owned(), json!("deny"));
            fields.insert("reason".to_owned(), json!(reason));
        } else {
            let specific = json!({
                "hookEventName": call.event_name,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            });
            fields.insert("hookSpecificOutput".to_owned(), specific);
        }
    } else if let Some(reason) = &answer.go_on {
        fields.insert("decision".to_owned(), json!("block"));
        fields.insert("reason".to_owned(), json!(reason));
    } else if let Some(context) = answer.context.as_ref().filter(|_| takes_context(call.event)) {
        let specific = json!({
            "hookEventName": call.event_name,
            "additionalContext": context,
        });
        fields.insert("hookSpecificOutput".to_owned(), specific);
    }
    if let Some(message) = &answer.for_person {
        fields.insert("systemMessage".to_owned(), json!(message));
    }
    (!fields.is_empty()).then(|| Value::Object(fields).to_string())
}

/// Whether a client would take an answer as a denial.
pub fn is_denial(client: Client, answer: &str) -> bool {
    let answer: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
    let decision = if client == Client::Gemini {
        &answer["decision"]
    } else {
        &answer["hookSpecificOutput"]["permissionDecision"]
    };
    decision == "deny"
}

/// Whether a client hands what it is told at this event to the agent.
fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::SubagentStart
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(client: Client, event: &str) -> HookCall {
        HookCall::read(client, event, "{}").expect("an event")
    }

    fn answered(client: Client, event: &str, answer: &HookAnswer) -> String {
        written(&call(client, event), answer).unwrap_or_default()
    }

    #[test]
    fn a_denial_is_known_again() {
        let denied = HookAnswer {
            denied: Some("D".to_owned()),
            ..HookAnswer::default()
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
            "another client's words are none"
        );
    }

    #[test]
    fn each_client_reads_its_own_words() {
        let text = |text: &str| Some(text.to_owned());
        let context = HookAnswer {
            context: text("C"),
            ..HookAnswer::default()
        };
        let denied = HookAnswer {
            denied: text("D"),
            ..HookAnswer::default()
        };
        let go_on = HookAnswer {
            go_on: text("G"),
            ..HookAnswer::default()
        };
        let person = HookAnswer {
            for_person: text("P"),
            ..HookAnswer::default()
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
            r#"{"hookSpecificOutput":{"additionalContext":"C","hookEventName":"BeforeAgent"}}"#
        );
        assert_eq!(
            answered(Client::Claude, "Stop", &go_on),
            r#"{"decision":"block","reason":"G"}"#
        );
        assert_eq!(
            answered(Client::Codex, "Stop", &person),
            r#"{"systemMessage":"P"}"#
        );
        assert_eq!(answered(Client::Claude, "SessionEnd", &context), "");
        assert_eq!(answered(Client::Claude, "PreToolUse", &HookAnswer::default()), "");
    }
}
