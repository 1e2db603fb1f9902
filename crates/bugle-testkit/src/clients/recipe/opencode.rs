//! opencode.

use serde_json::json;

use super::common::{EarlyCompaction, Folders, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files: |_| Vec::new(),
    environment,
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/sessionID"),
    answer: |events| last_text(events, "/part/text"),
};

fn environment(folders: &Folders) -> Vec<(String, String)> {
    let model = json!({
        // The client compacts the conversation when this context is full, except for the output.
        "name": "scripted", "limit": { "context": 80_000, "output": 8_000 }, "tool_call": true,
    });
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "scripted", "models": { "scripted": model },
        "options": { "baseURL": format!("{}/v1", address()), "apiKey": "dummy" },
    });
    let config = json!({
        "model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": false, "share": "disabled",
        "provider": { "scripted": provider },
    });
    let folder = |name: &str| folders.home.join(name).display().to_string();
    owned(&[
        ("OPENCODE_CONFIG_CONTENT", &config.to_string()),
        // Otherwise the client waits for a package that it downloads before it loads a plugin.
        ("npm_config_offline", "true"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ("OPENCODE_DISABLE_SHARE", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("XDG_CONFIG_HOME", &folder(".config")),
        ("XDG_DATA_HOME", &folder(".local/share")),
        ("XDG_CACHE_HOME", &folder(".cache")),
        ("XDG_STATE_HOME", &folder(".local/state")),
    ])
}

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&["run", "--format", "json", "--auto"]]);
    match prompt.session {
        Some(session) => words.extend(["-s".to_owned(), session.to_owned()]),
        // Otherwise the client asks the model for a title.
        None => words.extend(["--title".to_owned(), "Test".to_owned()]),
    }
    words.extend(prompt.arguments.iter().cloned());
    words.push(prompt.text.to_owned());
    words
}
