//! Copilot CLI.

use super::common::{EarlyCompaction, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files: |_| Vec::new(),
    environment: |_| {
        owned(&[
            ("COPILOT_PROVIDER_BASE_URL", &format!("{}/v1", address())),
            ("COPILOT_PROVIDER_API_KEY", "dummy"),
            ("COPILOT_MODEL", "scripted"),
            ("COPILOT_OFFLINE", "true"),
        ])
    },
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&["-p", prompt.text, "--output-format", "json", "--allow-all-tools"]]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}
