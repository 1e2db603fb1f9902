//! Commands that call Bugle.

use std::collections::BTreeMap;

use super::before::called;
use super::word::{Known, Parsed, Simple};
use super::words::parse;
use crate::id::{ChildToken, VisitToken};

/// Top-level Bugle commands that Bugle's own texts tell an agent to run.
const ASKED_FOR: [&str; 19] = [
    "start", "step", "done", "decide", "retry", "findings", "note", "show", "runs", "task", "plan", "say",
    "ask", "answer", "inbox", "messages", "wake", "brief", "status",
];

/// Subcommands that Bugle's own texts tell an agent to run, by their parent command.
const ASKED_FOR_BELOW: [(&str, &[&str]); 2] = [
    ("run", &["list", "show", "findings", "retry", "note"]),
    ("message", &["list", "channel"]),
];

/// Whether a command only calls Bugle, and only with commands that Bugle tells agents to run.
pub fn calls_only(command: &str, program: &dyn Fn(&str) -> bool) -> bool {
    let parsed = plain(command);
    // A prefix may change which program runs, so only a call without a prefix is accepted.
    let is_call = |simple: &Simple| match simple.words.as_slice() {
        [name, command, rest @ ..] => {
            let below = |(group, commands): &(&str, &[&str])| {
                let named = rest.first().filter(|word| word.is_certain);
                *group == command.text && named.is_some_and(|word| commands.contains(&word.text.as_str()))
            };
            simple.targets.is_empty()
                && name.is_certain
                && program(&name.text)
                && command.is_certain
                && (ASKED_FOR.contains(&command.text.as_str()) || ASKED_FOR_BELOW.iter().any(below))
        }
        _ => false,
    };
    !parsed.commands.is_empty() && parsed.commands.iter().all(is_call)
}

/// The sub-agent token in a command that starts a sub-agent: the argument of `start --child`.
pub fn child_started(command: &str, program: &dyn Fn(&str) -> bool) -> Option<String> {
    plain(command).commands.iter().find_map(|simple| {
        let called = called(&simple.words, &[]);
        let words: Vec<&str> = called.words.iter().map(|word| word.text.as_str()).collect();
        match words.as_slice() {
            // Bugle accepts command name prefixes.
            [name, rest @ ..]
                if program(name)
                    && rest
                        .iter()
                        .any(|word| word.len() > 1 && "start".starts_with(*word)) =>
            {
                let at = rest.iter().position(|word| *word == "--child")?;
                rest.get(at + 1).map(ToString::to_string)
            }
            _ => None,
        }
    })
}

/// The visit and sub-agent tokens in a string.
pub fn tokens_named(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '#' | '/');
    text.split(move |letter: char| !is_part(letter))
        .filter(|word| word.parse::<VisitToken>().is_ok() || word.parse::<ChildToken>().is_ok())
}

fn plain(command: &str) -> Parsed {
    let known = Known {
        outside: &|_| None,
        inside: &BTreeMap::new(),
    };
    parse(command, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_only_call_bugle_are_recognised() {
        let program = |word: &str| word == "bugle" || word == "/opt/bugle";
        assert!(calls_only("bugle done 'r-1#1'", &program));
        assert!(calls_only("/opt/bugle step && bugle runs", &program));
        assert!(calls_only("bugle run show r-1 && bugle message list", &program));
        assert!(!calls_only("bugle run cancel r-1", &program));
        assert!(!calls_only("bugle run $x r-1", &program));
        assert!(!calls_only("PATH=/elsewhere bugle step", &program));
        assert!(!calls_only("bugle setup claude", &program));
        assert!(!calls_only("bugle done 'r-1#1' > x", &program));
        assert!(!calls_only("bugle step; rm x", &program));
        assert!(!calls_only("bugle note \"$(rm x)\"", &program));
        assert!(!calls_only("bugle note <(rm x)", &program));
        assert!(!calls_only("", &program));
    }

    #[test]
    fn a_command_that_starts_a_sub_agent_is_recognised() {
        let program = |word: &str| word == "bugle";
        let command = "cd /x && bugle start --child 'r-1#2/3'";
        assert_eq!(child_started(command, &program).as_deref(), Some("r-1#2/3"));
        assert_eq!(child_started("bugle start planner", &program), None);
        assert_eq!(child_started("echo bugle start --child x", &program), None);
    }

    #[test]
    fn tokens_are_found_anywhere_in_a_string() {
        let command = "cd /x && bugle start --child 'r-1aaaaa#2/3'; B=bugle; $B done \"r-2bbbbb#1\" # r-3";
        let found: Vec<&str> = tokens_named(command).collect();
        assert_eq!(found, ["r-1aaaaa#2/3", "r-2bbbbb#1"]);
    }
}
