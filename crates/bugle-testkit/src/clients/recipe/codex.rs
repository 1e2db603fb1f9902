//! Codex.

use std::path::PathBuf;

use super::common::{EarlyCompaction, Folders, Prompt, Recipe, address, last_text, owned, text};

pub(super) const RECIPE: Recipe = Recipe {
    files,
    environment: |_| owned(&[("SCRIPTED_KEY", "dummy")]),
    arguments,
    early_compaction: EarlyCompaction {
        variables: &[],
        arguments: &["-c", "model_auto_compact_token_limit=50000"],
    },
    session: |event| text(event, "/thread_id"),
    answer: |events| last_text(events, "/item/text"),
};

/// The model, and no plugins, because they would wait five seconds for a network. The project is trusted, because Codex
/// ignores an untrusted project's settings.
fn files(folders: &Folders) -> Vec<(PathBuf, String)> {
    let address = address();
    let config = format!(
        r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[features]
plugins = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[projects."{}"]
trust_level = "trusted"
"#,
        folders.project.display()
    );
    vec![(folders.home.join(".codex/config.toml"), config)]
}

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = vec!["exec"];
    words.extend(prompt.session.as_ref().map(|_| "resume"));
    words.extend(["--json", "--dangerously-bypass-hook-trust"]);
    let has_sandbox = prompt
        .arguments
        .iter()
        .any(|word| word.starts_with("sandbox_mode="));
    words.extend((!has_sandbox).then_some("--dangerously-bypass-approvals-and-sandbox"));
    words.extend(prompt.arguments.iter().map(String::as_str));
    words.push("--");
    words.extend(prompt.session);
    words.push(prompt.text);
    words.into_iter().map(str::to_owned).collect()
}
