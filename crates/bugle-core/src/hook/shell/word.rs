//! The parts of a shell command: words, simple commands and their input.

use std::collections::BTreeMap;

/// Placeholder in a word for a part that is known only when the command runs.
pub(super) const UNKNOWN: char = '\0';
/// Placeholder in a word for a glob.
pub(in crate::hook) const GLOB: char = '\u{1}';
/// Placeholder in a word for a brace expansion.
pub(in crate::hook) const BRACES: char = '\u{2}';

/// A word in a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The word without quotes. [`UNKNOWN`], [`GLOB`] and [`BRACES`] replace the parts that the shell fills in later.
    pub text: String,
    /// The word as written.
    pub raw: String,
    /// Whether the command certainly receives exactly this text. That is not certain for a variable that the command
    /// itself sets, because the variable may be set again.
    pub is_certain: bool,
    /// Whether the word is a process substitution.
    pub is_process: bool,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            raw: text.to_owned(),
            is_certain: true,
            is_process: false,
        }
    }

    pub(super) fn unknown(raw: &str) -> Self {
        Self {
            text: UNKNOWN.to_string(),
            raw: raw.to_owned(),
            is_certain: false,
            is_process: false,
        }
    }

    /// The name and value, if the word is an assignment.
    pub(super) fn assignment(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        (begins && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((name, value))
    }
}

/// A command's stdin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// The stdin of the enclosing command.
    #[default]
    Inherited,
    /// Text within the command.
    Text(String),
    /// A file or another process.
    Elsewhere,
}

/// A simple command: words without operators.
#[derive(Debug, Clone, Default)]
pub(super) struct Simple {
    pub(super) id: usize,
    /// The previous command in the pipeline.
    pub(super) after: Option<usize>,
    /// The command's words.
    pub words: Vec<Word>,
    /// The files that the command's output is redirected to.
    pub targets: Vec<Word>,
    /// The command's stdin.
    pub input: Input,
}

impl Simple {
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.targets.is_empty()
    }
}

/// Variables with a known value.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Set outside the command.
    pub outside: &'a dyn Fn(&str) -> Option<String>,
    /// Set by earlier commands.
    pub inside: &'a BTreeMap<String, String>,
}

/// The parsed form of a command.
pub(super) struct Parsed {
    /// The simple commands, including those in substitutions.
    pub commands: Vec<Simple>,
    /// The variables that the command sets to known values.
    pub variables: BTreeMap<String, String>,
    pub(super) positions: BTreeMap<usize, usize>,
}

impl Parsed {
    /// The previous command in the pipeline.
    pub(super) fn before(&self, simple: &Simple) -> Option<&Simple> {
        self.commands.get(*self.positions.get(&simple.after?)?)
    }
}

/// The words as one command line.
pub(super) fn joined(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// The name of a program, without its folder.
pub(super) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
