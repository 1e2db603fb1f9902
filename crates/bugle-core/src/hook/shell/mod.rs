//! Analyses a shell command by its source: the files that it writes, and its calls to Bugle.
//!
//! Detects redirections, programs that write the files in their arguments, and nested commands: substitutions,
//! functions, `sh -c`, strings piped into a shell. Does not detect the effects of scripts and build tools.

mod awk;
mod before;
mod bugle;
mod code;
mod expand;
mod fetch;
mod git;
mod launcher;
mod model;
mod operands;
mod patch;
mod programs;
mod record;
mod sed;
mod word;
mod words;

use std::collections::BTreeMap;

use before::{Called, called, hides_session};
pub use bugle::{calls_only, child_started, tokens_named};
use model::Code;
pub use model::{Access, Shell, Write, WriteTarget};
pub(super) use model::{BugleCall, Reading};
pub(super) use patch::{Change, changes};
use record::{is_device, within};
pub(super) use word::{BRACES, GLOB};
use word::{Input, Known, Parsed, Simple, UNKNOWN, Word, base, joined};
use words::parse;

/// Shells, which accept a command as a string.
const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
/// Shell built-ins that change the directory.
const CHANGES_DIRECTORY: [&str; 2] = ["cd", "pushd"];
/// Variables whose values other programs run as commands.
const RUN_LATER: [&str; 11] = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "PROMPT_COMMAND",
    "LESSOPEN",
    "BROWSER",
];
/// Maximum nesting depth of commands.
const MAX_DEPTH: usize = 6;
/// Maximum length of a command to parse. Linux does not run longer commands either.
const MAX_LENGTH: usize = 256 * 1024;
/// Maximum number of directories to track as the possible current directory.
const MAX_DIRECTORIES: usize = 8;

/// Analyses a command.
pub(super) fn read(command: &str, shell: &Shell<'_>) -> Reading {
    let mut reader = Reader {
        shell,
        directories: vec![String::new()],
        tails: launcher::MAX_TAILS,
        hides_session: false,
        variables: BTreeMap::new(),
        found: Reading::default(),
    };
    reader.text(command, MAX_DEPTH);
    reader.found
}

/// Collects the findings for a command and all commands inside it.
struct Reader<'a> {
    shell: &'a Shell<'a>,
    /// The possible current directories, starting with the initial directory.
    directories: Vec<String>,
    hides_session: bool,
    variables: BTreeMap<String, String>,
    /// How many more words may be tried as the start of a launcher's command.
    tails: usize,
    found: Reading,
}

impl Reader<'_> {
    /// Reads a string that a shell runs.
    fn text(&mut self, text: &str, depth: usize) {
        let Some(deeper) = depth.checked_sub(1).filter(|_| text.len() <= MAX_LENGTH) else {
            self.unknown(None, None);
            return;
        };
        let known = Known {
            outside: self.shell.variable,
            inside: &self.variables,
        };
        let parsed = parse(text, known);
        for simple in &parsed.commands {
            self.follow(simple);
        }
        self.variables.clone_from(&parsed.variables);
        for simple in &parsed.commands {
            for target in simple.targets.iter().filter(|word| !is_device(&word.text)) {
                self.write(None, target, Access::Write);
            }
            self.simple(simple, &parsed, deeper);
        }
    }

    /// Records the directories that a command changes to, and whether the command hides the session from later
    /// commands.
    fn follow(&mut self, simple: &Simple) {
        self.hides_session |= hides_session(&simple.words, self.shell.session_variables);
        let named = |word: &Word| CHANGES_DIRECTORY.contains(&word.text.as_str());
        let to = match simple.words.as_slice() {
            [name, rest @ ..] if named(name) => rest.iter().find(|word| !word.text.starts_with('-')),
            words => words
                .windows(2)
                .find(|pair| matches!(pair[0].text.as_str(), "-C" | "--chdir" | "--directory"))
                .map(|pair| &pair[1]),
        };
        let Some(to) = to else {
            return;
        };
        for index in 0..self.directories.len() {
            let directory = within(&self.directories[index], &to.text);
            if self.directories.len() < MAX_DIRECTORIES && !self.directories.contains(&directory) {
                self.directories.push(directory);
            }
        }
    }

    fn simple(&mut self, simple: &Simple, parsed: &Parsed, depth: usize) {
        for (name, value) in simple.words.iter().map_while(Word::assignment) {
            if RUN_LATER.contains(&name) {
                self.text(value, depth);
            }
        }
        let input = match &simple.input {
            Input::Text(text) => Some(text.clone()),
            Input::Elsewhere => None,
            Input::Inherited => parsed.before(simple).and_then(printed),
        };
        let called = called(&simple.words, self.shell.session_variables);
        self.call(&called, input.as_deref(), depth);
    }

    /// Reads a program and its arguments. `input` is its stdin, if the command contains it.
    fn call(&mut self, called: &Called<'_>, input: Option<&str>, depth: usize) {
        for text in &called.texts {
            self.text(text, depth);
        }
        let Some((first, rest)) = called.words.split_first() else {
            return;
        };
        if !first.is_certain && first.text.contains(char::is_whitespace) {
            // The shell splits a variable's value into words.
            self.text(&joined(called.words), depth);
            return;
        }
        if (self.shell.program)(&first.text) {
            self.found.calls.push(BugleCall {
                words: rest.iter().map(|word| word.text.clone()).collect(),
                hides_session: self.hides_session || called.hides_session,
            });
            return;
        }
        let name = base(&first.text);
        if name.contains([UNKNOWN, GLOB, BRACES]) || first.is_process {
            self.unknown(None, Some(&first.raw));
            return;
        }
        let fed = called.is_fed.then(|| Word::unknown("xargs"));
        let arguments: Vec<Word> = rest.iter().cloned().chain(fed).collect();
        match name {
            _ if SHELLS.contains(&name) => self.shell_call(name, &arguments, input, depth),
            "eval" => self.text(&joined(&arguments), depth),
            _ if launcher::is_launcher(name) => self.tails(name, &arguments, depth),
            "crontab" if !arguments.iter().any(|word| word.text == "-l") => self.unknown(Some(name), None),
            "trap" | "alias" => {
                for word in &arguments {
                    let text = word.assignment().map_or(word.text.as_str(), |(_, value)| value);
                    self.text(text, depth);
                }
            }
            "export" | "declare" => {
                for (name, value) in arguments.iter().filter_map(Word::assignment) {
                    if RUN_LATER.contains(&name) {
                        self.text(value, depth);
                    }
                }
            }
            "source" | "." => {
                let is_text = |word: &Word| word.is_process || word.text == "/dev/stdin";
                if arguments.first().is_some_and(is_text) {
                    self.fed(name, input, depth);
                }
            }
            "at" | "batch" if !arguments.iter().any(|word| word.text == "-l") => {
                self.fed(name, input, depth);
            }
            "find" => self.find(&arguments, depth),
            "git" => self.git(&arguments, depth),
            _ => {
                if let Some(found) = code::run(name, &arguments, input) {
                    self.code(name, &found, depth);
                }
                self.programs(name, &arguments, input);
            }
        }
    }

    /// Reads a shell that runs a string or its stdin. Script files are not read.
    fn shell_call(&mut self, name: &str, arguments: &[Word], input: Option<&str>, depth: usize) {
        let is_option = |word: &Word| word.text.starts_with(['-', '+']) && word.text.len() > 1;
        let takes_text =
            |word: &Word| is_option(word) && !word.text.starts_with("--") && word.text.contains('c');
        if let Some(at) = arguments.iter().position(takes_text) {
            let text = arguments[at + 1..].iter().find(|word| !is_option(word));
            let text = text.map_or(String::new(), |word| word.text.clone());
            self.text(&text, depth);
            return;
        }
        let asks = |word: &Word| matches!(word.text.as_str(), "--version" | "--help");
        let reads = |word: &Word| matches!(word.text.as_str(), "-" | "/dev/stdin" | "-s") || word.is_process;
        let script = arguments
            .iter()
            .find(|word| !is_option(word) && word.text != "pipefail");
        if script.is_none_or(reads) && !arguments.iter().any(asks) || arguments.iter().any(reads) {
            self.fed(name, input, depth);
        }
    }

    /// Reads a program that runs its stdin.
    fn fed(&mut self, name: &str, input: Option<&str>, depth: usize) {
        match input {
            Some(text) => self.text(text, depth),
            None => self.unknown(Some(name), None),
        }
    }

    /// Reads code in another language.
    fn code(&mut self, name: &str, found: &Code, depth: usize) {
        if found.may_write {
            self.unknown(Some(name), None);
        }
        for command in &found.commands {
            self.text(command, depth);
        }
        for file in &found.files {
            self.write(Some(name), &Word::plain(file), Access::Write);
        }
        for text in &found.texts {
            self.write(Some(name), &self.expanded_home(text), Access::Open);
        }
    }
}

/// A command's output, if the command itself contains it.
fn printed(simple: &Simple) -> Option<String> {
    let (name, rest) = simple.words.split_first()?;
    match (name.text.as_str(), &simple.input) {
        ("echo", _) => {
            let is_option = |word: &&Word| matches!(word.text.as_str(), "-n" | "-e" | "-en" | "-ne" | "-E");
            let words: Vec<Word> = rest.iter().skip_while(is_option).cloned().collect();
            Some(joined(&words).replace("\\n", "\n"))
        }
        ("printf", _) => {
            let (format, values) = rest.split_first()?;
            let mut text = format.text.replace("\\n", "\n");
            for value in values {
                let next = ["%s", "%b", "%q"].iter().filter_map(|mark| text.find(mark)).min();
                if let Some(at) = next {
                    text.replace_range(at..at + 2, &value.text);
                } else {
                    text.push('\n');
                    text.push_str(&value.text);
                }
            }
            Some(text)
        }
        ("cat", Input::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_command_is_linear_in_its_length() {
        let shell = Shell {
            program: &|_| false,
            variable: &|_| None,
            session_variables: &[],
        };
        for piece in [
            "sh|",
            "((",
            "[a",
            "$(",
            "cat <<E\n",
            "eval ",
            "{",
            "a=b;",
            "watch ",
            "env watch ",
        ] {
            read(&piece.repeat(20_000), &shell);
        }
        let too_long = read(&"a".repeat(MAX_LENGTH + 1), &shell);
        assert_eq!(
            too_long.writes.len(),
            1,
            "a command that is too long may write anything"
        );
    }
}
