//! Grok Build.

use super::common::{EarlyCompaction, Prompt, Recipe, address, last_text, owned, text, words};

pub(super) const RECIPE: Recipe = Recipe {
    // The features would send further requests, or wait for the network.
    files: |folders| {
        let config = format!(
            r#"[cli]
auto_update = false

[features]
remote_fetch = false
telemetry = "off"
managed_config = false
turn_summary = false
session_recap = false
title_refresh = false
two_pass_compaction = false

[models]
default = "scripted"

[model.scripted]
model = "scripted"
base_url = "{}/v1"
api_key = "dummy"
context_window = 80000
"#,
            address()
        );
        vec![(folders.home.join(".grok/config.toml"), config)]
    },
    // Grok Build ignores the hooks of a folder that the user has not trusted, unless trust is turned off.
    environment: |_| owned(&[("XAI_API_KEY", "dummy"), ("GROK_FOLDER_TRUST", "0")]),
    arguments,
    // The context window makes Grok Build compact every conversation at 85 % of its tokens.
    early_compaction: EarlyCompaction::NONE,
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = words(&[
        &["-p", prompt.text, "--output-format", "streaming-messages-json"],
        &["--always-approve"],
    ]);
    if let Some(session) = prompt.session {
        words.extend(["--resume".to_owned(), session.to_owned()]);
    }
    words.extend(prompt.arguments.iter().cloned());
    words
}
