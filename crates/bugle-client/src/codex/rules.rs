//! The rules file that lets Bugle's commands out of Codex's sandbox.

use crate::agents::quoted;

/// The first line of the file.
const MARK: &str = "# Written by `bugle setup codex`. Setup overwrites this file.";

/// The commands with which agents work. None of them starts a program that the agent chooses, grants trust, or changes
/// the setup.
const COMMANDS: &[&str] = &[
    "answer", "ask", "decide", "done", "inbox", "message", "plan", "run", "say", "start", "step", "task",
    "wake",
];

/// The commands of `bugle agent` that start no process.
const AGENT_COMMANDS: &[&str] = &["archive", "list", "register", "result", "show"];

/// The file's text. Codex compares the first words of a command with each pattern.
pub(super) fn rules(program: &str) -> String {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        words.join(", ")
    };
    let programs = words(&["bugle", program]);
    format!(
        "{MARK}
# Codex runs these commands outside its sandbox, because inside it they may not be able to write Bugle's store.
prefix_rule(
    pattern = [[{programs}], [{}]],
    decision = \"allow\",
)
prefix_rule(
    pattern = [[{programs}], \"agent\", [{}]],
    decision = \"allow\",
)
",
        words(COMMANDS),
        words(AGENT_COMMANDS)
    )
}

/// Whether setup wrote a file with this text.
pub(super) fn is_rules(text: &str) -> bool {
    text.starts_with(MARK)
}
