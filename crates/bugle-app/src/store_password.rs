//! Keeps the store's password out of the environment of clients, evidence commands and other processes that Bugle
//! starts.

use std::process::Command;

use bugle_store::StoreError;

use crate::store_location::{PASSWORD_VARIABLE, SETTINGS_FILE, URL_VARIABLE};
use crate::{AppError, Context, StoreLocation};

impl StoreLocation {
    /// Removes the store's password from a command's environment. The command's own `bugle` gets the password from the
    /// user's settings, a password file, a service file or the password command.
    pub fn hide_password(&self, command: &mut Command) {
        let Self::Server(server) = self else { return };
        command.env_remove(PASSWORD_VARIABLE);
        if let Some(url) = server.without_password_variables().environment_url() {
            command.env(URL_VARIABLE, url);
        }
    }
}

/// Refuses to start agents that could not open the store because its password is only in this process's environment.
pub fn check_agents_can_sign_in(ctx: &Context) -> Result<(), AppError> {
    let StoreLocation::Server(server) = &ctx.store else {
        return Ok(());
    };
    let Some(variable) = server.password_variable() else {
        return Ok(());
    };
    match server.without_password_variables().probe()?.connect_and_read() {
        Ok(_) => Ok(()),
        Err(StoreError::SignIn { .. }) => Err(AppError::Forbidden {
            what: format!(
                "agents cannot open the store: the password is only in {variable}, which agents do not receive; nothing was started"
            ),
            hints: vec![format!(
                "Put the password in ~/.pgpass, or set `store_password_command` in {}.",
                ctx.bugle_home.join(SETTINGS_FILE).display()
            )],
        }),
        Err(error) => Err(error.into()),
    }
}
