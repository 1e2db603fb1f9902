//! Gemini CLI.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::common::{EarlyCompaction, Folders, Prompt, Recipe, address, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files,
    environment: |_| {
        owned(&[
            ("GOOGLE_GEMINI_BASE_URL", &address()),
            ("GEMINI_API_KEY", "dummy"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("GEMINI_TELEMETRY_ENABLED", "false"),
        ])
    },
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer,
};

fn files(folders: &Folders) -> Vec<(PathBuf, String)> {
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "telemetry": { "enabled": false },
        "privacy": { "usageStatisticsEnabled": false },
        // The model has a context of 1,048,576 tokens. Without a name, the client asks another model to choose one.
        "model": { "name": "gemini-2.5-flash", "compressionThreshold": 0.05 },
    });
    vec![(folders.home.join(".gemini/settings.json"), settings.to_string())]
}

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[
        &["-p", prompt.text, "-o", "stream-json"],
        &["--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
    ]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}

/// The pieces of the assistant's last message.
fn answer(events: &[Value]) -> Option<String> {
    let is_piece = |event: &&Value| event["type"] == "message" && event["role"] == "assistant";
    let after = events.iter().rev().skip_while(|event| !is_piece(event));
    let mut pieces: Vec<&str> = after
        .take_while(is_piece)
        .filter_map(|event| event["content"].as_str())
        .collect();
    pieces.reverse();
    (!pieces.is_empty()).then(|| pieces.concat())
}
