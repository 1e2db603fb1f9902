//! The `bugle` command: parses arguments, runs one use case, prints the answer.

mod browser;
mod client_argument;
mod commands;
mod demo;
mod fast_path;
mod global_options;
mod input;
mod local_time;
mod output;
#[cfg(test)]
mod reference_tests;
mod top;
mod usage_hints;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(exit) = fast_path::dispatch(arguments.get(1..).unwrap_or_default()) {
        return exit;
    }
    let cli = match fast_path::parse(&arguments) {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    let output = output::Output::new(&cli.options);
    match commands::run(cli, &output) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => output.error(&error),
    }
}
