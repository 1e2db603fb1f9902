//! Use case errors and their exit codes.

use std::path::PathBuf;

use bugle_client::recognition;
use bugle_core::engine::BadParam;
use bugle_core::reply::{ErrorView, Refused};
use bugle_render::refused_text;
use bugle_store::{Failure, StoreError};

/// A process exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Done = 0,
    /// The operation failed.
    Failed = 1,
    /// The command was used incorrectly.
    Usage = 2,
    /// The rules do not allow the command.
    Refused = 3,
    /// The requested item does not exist.
    NotFound = 4,
}

/// An error in a use case.
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
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The operating system or another process failed.
    #[error("{0}")]
    System(String),
    /// A skill's text cannot be rendered.
    #[error("{what}")]
    Text {
        /// The error message, with the name of the text and the cause.
        what: String,
        /// Hints for the user.
        hints: Vec<String>,
    },
    /// The requested item does not exist.
    #[error("{what}")]
    NotFound {
        /// The error message, which names the missing item.
        what: String,
        /// Hints for the user.
        hints: Vec<String>,
    },
    /// The command was used incorrectly.
    #[error("{what}")]
    Usage {
        /// The error message.
        what: String,
        /// Hints for the user.
        hints: Vec<String>,
    },
    /// The caller may not perform the action.
    #[error("{what}")]
    Forbidden {
        /// The error message: the forbidden action, and the reason.
        what: String,
        /// Hints for the user.
        hints: Vec<String>,
    },
    /// The operation failed.
    #[error("{what}")]
    Failed {
        /// The error message: the failed operation, and the cause.
        what: String,
        /// Hints for the user.
        hints: Vec<String>,
    },
    /// The params do not match the skill's schema.
    #[error("cannot start {} with these params", skill)]
    Params {
        /// The skill.
        skill: String,
        /// The errors, one per param.
        bad: Vec<BadParam>,
        /// The expected params, one per line.
        expected: Vec<String>,
        /// The command that starts the skill, with a placeholder for each required param; `None` for a sub-agent.
        command: Option<String>,
    },
    /// A skill has errors.
    #[error("the skill `{name}` is invalid; errors: {errors}")]
    Unsound {
        /// The skill.
        name: String,
        /// The number of errors.
        errors: usize,
        /// A hint with the command that lists the errors.
        hint: String,
    },
    /// The store's URL does not lead to a usable database.
    #[error("{error}")]
    StoreUrl {
        /// The cause.
        error: StoreError,
        /// How to fix the problem, and where the URL is from.
        hint: String,
    },
    /// The run's rules forbid the command.
    #[error("{}", refused_text::view(.0).message)]
    Refused(Box<Refused>),
}

/// Hints for a store error that a client's sandbox causes.
fn sandbox_hints(error: &StoreError) -> Option<Vec<String>> {
    let is_shut_out = matches!(
        error,
        StoreError::ReadOnly(_) | StoreError::CannotOpen { .. } | StoreError::Unreachable { .. }
    );
    let hints = recognition::sandbox_hints(|name| is_shut_out && std::env::var_os(name).is_some())?;
    Some(hints.iter().map(|hint| (*hint).to_owned()).collect())
}

impl From<AppError> for Failure<AppError> {
    fn from(error: AppError) -> Self {
        let is_transient = matches!(&error, AppError::Store(failed) if failed.is_transient());
        Self::of(is_transient, error)
    }
}

/// A transient failure: another process made a conflicting change. If the last attempt fails, the user sees `message`.
pub(crate) fn conflict(message: &str) -> Failure<AppError> {
    Failure::Transient(AppError::System(message.to_owned()))
}

impl AppError {
    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Store(StoreError::NoRights { .. })
            | Self::Unsound { .. }
            | Self::Refused(_)
            | Self::Forbidden { .. } => Exit::Refused,
            Self::Store(_)
            | Self::StoreUrl { .. }
            | Self::File { .. }
            | Self::System(_)
            | Self::Text { .. }
            | Self::Failed { .. } => Exit::Failed,
            Self::NotFound { .. } => Exit::NotFound,
            Self::Usage { .. } | Self::Params { .. } => Exit::Usage,
        }
    }

    /// The view model of the error.
    pub fn view(&self) -> ErrorView {
        let hints = match self {
            Self::Store(error) => sandbox_hints(error).unwrap_or_else(|| error.hints()),
            Self::File { .. } | Self::System(_) | Self::Refused(_) => Vec::new(),
            Self::Text { hints, .. }
            | Self::NotFound { hints, .. }
            | Self::Usage { hints, .. }
            | Self::Forbidden { hints, .. }
            | Self::Failed { hints, .. } => hints.clone(),
            Self::Params {
                bad,
                expected,
                command,
                ..
            } => bad
                .iter()
                .map(ToString::to_string)
                .chain(std::iter::once("Expected params, each as name=value:".to_owned()))
                .chain(expected.iter().map(|line| format!("  {line}")))
                .chain(
                    command
                        .iter()
                        .map(|command| format!("Start the skill with: {command}")),
                )
                .collect(),
            Self::StoreUrl { error, hint } => sandbox_hints(error).unwrap_or_else(|| vec![hint.clone()]),
            Self::Unsound { hint, .. } => vec![hint.clone()],
        };
        ErrorView {
            message: self.to_string(),
            hints,
            exit: self.exit() as u8,
        }
    }
}
