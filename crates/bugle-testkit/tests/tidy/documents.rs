//! Commands and options in the documents exist in the program's arguments.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{TextFile, assert_no_faults, texts};

/// The command line.
#[derive(Debug, Default)]
struct Known {
    /// Commands, each with its subcommands.
    commands: BTreeMap<String, BTreeSet<String>>,
    /// Names of options. Includes positional arguments, which does no harm.
    options: BTreeSet<String>,
}

/// The text of all files that define arguments.
fn arguments(files: &[TextFile]) -> String {
    let defines = |file: &&TextFile| {
        file.path == "crates/bugle-cli/src/global_options.rs"
            || file.path.starts_with("crates/bugle-cli/src/commands/")
    };
    files
        .iter()
        .filter(defines)
        .map(|file| file.text.as_str())
        .collect()
}

/// Reads the enums and fields of the arguments: `enum Command { Start(start::StartArgs), ... }`.
fn known(arguments: &str) -> Known {
    let mut enums: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut options = BTreeSet::from(["help".to_owned(), "version".to_owned()]);
    let mut open: Option<String> = None;
    for line in arguments.lines() {
        if let Some(rest) = line.strip_prefix("pub(crate) enum ") {
            open = Some(rest.trim_end_matches(" {").to_owned());
        } else if line == "}" {
            open = None;
        } else if let Some((_, named)) = line.split_once("long = \"") {
            options.insert(named.split('"').next().unwrap_or_default().to_owned());
        } else if let Some(field) = field(line) {
            options.insert(field.replace('_', "-"));
        } else if let Some(name) = &open
            && let Some(variant) = line
                .strip_prefix("    ")
                .filter(|rest| rest.starts_with(char::is_uppercase))
        {
            let (variant, inner) = variant
                .trim_end_matches(',')
                .split_once('(')
                .unwrap_or((variant, ""));
            let variant = kebab(variant.trim_end_matches(','));
            enums
                .entry(name.clone())
                .or_default()
                .push((variant, type_name(inner)));
        }
    }
    let inner = |name: &str| {
        let variants = enums.get(name).into_iter().flatten();
        variants.map(|(variant, _)| variant.clone()).collect()
    };
    let commands = enums
        .get("Command")
        .into_iter()
        .flatten()
        .map(|(variant, arguments)| (variant.clone(), inner(arguments)))
        .collect();
    Known { commands, options }
}

/// The name of a field that a line declares.
fn field(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("    ")?;
    let (name, _) = declared.trim_start_matches("pub ").split_once(": ")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_name.then_some(name)
}

/// The type in `task::TaskCommand)`, without its module.
fn type_name(inner: &str) -> String {
    let path = inner.trim_end_matches(')');
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// The calls of `bugle` in a document's inline code and code blocks.
fn calls(document: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in document.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let pieces: Vec<&str> = if fenced || line.starts_with("    ") {
            vec![line.trim().trim_start_matches("$ ")]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        let pieces = pieces
            .into_iter()
            .filter_map(|piece| piece.strip_prefix("bugle "));
        found.extend(pieces.map(|call| (index + 1, call.to_owned())));
    }
    found
}

fn fault(call: &str, known: &Known) -> Option<String> {
    // Skip quoted values, comments, and everything after a pipe.
    let call = call.split([';', '|', '>']).next().unwrap_or_default();
    let call = call.split(" # ").next().unwrap_or_default();
    let bare: String = call.split(['"', '\'']).step_by(2).collect();
    let mut words = bare.split_whitespace().filter(|word| *word != "...");
    let mut command = None;
    let mut inner = None;
    while let Some(word) = words.next() {
        if let Some(option) = word.strip_prefix("--") {
            let option = option.split('=').next().unwrap_or_default().trim_end_matches(']');
            if !known.options.contains(option) {
                return Some(format!("there is no option `--{option}`"));
            }
        } else if word == "-C" {
            words.next();
        } else if command.is_none() {
            command = Some(word);
            if !known.commands.contains_key(word) && word != "help" {
                return Some(format!("there is no command `{word}`"));
            }
        } else if inner.is_none() {
            inner = Some(word);
            let own = command.and_then(|command| known.commands.get(command));
            if own.is_some_and(|own| !own.is_empty() && !own.contains(word)) {
                return Some(format!(
                    "there is no command `{} {word}`",
                    command.unwrap_or_default()
                ));
            }
        }
    }
    None
}

fn faults(document: &TextFile, known: &Known) -> Vec<String> {
    calls(&document.text)
        .into_iter()
        .filter_map(|(line, call)| {
            let fault = fault(&call, known)?;
            Some(format!("{}:{line}: `bugle {call}`: {fault}", document.path))
        })
        .collect()
}

#[test]
fn a_command_that_does_not_exist_is_a_fault() {
    let arguments = "
pub(crate) enum Command {
    /// Start
    Start(StartArguments),
    #[command(subcommand)]
    Skill(SkillCommand),
}
pub(crate) struct StartArguments {
    pub params_file: Option<PathBuf>,
}
pub(crate) enum SkillCommand {
    List,
    ShowAll(SkillName),
}
";
    let known = known(arguments);
    let of = |text: &str| faults(&TextFile::new("a.md", text), &known).len();
    assert_eq!(of("run `bugle start x --params-file y`\n"), 0);
    assert_eq!(of("`bugle skill show-all` and `bugle skill list`\n"), 0);
    assert_eq!(of("```\n$ bugle start x \"y --z\"\n```\n"), 0);
    assert_eq!(of("bugle plays in prose\n"), 0);
    assert_eq!(of("run `bugle begin x`\n"), 1);
    assert_eq!(of("run `bugle start --fast`\n"), 1);
    assert_eq!(of("run `bugle skill lst`\n"), 1);
    assert_eq!(of("```\nbugle begin\n```\n    bugle begin\n"), 2);
}

#[test]
fn documents_name_only_commands_that_exist() {
    let files = texts();
    let known = known(&arguments(&files));
    assert!(
        known.commands.contains_key("done") && known.commands["skill"].contains("graph"),
        "{known:?}"
    );
    let documents = files.iter().filter(|file| file.has_extension("md"));
    assert_no_faults(
        &documents
            .flat_map(|file| faults(file, &known))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn the_reference_names_every_command() {
    let path = "docs/reference/commands.md";
    let files = texts();
    let reference = &files.iter().find(|file| file.path == path).unwrap().text;
    let missing: Vec<String> = known(&arguments(&files))
        .commands
        .keys()
        .filter(|command| !reference.contains(&format!("`bugle {command}")))
        .map(|command| format!("{path} does not name `bugle {command}`"))
        .collect();
    assert_no_faults(&missing);
}
