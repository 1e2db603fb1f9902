//! Renamed commands. The old names still work, but help and completions omit them.

use std::ffi::{OsStr, OsString};

/// Old names and the commands that replaced them.
pub(crate) const OLD_SPELLINGS: [(&str, [&str; 2]); 25] = [
    ("runs", ["run", "list"]),
    ("show", ["run", "show"]),
    ("findings", ["run", "findings"]),
    ("accept", ["run", "accept"]),
    ("retry", ["run", "retry"]),
    ("note", ["run", "note"]),
    ("pause", ["run", "pause"]),
    ("resume", ["run", "resume"]),
    ("cancel", ["run", "cancel"]),
    ("rewind", ["run", "rewind"]),
    ("fork", ["run", "fork"]),
    ("upgrade", ["run", "upgrade"]),
    ("agents", ["agent", "list"]),
    ("spawn", ["agent", "spawn"]),
    ("prompt", ["agent", "prompt"]),
    ("recover", ["agent", "recover"]),
    ("interrupt", ["agent", "interrupt"]),
    ("kill", ["agent", "kill"]),
    ("logs", ["agent", "logs"]),
    ("result", ["agent", "result"]),
    ("attach", ["agent", "attach"]),
    ("brief", ["task", "brief"]),
    ("messages", ["message", "list"]),
    ("channel", ["message", "channel"]),
    ("wakeups", ["wakeup", "list"]),
];

/// Global options that take a value.
const OPTIONS_WITH_VALUE: [&str; 3] = ["-C", "--as", "--format"];

/// The arguments, with deprecated names replaced by current ones.
pub(crate) fn with_current_names(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = command_at(&arguments) else {
        return arguments;
    };
    let is_help = arguments[at] == "help";
    let name = if is_help { at + 1 } else { at };
    let renamed = arguments.get(name).and_then(|name| current(name));
    if let Some(words) = renamed {
        arguments.splice(name..=name, words.iter().map(OsString::from));
    }
    if arguments.get(at).is_some_and(|word| word == "skill") {
        rename_skill_arguments(&mut arguments, at);
    }
    arguments
}

fn current(name: &OsStr) -> Option<&'static [&'static str; 2]> {
    OLD_SPELLINGS
        .iter()
        .find(|(old, _)| name == *old)
        .map(|(_, words)| words)
}

/// Replaces `skill trust` with `trust`, and `skill graph --format` with `--to` if the value is a graph format.
fn rename_skill_arguments(arguments: &mut Vec<OsString>, at: usize) {
    match arguments.get(at + 1).and_then(|word| word.to_str()) {
        Some("trust") => {
            arguments.remove(at);
        }
        Some("graph") => {
            let pictures = ["terminal", "svg", "mermaid", "dot"];
            for index in at + 2..arguments.len() {
                let Some(word) = arguments[index].to_str() else {
                    continue;
                };
                let named = |picture: &str| pictures.contains(&picture);
                if let Some(picture) = word.strip_prefix("--format=").filter(|word| named(word)) {
                    arguments[index] = format!("--to={picture}").into();
                } else if word == "--format"
                    && arguments
                        .get(index + 1)
                        .and_then(|next| next.to_str())
                        .is_some_and(named)
                {
                    arguments[index] = "--to".into();
                }
            }
        }
        _ => {}
    }
}

/// Whether the arguments name a command.
pub(crate) fn has_command(arguments: &[OsString]) -> bool {
    command_at(arguments).is_some()
}

/// The index of the command name, which comes after the program and the global options.
fn command_at(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = arguments.get(at) {
        let text = word.to_string_lossy();
        if !text.starts_with('-') {
            return Some(at);
        }
        at += if OPTIONS_WITH_VALUE.contains(&&*text) {
            2
        } else {
            1
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let words = with_current_names(words);
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn old_names_lead_to_the_current_commands() {
        for (line, current) in [
            ("bugle runs --all", "bugle run list --all"),
            (
                "bugle -C /tmp --json show r-1",
                "bugle -C /tmp --json run show r-1",
            ),
            (
                "bugle --as expert spawn claude x",
                "bugle --as expert agent spawn claude x",
            ),
            ("bugle help findings", "bugle help run findings"),
            ("bugle skill trust notes", "bugle trust notes"),
            (
                "bugle skill graph planner --format svg",
                "bugle skill graph planner --to svg",
            ),
            (
                "bugle skill graph planner --format=dot",
                "bugle skill graph planner --to=dot",
            ),
        ] {
            assert_eq!(renamed(line), current);
        }
    }

    #[test]
    fn arguments_are_not_taken_for_commands() {
        for line in [
            "bugle say runs",
            "bugle task show t-1",
            "bugle skill graph planner --format json",
        ] {
            assert_eq!(renamed(line), line);
        }
    }
}
