//! Qwen Code.

use std::path::PathBuf;

use serde_json::json;

use super::common::{EarlyCompaction, Folders, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files,
    environment: |_| {
        owned(&[
            ("OPENAI_BASE_URL", &format!("{}/v1", address())),
            ("OPENAI_API_KEY", "dummy"),
            ("OPENAI_MODEL", "scripted"),
            ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1"),
        ])
    },
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

/// A small window, of which Qwen Code keeps a third free. Without these settings, Qwen Code would ask the model after a
/// turn what to remember.
fn files(folders: &Folders) -> Vec<(PathBuf, String)> {
    let settings = json!({
        "model": { "generationConfig": { "contextWindowSize": 100_000 } },
        "memory": { "enableManagedAutoMemory": false, "enableManagedAutoDream": false },
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
    });
    vec![(folders.home.join(".qwen/settings.json"), settings.to_string())]
}

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&["--output-format", "stream-json", "--approval-mode", "yolo"]]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words.extend(["--prompt".to_owned(), prompt.text.to_owned()]);
    words
}
