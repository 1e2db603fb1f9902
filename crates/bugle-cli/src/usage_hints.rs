//! Hints for command lines that do not parse: the nearest command, and where to find a missing argument.

use bugle_core::did_you_mean::nearest;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

/// Arguments whose values a command lists.
const LISTED: &[(&str, &str)] = &[
    ("<SKILL>", "`bugle skill list` lists the skills."),
    ("<TASK>", "`bugle task list` lists the tasks."),
    ("<RUN>", "`bugle run list` lists the runs."),
    ("<VISIT>", "`bugle step` prints the current visit."),
    ("<AGENT>", "`bugle agent list` lists the agents."),
    ("<QUESTION> [TEXT]...", "`bugle inbox` lists the open questions."),
    ("<PLAN>", "`bugle plan list` lists the plans."),
    ("<CLIENT>...", "`bugle setup --help` lists the clients."),
];

/// The hint for `bugle decide` without a run.
const OPEN_QUESTIONS: &str =
    "`bugle` lists the questions that wait for you, with the commands that answer them.";

/// Adds hints to the parser's error.
pub(crate) fn with_hints(mut error: clap::Error) -> clap::Error {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let similar = text(&error, ContextKind::SuggestedSubcommand);
    let wrong = text(&error, ContextKind::InvalidSubcommand);
    // The parser lists every command that shares some letters, the nearest one last.
    if let (Some(wrong), Some(last)) = (wrong.first(), similar.last()) {
        let best = nearest(wrong, similar.iter().map(String::as_str)).unwrap_or(last);
        let best = ContextValue::Strings(vec![best.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, best);
    }
    if !wrong.is_empty() && similar.is_empty() {
        let hint = StyledStr::from("`bugle help all` lists every command.");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint]));
    }
    if error.kind() == clap::error::ErrorKind::MissingRequiredArgument {
        let missing = text(&error, ContextKind::InvalidArg);
        let usage = error.get(ContextKind::Usage).map(ToString::to_string);
        let is_decide = usage.is_some_and(|usage| usage.contains(" decide "));
        let listed = LISTED
            .iter()
            .filter(|(argument, _)| missing.iter().any(|one| one == argument))
            .map(|(_, hint)| if is_decide { OPEN_QUESTIONS } else { *hint });
        let hints: Vec<StyledStr> = listed.map(StyledStr::from).collect();
        if !hints.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(hints));
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::with_hints;
    use crate::commands::cli::Cli;

    fn message(line: &str) -> String {
        let error = <Cli>::try_parse_from(line.split(' ')).unwrap_err();
        with_hints(error).to_string()
    }

    #[test]
    fn only_the_nearest_command_is_suggested() {
        let message = message("bugle statuss");
        assert!(
            message.contains("a similar subcommand exists: 'status'\n"),
            "{message}"
        );
    }

    #[test]
    fn a_word_that_resembles_no_command_leads_to_the_list_of_commands() {
        let message = message("bugle xqzw");
        assert!(
            message.contains("`bugle help all` lists every command."),
            "{message}"
        );
    }

    #[test]
    fn a_missing_argument_names_the_command_that_lists_its_values() {
        for (line, command) in [
            ("bugle start", "bugle skill list"),
            ("bugle task done", "bugle task list"),
            ("bugle done", "bugle step"),
            ("bugle answer", "bugle inbox"),
            ("bugle decide", "`bugle` lists the questions"),
        ] {
            assert!(message(line).contains(command), "{}", message(line));
        }
    }
}
