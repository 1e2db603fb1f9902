//! `bugle help`: lists commands by group, or prints a command's help.

use std::ffi::OsString;
use std::fmt::Write as _;

use bugle_app::{AppError, Exit};
use clap::{Args, Command, CommandFactory as _};

use crate::commands::cli::Cli;
use crate::output::print;
use crate::usage_hints::with_hints;

/// Everyday commands, by group.
const DAILY: [(&str, &[&str]); 5] = [
    ("Work", &["start", "step", "done", "decide", "run"]),
    ("Plan", &["plan", "task"]),
    ("Talk", &["say", "ask", "answer", "inbox", "agent"]),
    ("See", &["status", "ui", "top"]),
    ("Set up", &["setup", "doctor", "skill"]),
];

/// Every command, by group.
const ALL: [(&str, &[&str]); 5] = [
    ("Work", &["start", "step", "done", "decide", "run"]),
    ("Plan", &["plan", "task"]),
    (
        "Talk",
        &["say", "ask", "answer", "inbox", "message", "agent", "up"],
    ),
    ("See", &["status", "ui", "top", "search", "wake", "wakeup"]),
    (
        "Set up",
        &[
            "setup",
            "doctor",
            "demo",
            "skill",
            "trust",
            "convention",
            "role",
            "project",
            "store",
            "team",
            "plugin",
            "mcp",
            "hook",
            "statusline",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// Print help for a command, or list all commands
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle help run show")]
pub(crate) struct HelpArgs {
    /// Command name, or `all` to list every command
    #[arg(value_name = "COMMAND")]
    words: Vec<OsString>,
}

pub(crate) fn run(args: HelpArgs) -> Result<Exit, AppError> {
    match args.words.as_slice() {
        [] => print(&daily())?,
        [word] if word == "all" => print(&all())?,
        _ => {
            let words = std::iter::once("bugle".into()).chain(args.words);
            let asked = <Cli>::command().try_get_matches_from(words.chain(["--help".into()]));
            if let Err(help) = asked {
                with_hints(help).exit();
            }
        }
    }
    Ok(Exit::Done)
}

/// The text of `bugle --help`, limited to one screen.
pub(crate) fn daily() -> String {
    let program = program();
    let mut text = format!(
        "{}\n\nUsage: bugle [OPTIONS] [COMMAND]\n",
        program.get_about().map(ToString::to_string).unwrap_or_default()
    );
    for (heading, names) in DAILY {
        let _ = write!(text, "\n{heading}\n");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            push_line(&mut text, command.get_name(), command, 9);
        }
    }
    text.push_str("\nOptions\n");
    for (option, meaning) in [
        ("-C <DIR>", "Run as if started in this folder"),
        ("--as <AGENT>", "Act as this agent"),
        ("--format <FORMAT>", "Output format: xml, text, json or md"),
        ("--json", "Same as --format json"),
    ] {
        let _ = writeln!(text, "  {option:<19}{meaning}");
    }
    text.push_str(
        "\n`bugle` alone shows the status. `bugle help COMMAND` explains a command.\n`bugle help all` lists every command. `bugle demo` plays a scripted demo.\n",
    );
    text
}

/// Every command, one per line.
fn all() -> String {
    let program = program();
    let mut text = String::new();
    for (heading, names) in ALL {
        let _ = write!(text, "{heading}\n\n");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            push_all(&mut text, &[], command);
        }
        text.push('\n');
    }
    text.push_str("`bugle help COMMAND` explains a command.\n");
    text
}

fn push_all(text: &mut String, path: &[&str], command: &Command) {
    let path: Vec<&str> = path.iter().copied().chain([command.get_name()]).collect();
    let inner: Vec<&Command> = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .collect();
    if inner.is_empty() || command.get_positionals().next().is_some() {
        push_line(text, &path.join(" "), command, 21);
    }
    for inner in inner {
        push_all(text, &path, inner);
    }
}

fn push_line(text: &mut String, name: &str, command: &Command, width: usize) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(text, "  {name:<width$}{about}");
}

fn program() -> Command {
    <Cli>::command()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_daily_help_fits_one_screen() {
        let help = daily();
        assert!(help.lines().count() <= 40, "{}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }

    #[test]
    fn every_visible_command_is_in_one_group() {
        let program = program();
        let names = program.get_subcommands().filter(|command| !command.is_hide_set());
        let visible: BTreeSet<&str> = names.map(Command::get_name).collect();
        let listed: Vec<&str> = ALL.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), visible);
        assert_eq!(listed.len(), visible.len());
        let daily = DAILY.iter().flat_map(|(_, names)| names.iter());
        assert!(daily.into_iter().all(|name| visible.contains(name)));
    }

    #[test]
    fn every_command_and_group_has_an_example_that_it_takes() {
        fn check(command: &Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            for inner in command.get_subcommands() {
                check(inner, &path);
            }
            let help = command.get_after_help().map(ToString::to_string);
            let example = help.unwrap_or_default();
            let Some(example) = example.strip_prefix("Example:\n  ") else {
                panic!("{path} has no example");
            };
            assert!(example.contains(path.trim()), "{path}: {example}");
            let call = example.split(" | ").last().unwrap_or_default();
            let words = crate::reference_tests::words(call);
            let parsed = <Cli>::command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{example}: {parsed:?}");
        }
        for command in program().get_subcommands() {
            check(command, "bugle");
        }
    }

    #[test]
    fn an_example_with_a_built_in_skill_and_a_step_names_a_step_of_that_skill() {
        fn examples(command: &Command) -> Vec<String> {
            let inner = command.get_subcommands().flat_map(examples);
            let own = command.get_after_help().map(ToString::to_string);
            inner.chain(own).collect()
        }
        let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
        let workflow_of = |name: &str| fs::read_to_string(skills.join(name).join("workflow.yaml")).ok();
        let mut checked = 0;
        for example in examples(&program()) {
            let workflow = example.split_whitespace().find_map(workflow_of);
            let step = example
                .split_whitespace()
                .skip_while(|word| *word != "--step")
                .nth(1);
            let (Some(workflow), Some(step)) = (workflow, step) else {
                continue;
            };
            let steps = workflow.split_once("\nsteps:\n").map_or("", |(_, steps)| steps);
            let key = format!("  {step}:");
            assert!(steps.lines().any(|line| line == key), "{example}");
            checked += 1;
        }
        assert!(checked > 0);
    }
}
