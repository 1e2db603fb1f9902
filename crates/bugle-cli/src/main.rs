//! The `bugle` command: arguments in, one use case, an answer out.

mod arguments;
mod arguments_agent;
mod arguments_frequent;
mod arguments_mcp;
mod arguments_message;
mod arguments_project;
mod arguments_role;
mod arguments_setup;
mod arguments_spawn;
mod arguments_task;
mod arguments_ui;
mod arguments_wake;
mod browser;
mod commands;
mod demo;
mod output;
#[cfg(test)]
mod reference_tests;
mod top;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // What clients call while somebody waits is told apart before arguments are parsed.
    match words.next() {
        Some(word) if word == "hook" => {
            commands::hook::hook(&words.collect::<Vec<_>>());
            return ExitCode::SUCCESS;
        }
        Some(word) if word == "statusline" => {
            commands::hook::status_line();
            return ExitCode::SUCCESS;
        }
        Some(word) if word == "carry" => {
            return match commands::spawn::carry(&words.collect::<Vec<_>>()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => output::Output::new(false).error(&error),
            };
        }
        // A client that cannot make anything of an exit code but a denial must not get one.
        None if commands::hook::is_called_without_words() => return ExitCode::SUCCESS,
        _ => {}
    }
    let words: Vec<_> = std::env::args_os().collect();
    let arguments = arguments_frequent::parse(&words);
    let output = output::Output::new(arguments.json);
    match commands::run(arguments, &output) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => output.error(&error),
    }
}
