//! Keeps the documents in line with the program: the command reference is generated from the argument definitions, and
//! every `bugle` command in a code block must parse.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory as _};

use crate::commands::cli::Cli;

const HEAD: &str = "# Commands

<!-- Generated from the argument definitions: BUGLE_WRITE_REFERENCE=1 cargo test -p bugle-cli reference -->

Every command and its arguments, as `bugle help COMMAND` prints them.

Refer to a run, task, plan, message or wake-up by its id or an id prefix. Without a terminal, Bugle prints steps as XML;
`--format` chooses another format with the same content, and `--json` prints one versioned JSON document. Bugle honours
`NO_COLOR`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed: a problem with a file, the database or the system |
| 2 | wrong usage |
| 3 | refused by Bugle's rules; nothing changed, and the output says what to do |
| 4 | not found |

";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

/// An argument's syntax on the command line.
fn spelling(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let value = names
        .iter()
        .map(clap::builder::Str::as_str)
        .collect::<Vec<_>>()
        .join(" ");
    let takes = argument.get_action().takes_values();
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let words = [short, long].into_iter().flatten().collect::<Vec<_>>();
    match (words.is_empty(), takes) {
        (true, _) => value,
        (false, true) => format!("{} {value}", words.join(", ")),
        (false, false) => words.join(", "),
    }
}

/// The help of an argument, its possible values and its default.
fn meaning(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    if argument.get_action().takes_values() && !values.is_empty() {
        let words: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => format!("`{}` ({help})", value.get_name()),
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        write!(text, ". One of {}", words.join(", ")).unwrap();
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        write!(text, ". Default: {}", defaults.join(", ")).unwrap();
    }
    cell(&text)
}

/// The arguments of a command, without global ones.
fn table(command: &Command) -> String {
    let own = command.get_arguments().filter(|argument| {
        !argument.is_hide_set()
            && !argument.is_global_set()
            && !["help", "version"].contains(&argument.get_id().as_str())
    });
    let rows: String = own
        .map(|argument| {
            format!(
                "| `{}` | {} |\n",
                spelling(argument).replace('|', "\\|"),
                meaning(argument)
            )
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    format!("\n| argument | meaning |\n|---|---|\n{rows}")
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// The section for a command and its subcommands.
fn section(text: &mut String, command: &Command, path: &str, level: usize) {
    let name = format!("{path} {}", command.get_name());
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    writeln!(
        text,
        "\n{} {name}\n\n{}.",
        "#".repeat(level),
        about.trim_end_matches('.').replacen("\n\n", ".\n\n", 1)
    )
    .unwrap();
    if visible(command).next().is_none() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace('\n', " ");
        writeln!(text, "\n```text\n{usage}\n```").unwrap();
    }
    text.push_str(&table(command));
    for below in visible(command) {
        section(text, below, &name, level + 1);
    }
}

fn reference() -> String {
    let mut command = <Cli>::command();
    command.build();
    let mut text = HEAD.to_owned();
    text.push_str("| command | description |\n|---|---|\n");
    for below in visible(&command) {
        let name = below.get_name();
        let about = below.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(text, "| [`bugle {name}`](#bugle-{name}) | {} |", cell(&about)).unwrap();
    }
    text.push_str("\nAll commands accept these options:\n\n| option | meaning |\n|---|---|\n");
    let everywhere = command
        .get_arguments()
        .filter(|argument| argument.is_global_set());
    for argument in everywhere {
        writeln!(text, "| `{}` | {} |", spelling(argument), meaning(argument)).unwrap();
    }
    text.push_str("| `-h, --help` | Print the help |\n");
    for below in visible(&command) {
        section(&mut text, below, "bugle", 2);
    }
    text
}

#[test]
fn the_command_reference_is_up_to_date() {
    let file = root().join("docs/reference/commands.md");
    let text = reference();
    if std::env::var_os("BUGLE_WRITE_REFERENCE").is_some() {
        fs::write(file, text).unwrap();
        return;
    }
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        text,
        "docs/reference/commands.md is out of date; run the command on its third line to regenerate it"
    );
}

/// The commands in a line of shell, each as words. Ignores comments and redirections, and does not expand
/// substitutions.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#' | '>' | '<') if word.is_none() => break,
            (None, '|' | '&' | ';' | ' ') => {
                all.last_mut().unwrap().extend(word.take());
                if letter != ' ' {
                    all.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    all.last_mut().unwrap().extend(word);
    all
}

/// The words of one command.
pub(crate) fn words(line: &str) -> Vec<String> {
    commands(line).swap_remove(0)
}

/// The `bugle` commands in a document, with their line numbers.
fn calls(document: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut kind: Option<String> = None;
    let mut until: Option<String> = None;
    for (index, line) in document.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            kind = match kind {
                Some(_) => None,
                None => Some(info.split([',', ' ']).next().unwrap_or_default().to_owned()),
            };
            continue;
        }
        if let Some(end) = &until {
            if line == end {
                until = None;
            }
            continue;
        }
        let line = match kind.as_deref() {
            Some("sh") => line,
            Some("") => line.strip_prefix("$ ").unwrap_or(line),
            Some("console") => match line.strip_prefix("$ ") {
                Some(line) => line,
                // Command output.
                None => continue,
            },
            _ => continue,
        };
        if let Some((_, end)) = line.split_once("<<'") {
            until = end.split('\'').next().map(str::to_owned);
        }
        let own = commands(line)
            .into_iter()
            .filter(|words| words.first().is_some_and(|word| word == "bugle"));
        found.extend(own.map(|words| (index + 1, words)));
    }
    found
}

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name))
        .to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_line_of_shell_is_split_into_commands() {
    assert_eq!(
        commands("cd / && bugle say \"@a 'b' | c\" x='d e' # f"),
        vec![
            vec!["cd", "/"],
            vec![],
            vec!["bugle", "say", "@a 'b' | c", "x=d e"]
        ]
    );
    assert_eq!(
        commands("bugle done 'r-1#2' > out"),
        vec![vec!["bugle", "done", "r-1#2"]]
    );
}

#[test]
fn calls_are_found_in_code_blocks() {
    let document = "bugle one\n```sh\nbugle two\ncat > x <<'END'\nbugle three\nEND\nbugle four\n```\n```yaml\nbugle five\n```\n```console\n$ bugle six\n```\n";
    let found = calls(document);
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 7, 13], "{found:?}");
}

#[test]
fn every_call_in_the_documents_parses() {
    let mut faults = Vec::new();
    let mut number = 0;
    for path in documents() {
        for (line, words) in calls(&fs::read_to_string(&path).unwrap()) {
            number += 1;
            if let Err(error) = <Cli>::command().try_get_matches_from(&words)
                && error.use_stderr()
            {
                let message = error.to_string();
                let message = message.lines().next().unwrap_or_default();
                faults.push(format!("{}:{line}: {words:?}: {message}", path.display()));
            }
        }
    }
    assert!(number > 50, "only {number} calls were found");
    assert!(faults.is_empty(), "\n\n{}\n", faults.join("\n"));
}

/// Store and project commands that an agent may run.
const HARMLESS: [(&str, &str); 7] = [
    ("store", "verify"),
    ("store", "migrate"),
    ("store", "backup"),
    ("store", "export"),
    ("store", "pooler"),
    ("project", "list"),
    ("team", "list"),
];

#[test]
fn the_hook_knows_every_command_about_the_store_or_projects() {
    let program = <Cli>::command();
    let mut found = Vec::new();
    for group in ["store", "project", "team"] {
        let command = program.find_subcommand(group).unwrap();
        let names = command.get_subcommands().map(|inner| inner.get_name().to_owned());
        found.extend(
            names
                .filter(|name| name != "help")
                .map(|name| (group.to_owned(), name)),
        );
    }
    let judged = HARMLESS.into_iter().chain(bugle_core::hook::STORE_CHANGES);
    let mut judged: Vec<(String, String)> = judged
        .map(|(group, name)| (group.to_owned(), name.to_owned()))
        .collect();
    found.sort();
    judged.sort();
    assert_eq!(found, judged);
}
