//! The commands that agents run at every step are parsed without building all the others first: that would be a tenth of
//! what they cost.

use std::ffi::OsString;

use clap::{Parser as _, Subcommand};

use crate::arguments::{Arguments, Command, DoneArguments, StepArguments};
use crate::arguments_wake::WakeArguments;

const WORDS: [&str; 3] = ["done", "step", "wake"];

#[derive(Debug, Subcommand)]
enum Frequent {
    Done(DoneArguments),
    Step(StepArguments),
    Wake(WakeArguments),
}

impl From<Frequent> for Command {
    fn from(command: Frequent) -> Self {
        match command {
            Frequent::Done(arguments) => Self::Done(arguments),
            Frequent::Step(arguments) => Self::Step(arguments),
            Frequent::Wake(arguments) => Self::Wake(arguments),
        }
    }
}

/// What was said on the command line. If it is wrong, or asks for help, the process ends here with what there is to say.
pub(crate) fn parse(words: &[OsString]) -> Arguments {
    if words
        .iter()
        .any(|word| WORDS.iter().any(|frequent| word == frequent))
        && let Ok(arguments) = Arguments::<Frequent>::try_parse_from(words)
    {
        return Arguments {
            json: arguments.json,
            directory: arguments.directory,
            command: arguments.command.into(),
        };
    }
    // Help and mistakes too are for the whole program to tell.
    Arguments::parse_from(words)
}
