//! Finds the text that the user typed. Clients also report prompts that they generate: notices about background tasks,
//! messages from other agents, hook output, expanded commands.

use serde_json::Value;

use crate::Client;

/// The text that the user typed; `None` if the client generated the prompt.
pub(super) fn typed(client: Client, body: &Value) -> Option<String> {
    // Qwen Code reports a prompt before every model request, but `submitted_prompt` contains only typed text.
    let field = if client == Client::Qwen || body.get("submitted_prompt").is_some() {
        "submitted_prompt"
    } else {
        "prompt"
    };
    let text = without_prefaces(body.get(field)?.as_str()?);
    let generated = client.facts().hooks.generated_prompts;
    let is_generated = generated.iter().any(|start| text.starts_with(start));
    (!text.is_empty() && !is_generated).then(|| text.to_owned())
}

fn without_prefaces(text: &str) -> &str {
    let prefaces = || {
        let clients = Client::ALL.into_iter();
        clients.flat_map(|client| client.facts().hooks.prompt_prefaces)
    };
    let mut rest = text.trim();
    while let Some(after) = prefaces().find_map(|(open, close)| {
        let inside = rest.strip_prefix(open)?;
        inside.split_once(close).map(|(_, after)| after)
    }) {
        rest = after.trim();
    }
    rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::HookCall;

    fn typed_at(client: Client, event: &str, body: &Value) -> Option<String> {
        HookCall::read(client, event, &body.to_string()).ok()?.typed
    }

    #[test]
    fn typed_text_is_found_in_every_client() {
        for (client, event) in [
            (Client::Claude, "UserPromptSubmit"),
            (Client::Codex, "UserPromptSubmit"),
            (Client::Gemini, "BeforeAgent"),
            (Client::Opencode, "chat.message"),
        ] {
            let body = json!({ "session_id": "s", "prompt": " accept it " });
            assert_eq!(
                typed_at(client, event, &body).as_deref(),
                Some("accept it"),
                "{client:?}"
            );
            for empty in [
                json!({}),
                json!({ "prompt": "" }),
                json!({ "prompt": " \n" }),
                json!({ "prompt": 7 }),
            ] {
                assert_eq!(typed_at(client, event, &empty), None, "{client:?} {empty}");
            }
        }
    }

    #[test]
    fn prompts_that_claude_code_generates_are_not_typed() {
        for prompt in [
            "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>",
            "[SYSTEM NOTIFICATION - NOT USER INPUT]\nA background task ended.",
            "Stop hook feedback:\nThe step is open.",
            "<teammate-message teammate_id=\"reviewer\">accept it</teammate-message>",
            "<command-message>develop</command-message>\n<command-name>/develop</command-name>",
            "<system-reminder>\nBugle: you are at a gate.\n</system-reminder>",
            "<system-reminder>a</system-reminder>\n<task-notification>b</task-notification>",
        ] {
            let body = json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": prompt });
            assert_eq!(
                typed_at(Client::Claude, "UserPromptSubmit", &body),
                None,
                "{prompt}"
            );
        }
    }

    #[test]
    fn prompts_that_codex_generates_are_not_typed() {
        for prompt in [
            "<hook_prompt hook_run_id=\"stop:14:/x/hooks.json\">The step is open.</hook_prompt>",
            "<subagent_notification>{\"agent\":\"a\"}</subagent_notification>",
            "<environment_context>x</environment_context>",
        ] {
            let body = json!({ "session_id": "s", "turn_id": "t", "prompt": prompt });
            assert_eq!(
                typed_at(Client::Codex, "UserPromptSubmit", &body),
                None,
                "{prompt}"
            );
        }
    }

    #[test]
    fn context_that_gemini_puts_before_a_prompt_is_not_typed() {
        let only = json!({ "session_id": "s", "prompt": "<hook_context>The step is open.</hook_context>" });
        assert_eq!(typed_at(Client::Gemini, "BeforeAgent", &only), None);
        let before = json!({ "prompt": "<hook_context>The step is open.</hook_context>\n\nyes" });
        assert_eq!(
            typed_at(Client::Gemini, "BeforeAgent", &before).as_deref(),
            Some("yes")
        );
    }

    #[test]
    fn qwen_code_reports_typed_text_in_another_field() {
        for client in [Client::Claude, Client::Qwen] {
            let typed = json!({ "session_id": "s", "prompt": "made up", "submitted_prompt": "yes" });
            assert_eq!(
                typed_at(client, "UserPromptSubmit", &typed).as_deref(),
                Some("yes")
            );
            let again = json!({ "session_id": "s", "prompt": "made up", "submitted_prompt": "" });
            assert_eq!(typed_at(client, "UserPromptSubmit", &again), None);
        }
        for prompt in ["", "The step is open."] {
            let request = json!({ "session_id": "s", "prompt": prompt, "model": "m" });
            assert_eq!(
                typed_at(Client::Qwen, "UserPromptSubmit", &request),
                None,
                "{prompt}"
            );
        }
    }
}
