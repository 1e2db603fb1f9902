//! Claude Code.

use super::common::{EarlyCompaction, Prompt, Recipe, address, last_text, owned, text};

/// The tools that Claude may use without asking for permission.
const ALLOWED: &str = "Bash,Edit,Write,Agent,Skill,mcp__bugle";

pub(super) const RECIPE: Recipe = Recipe {
    files: |_| Vec::new(),
    environment: |_| {
        owned(&[
            ("ANTHROPIC_BASE_URL", &address()),
            ("ANTHROPIC_API_KEY", "dummy"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("IS_SANDBOX", "1"),
        ])
    },
    arguments,
    // The smallest window that Claude accepts. Claude keeps a third of the window free.
    early_compaction: EarlyCompaction {
        variables: &[("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000")],
        arguments: &[],
    },
    session: |event| text(event, "/session_id"),
    answer: |events| last_text(events, "/result"),
};

fn arguments(prompt: &Prompt<'_>) -> Vec<String> {
    let mut words = vec!["-p", "--output-format", "stream-json", "--verbose"];
    words.extend(["--allowedTools", ALLOWED]);
    if prompt.resident {
        words.extend(["--input-format", "stream-json"]);
    }
    if let Some(session) = prompt.session {
        words.extend(["--resume", session]);
    }
    words.extend(prompt.arguments.iter().map(String::as_str));
    if !prompt.resident {
        words.extend(["--", prompt.text]);
    }
    words.into_iter().map(str::to_owned).collect()
}
