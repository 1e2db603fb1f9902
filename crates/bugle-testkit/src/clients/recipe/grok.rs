//! Grok Build.

use super::common::{EarlyCompaction, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    files: |folders| {
        let config = format!(
            "[models]\ndefault = \"scripted\"\n\n[model.scripted]\nmodel = \"scripted\"\nbase_url = \"{}/v1\"\n",
            address()
        );
        vec![(folders.home.join(".grok/config.toml"), config)]
    },
    environment: |_| owned(&[("XAI_API_KEY", "dummy")]),
    arguments,
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[&["-p", prompt.text, "--output-format", "stream-json"]]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}
