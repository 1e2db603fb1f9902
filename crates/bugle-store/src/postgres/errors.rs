//! Converts the driver's errors into store errors, grouped by how the user can respond.

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::{MissingRight, StoreError};

/// An error's message: the server's, or the driver's innermost cause.
fn why(error: &Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return answer.message().to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// Whether the connection is lost. The server may have executed the last statement.
pub(super) fn is_lost(error: &Error) -> bool {
    match error.code() {
        // The server closed the connection: 57P (shutdown), 08 (connection errors), or the transaction was idle too
        // long.
        Some(code) => {
            (code.code().starts_with("57P") || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT)
                || code.code().starts_with("08")
        }
        None => true,
    }
}

/// Whether the server rolled the transaction back because of other transactions.
pub(super) fn is_contended(error: &Error) -> bool {
    matches!(error.code().map(SqlState::code), Some("40001" | "40P01"))
}

/// Whether the server refused the value of a setting. Checks the name of the server's routine, because the message
/// may be translated.
fn is_refused_setting(error: &Error) -> bool {
    let answer = error.as_db_error();
    answer.is_some_and(|answer| answer.routine() == Some("call_bool_check_hook"))
}

/// The error of a statement.
pub(super) fn of_statement(database: &str, error: &Error) -> StoreError {
    let database = database.to_owned();
    let why = why(error);
    let Some(code) = error.code() else {
        return StoreError::Lost { database, why };
    };
    match code.code() {
        _ if is_contended(error) => StoreError::Contended(database),
        "55P03" | "57014" => StoreError::Locked(database),
        "25006" => StoreError::ReadOnlyServer(database),
        // A replica refuses to begin a transaction that writes.
        "0A000" if is_refused_setting(error) => StoreError::ReadOnlyServer(database),
        "53100" => StoreError::Full(database),
        "42501" => StoreError::NoRights {
            database,
            why: MissingRight::from_message(&why),
        },
        // Postgres cannot store the NUL character in text.
        "22021" => StoreError::Unstorable { database, why },
        _ if is_lost(error) => StoreError::Lost { database, why },
        _ => StoreError::Engine { database, why },
    }
}

/// The error of a failed connection attempt. `note` is the reason that the password file was ignored.
pub(super) fn of_connecting(database: &str, note: Option<&str>, error: &Error) -> StoreError {
    let database = database.to_owned();
    let why = match note {
        Some(note) => format!("{}; {note}", why(error)),
        None => why(error),
    };
    match error.code().map(SqlState::code) {
        Some("28P01" | "28000") => StoreError::SignIn { database, why },
        Some("3D000") => StoreError::NoDatabase { database, why },
        Some("42501") => StoreError::NoRights {
            database,
            why: MissingRight::from_message(&why),
        },
        // The server requires a password, and the driver has none.
        None if why.contains("password") => StoreError::SignIn { database, why },
        _ => StoreError::Unreachable { database, why },
    }
}

/// The error of an unreadable value.
pub(super) fn of_reading(error: &Error) -> StoreError {
    StoreError::Unreadable(why(error))
}
