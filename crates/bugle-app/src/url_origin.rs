//! Where a database URL is from, for errors about the URL.

use std::path::PathBuf;

use bugle_store::StoreError;

use crate::AppError;

/// Where a database URL is from.
#[derive(Clone)]
pub(crate) enum UrlOrigin {
    /// An environment variable.
    Variable(&'static str),
    /// The user's settings file.
    Settings(PathBuf),
    /// The command line.
    Argument,
}

impl UrlOrigin {
    /// Whether the URL is from the environment.
    pub(crate) fn is_variable(&self) -> bool {
        matches!(self, Self::Variable(_))
    }

    /// Adds the URL's origin to an error about a URL that cannot be used.
    pub(crate) fn explain(&self, error: StoreError) -> AppError {
        let origin = match self {
            Self::Variable(name) => (*name).to_owned(),
            Self::Settings(file) => format!("`store` in {}", file.display()),
            Self::Argument => "the URL in this command".to_owned(),
        };
        let advice = match &error {
            StoreError::Unreachable { .. } => {
                format!("Check that the server is running and that {origin} points to it.")
            }
            StoreError::NoDatabase { .. } => {
                format!("Create the database with `createdb`, or correct {origin}.")
            }
            StoreError::BadAddress { .. } => {
                format!("Correct {origin}; a valid URL is, for example, postgres://user@host/database.")
            }
            StoreError::ReadOnlyServer(_) => {
                format!("Change {origin} to the primary server; the current server is a replica.")
            }
            _ => return error.into(),
        };
        AppError::StoreUrl {
            error,
            hint: format!("Nothing was changed. {advice}"),
        }
    }
}
