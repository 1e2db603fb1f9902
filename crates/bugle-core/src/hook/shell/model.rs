//! The effects of a shell command: the files that it writes and its calls to Bugle.

/// A file that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The program that writes the file; `None` for a redirection.
    pub program: Option<String>,
    /// The file.
    pub target: WriteTarget,
    /// How it is accessed.
    pub access: Access,
}

/// The file that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteTarget {
    /// A file that the command names.
    File {
        /// The file's name as written in the command.
        shown: String,
        /// The file's path from each possible current directory.
        paths: Vec<String>,
        /// Whether the command certainly writes this file.
        is_certain: bool,
    },
    /// A file that is known only when the command runs. Contains the file as written in the command, if any.
    Unknown(Option<String>),
}

/// How a file is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Written.
    Write,
    /// Removed, moved or made inaccessible, including everything in it.
    Tree,
    /// Opened as a database, or by code that may write it.
    Open,
}

/// The findings for a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::hook) struct Reading {
    /// The files that the command writes.
    pub writes: Vec<Write>,
    /// The calls to Bugle in the command.
    pub calls: Vec<BugleCall>,
}

/// A call to Bugle in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hook) struct BugleCall {
    /// The words after the program name.
    pub words: Vec<String>,
    /// Whether the command removes or changes the client's session in its environment.
    pub hides_session: bool,
}

/// The environment that a command runs in.
#[derive(Clone, Copy)]
pub struct Shell<'a> {
    /// Whether a word calls Bugle.
    pub program: &'a dyn Fn(&str) -> bool,
    /// An environment variable's value, if it is reliable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The variables through which clients pass the session to a command.
    pub session_variables: &'a [&'a str],
}

impl std::fmt::Debug for Shell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shell")
    }
}

/// The effects of code in another language, as far as its source shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    /// Whether the code may write unknown files.
    pub may_write: bool,
    /// The files that the code writes.
    pub files: Vec<String>,
    /// The shell commands that the code runs.
    pub commands: Vec<String>,
    /// The string literals in the code. Any of them may be a file name.
    pub texts: Vec<String>,
}
