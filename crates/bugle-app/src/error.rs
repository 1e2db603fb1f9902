//! Errors of use cases, and their exit codes.

use std::path::PathBuf;

use bugle_core::engine::BadParam;
use bugle_store::StoreError;
use bugle_wire::{ErrorView, RefusalView};

/// The exit code of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Failed.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Refused by the rules.
    Refused = 3,
    /// Not found.
    NotFound = 4,
}

/// The error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder cannot be used.
    #[error("{what} {path}: {source}")]
    File {
        /// The failed operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The operating system or another process failed.
    #[error("{0}")]
    System(String),
    /// A text of a skill cannot be rendered.
    #[error("{what}")]
    Text {
        /// The text, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// Something does not exist.
    #[error("{what}")]
    NotFound {
        /// What does not exist.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The command was used wrongly.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The caller may not do this.
    #[error("{what}")]
    Forbidden {
        /// What, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The operation failed.
    #[error("{what}")]
    Failed {
        /// What, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The params do not match the skill's schema.
    #[error("cannot start {} with these params", skill)]
    Params {
        /// The skill.
        skill: String,
        /// What is wrong.
        bad: Vec<BadParam>,
        /// The expected params, a line each.
        expected: Vec<String>,
    },
    /// A skill has errors.
    #[error("the skill `{name}` is invalid; errors: {errors}")]
    Unsound {
        /// The skill.
        name: String,
        /// The number of errors.
        errors: usize,
        /// The command that lists them.
        hint: String,
    },
    /// The rules of a run do not allow it.
    #[error("{}", .0.message)]
    Refused(Box<RefusalView>),
}

impl AppError {
    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Store(_)
            | Self::File { .. }
            | Self::System(_)
            | Self::Text { .. }
            | Self::Failed { .. } => Exit::Failed,
            Self::NotFound { .. } => Exit::NotFound,
            Self::Usage { .. } | Self::Params { .. } => Exit::Usage,
            Self::Unsound { .. } | Self::Refused(_) | Self::Forbidden { .. } => Exit::Refused,
        }
    }

    /// The view model of the error.
    pub fn view(&self) -> ErrorView {
        let hints = match self {
            Self::Store(error) => error.hints(),
            Self::File { .. } | Self::System(_) | Self::Refused(_) => Vec::new(),
            Self::Text { hints, .. }
            | Self::NotFound { hints, .. }
            | Self::Usage { hints, .. }
            | Self::Forbidden { hints, .. }
            | Self::Failed { hints, .. } => hints.clone(),
            Self::Params { bad, expected, .. } => bad
                .iter()
                .map(ToString::to_string)
                .chain(std::iter::once("Expected params, each as name=value:".to_owned()))
                .chain(expected.iter().map(|line| format!("  {line}")))
                .collect(),
            Self::Unsound { hint, .. } => vec![hint.clone()],
        };
        ErrorView {
            message: self.to_string(),
            hints,
            exit: self.exit() as u8,
        }
    }
}
