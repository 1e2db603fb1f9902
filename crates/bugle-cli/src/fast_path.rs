//! Fast paths for frequent commands. Hooks are dispatched before any argument is parsed. `done`, `step` and `wake` have
//! their own parser, because building the parser for all commands takes a tenth of their run time.

use std::ffi::OsString;
use std::process::ExitCode;

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

/// Parses the command line. If it is invalid or asks for help, prints the error or the help and exits.
pub(crate) fn parse(arguments: &[OsString]) -> Cli {
    let is_fast = |argument| NAMES.iter().any(|name| argument == name);
    if arguments.iter().any(is_fast)
        && let Ok(cli) = Cli::<FastCommand>::try_parse_from(arguments)
    {
        return Cli {
            options: cli.options,
            command: cli.command.map(Into::into),
        };
    }
    // The full parser prints help and errors.
    let arguments = with_current_names(arguments.to_vec());
    let is_program_help = !has_command(&arguments);
    match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(help) if is_program_help && help.kind() == ErrorKind::DisplayHelp => {
            // Ignore a closed pipe.
            let _ = print(&daily());
            std::process::exit(0);
        }
        Err(error) => error.exit(),
    }
}
