//! Copilot CLI.

use serde_json::{Value, json};

use super::common::{EarlyCompaction, Prompt, Recipe, address, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    // Copilot CLI ignores the hooks of a folder that the user has not trusted.
    files: |folders| {
        let config = json!({ "trustedFolders": [folders.project] });
        vec![(folders.home.join(".copilot/config.json"), config.to_string())]
    },
    environment: |_| {
        owned(&[
            ("COPILOT_PROVIDER_BASE_URL", &format!("{}/v1", address())),
            ("COPILOT_PROVIDER_API_KEY", "dummy"),
            ("COPILOT_MODEL", "scripted"),
            ("COPILOT_OFFLINE", "true"),
        ])
    },
    arguments,
    // Copilot CLI compacts the conversation at 80 % of this limit.
    early_compaction: EarlyCompaction {
        arguments: &[],
        variables: &[("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "90000")],
    },
    session: |event| text(event, "/sessionId"),
    answer,
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&["-p", prompt.text, "--output-format", "json", "--allow-all"]]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}

/// The main thread's last message.
fn answer(events: &[Value]) -> Option<String> {
    let is_message = |event: &&Value| event["type"] == "assistant.message" && event.get("agentId").is_none();
    let last = events.iter().rfind(is_message)?;
    text(last, "/data/content")
}
