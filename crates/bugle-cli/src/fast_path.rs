//! Fast paths for frequent commands. Hooks are dispatched before any argument is parsed. `done`, `step` and `wake` have
//! their own parser, because building the parser for all commands takes a tenth of their run time.

use std::ffi::OsString;
use std::process::ExitCode;

use bugle_app::AppError;
use clap::error::ErrorKind;
use clap::{Parser as _, Subcommand};

use crate::commands::cli::Cli;
use crate::commands::done::DoneArgs;
use crate::commands::help::daily;
use crate::commands::old_spellings::{has_command, with_current_names};
use crate::commands::step::StepArgs;
use crate::commands::wake::WakeArgs;
use crate::commands::{Command, carry, hook, statusline};
use crate::global_options::GlobalOptions;
use crate::output::{Output, print};
use crate::usage_hints::with_hints;

const NAMES: [&str; 3] = ["done", "step", "wake"];

#[derive(Debug, Subcommand)]
enum FastCommand {
    Done(DoneArgs),
    Step(StepArgs),
    Wake(WakeArgs),
}

impl From<FastCommand> for Command {
    fn from(command: FastCommand) -> Self {
        match command {
            FastCommand::Done(args) => Self::Done(args),
            FastCommand::Step(args) => Self::Step(args),
            FastCommand::Wake(args) => Self::Wake(args),
        }
    }
}

/// Runs an internal command, which only clients or Bugle itself call. Returns `None` for any other command.
pub(crate) fn dispatch(arguments: &[OsString]) -> Option<ExitCode> {
    match arguments.split_first() {
        // The parser prints help.
        Some((name, rest)) if (name == "hook" || name == "statusline") && asks_for_help(rest) => return None,
        Some((name, rest)) if name == "hook" => hook::run(rest),
        Some((name, _)) if name == "statusline" => statusline::run(),
        Some((name, rest)) if name == "carry" => {
            if let Err(error) = carry::run(rest) {
                return Some(Output::new(&GlobalOptions::default()).error(&error));
            }
        }
        // Some clients treat the exit code for a usage error as a denial.
        None if hook::is_called_without_arguments() => {}
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    arguments
        .first()
        .is_some_and(|first| first == "--help" || first == "-h")
}

/// Parses the command line. If it is invalid or asks for help, prints the error or the help and returns the exit code.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, ExitCode> {
    let is_fast = |argument| NAMES.iter().any(|name| argument == name);
    if arguments.iter().any(is_fast)
        && let Ok(cli) = Cli::<FastCommand>::try_parse_from(arguments)
    {
        return Ok(Cli {
            options: cli.options,
            command: cli.command.map(Into::into),
        });
    }
    // The full parser prints help and errors.
    let arguments = with_current_names(arguments.to_vec());
    let is_program_help = !has_command(&arguments);
    let wants_json = wants_json(&arguments);
    Cli::try_parse_from(arguments)
        .map_err(with_hints)
        .map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp if is_program_help => {
                // Ignore a closed pipe.
                let _ = print(&daily());
                ExitCode::SUCCESS
            }
            _ if wants_json && error.use_stderr() => {
                let options = GlobalOptions {
                    json: true,
                    ..GlobalOptions::default()
                };
                Output::new(&options).error(&usage_error(&error.to_string()))
            }
            _ => error.exit(),
        })
}

/// Whether the caller asks for JSON. Does not use the parser, because the arguments may be invalid.
fn wants_json(arguments: &[OsString]) -> bool {
    let options = || arguments.iter().take_while(|argument| *argument != "--");
    let values = options().skip(1);
    let is_format = |(option, value): (&OsString, &OsString)| option == "--format" && value == "json";
    options().any(|option| option == "--json" || option == "--format=json")
        || options().zip(values).any(is_format)
}

/// The parser's message. The first paragraph describes the error, and the others contain hints.
fn usage_error(message: &str) -> AppError {
    let mut paragraphs = message.trim().split("\n\n").map(str::trim);
    let what = paragraphs.next().unwrap_or_default();
    AppError::Usage {
        what: what.strip_prefix("error: ").unwrap_or(what).to_owned(),
        hints: paragraphs.map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_in_arguments_that_do_not_parse() {
        let of = |line: &str| wants_json(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in [
            "bugle --json statsu",
            "bugle x --format json",
            "bugle x --format=json",
        ] {
            assert!(of(line), "{line}");
        }
        for line in [
            "bugle statsu",
            "bugle x --format text json",
            "bugle say -- --json",
        ] {
            assert!(!of(line), "{line}");
        }
    }

    #[test]
    fn a_usage_error_says_what_is_wrong_and_what_to_do() {
        let view = usage_error(
            "error: unrecognized subcommand 'statsu'\n\n  tip: a similar subcommand exists: 'status'\n\nUsage: bugle\n",
        )
        .view();
        assert_eq!(view.message, "unrecognized subcommand 'statsu'");
        assert_eq!(
            view.hints,
            ["tip: a similar subcommand exists: 'status'", "Usage: bugle"]
        );
        assert_eq!(view.exit, 2);
    }
}
