//! Qwen Code.

use super::common::{EarlyCompaction, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files: |_| Vec::new(),
    environment: |_| {
        owned(&[
            ("OPENAI_BASE_URL", &format!("{}/v1", address())),
            ("OPENAI_API_KEY", "dummy"),
            ("OPENAI_MODEL", "scripted"),
        ])
    },
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&[
        "-p",
        prompt.text,
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
    ]]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}
