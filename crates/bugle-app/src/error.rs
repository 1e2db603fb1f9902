//! What can go wrong in a use case, and which exit code it has.

use std::path::PathBuf;

use bugle_core::engine::BadParam;
use bugle_store::StoreError;
use bugle_wire::{ErrorView, RefusalView};

/// How a process ends.
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

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder.
    #[error("{what} {path}: {source}")]
    File {
        /// What was tried.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system around.
    #[error("{0}")]
    System(String),
    /// A text of a skill that a run needs cannot be made.
    #[error("{what}")]
    Text {
        /// Which, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// There is no such thing.
    #[error("{what}")]
    NotFound {
        /// What there is not.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The command was used wrongly.
    #[error("{what}")]
    Usage {
        /// How.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// It is understood, and not allowed.
    #[error("{what}")]
    Forbidden {
        /// What, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// It was tried, and failed.
    #[error("{what}")]
    Failed {
        /// What, and why.
        what: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// The params do not fit.
    #[error("{} cannot be started with these params", skill)]
    Params {
        /// The skill.
        skill: String,
        /// What is wrong.
        bad: Vec<BadParam>,
        /// What it takes, a line each.
        expected: Vec<String>,
    },
    /// A skill broke rules.
    #[error("the skill `{name}` breaks {errors} of the rules for skills")]
    Unsound {
        /// The skill.
        name: String,
        /// How many problems it has.
        errors: usize,
        /// How to see them.
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

    /// The error as it is shown.
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
                .chain(std::iter::once("It takes, each as name=value:".to_owned()))
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
