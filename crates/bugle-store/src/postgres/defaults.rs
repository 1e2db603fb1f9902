//! Defaults that complete a database URL.

use super::password_command::PasswordCommand;

/// Looks up an environment variable.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Defaults that complete a database URL: the environment variables that `libpq` reads, and the user's password
/// command.
pub trait ConnectionDefaults {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// The command that prints the password, if the user's settings have one.
    fn password_command(&self) -> Option<PasswordCommand> {
        None
    }
}

/// Environment variables, without a password command.
impl<F: Fn(&str) -> Option<String>> ConnectionDefaults for F {
    fn variable(&self, name: &str) -> Option<String> {
        self(name)
    }
}
