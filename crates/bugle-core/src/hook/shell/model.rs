//! What reading a shell command finds: the files that it writes and the calls of Bugle in it.

/// A file that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The program that writes it; nothing for a redirection.
    pub program: Option<String>,
    /// The file.
    pub target: WriteTarget,
    /// What is done to it.
    pub access: Access,
}

/// Which file a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteTarget {
    /// One that the command names.
    File {
        /// As it is named.
        shown: String,
        /// Its path from each directory that the command may be in.
        paths: Vec<String>,
        /// Whether it can be no other file.
        is_certain: bool,
    },
    /// One that is only known when the command runs, and what is written for it.
    Unknown(Option<String>),
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is written.
    Write,
    /// It is removed, moved or closed off, with everything below it.
    Tree,
    /// It is opened as a database or by a program's own code, which may write it.
    Open,
}

/// What reading a command found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::hook) struct Reading {
    /// The files that it writes.
    pub writes: Vec<Write>,
    /// The calls of Bugle in it.
    pub calls: Vec<BugleCall>,
}

/// A call of Bugle in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hook) struct BugleCall {
    /// The words behind the program's name.
    pub words: Vec<String>,
    /// Whether the command takes the client's session out of its environment, or changes it.
    pub hides_session: bool,
}

/// What is known around a command.
#[derive(Clone, Copy)]
pub struct Shell<'a> {
    /// Whether a word calls Bugle.
    pub program: &'a dyn Fn(&str) -> bool,
    /// The value of a variable of the environment that can be relied on.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The variables in which clients name the session of a command.
    pub session_variables: &'a [&'a str],
}

impl std::fmt::Debug for Shell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shell")
    }
}
