//! Loads the project's and the user's settings. The project's settings take precedence, except that the stricter of
//! two limits applies.

use std::path::Path;

use bugle_core::agent::{Cap, Limits};
use bugle_core::project::ProjectKey;
use bugle_core::team::TeamRole;
use bugle_skill::{MAX_FILE_BYTES, Settings as FileSettings, SupervisorStart, parse_settings};

use crate::store_location::SETTINGS_FILE;
use crate::{Context, contained_path};

/// The effective settings, and the problems in their files.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Spending limits for each agent.
    pub agent: Limits,
    /// Spending limits for all agents of one run together.
    pub run: Limits,
    /// The command to run for messages to the user, with its arguments.
    pub notify: Vec<String>,
    /// When to start the supervisor.
    pub supervisor: Option<SupervisorStart>,
    /// Problems in the files.
    pub notices: Vec<String>,
}

impl Settings {
    /// Reads both files.
    pub(crate) fn load(ctx: &Context) -> Self {
        let mut settings = Self::default();
        let files = [(ctx.root.join(".bugle"), true), (ctx.bugle_home.clone(), false)];
        for (base, is_project) in files {
            let path = base.join(SETTINGS_FILE);
            match read(ctx, &path, is_project) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    settings.agent = settings.agent.stricter(found.agent);
                    settings.run = settings.run.stricter(found.run);
                    settings.supervisor = settings.supervisor.or(found.supervisor);
                    settings.notify = found.notify;
                }
                // An unreadable limit must not mean unlimited. Until the limits can be read, agents may spend nothing.
                Err(why) => {
                    let none = Cap::ALL
                        .into_iter()
                        .fold(Limits::default(), |limits, cap| limits.with(cap, 0));
                    settings.agent = none;
                    settings.run = none;
                    settings
                        .notices
                        .push(format!("The settings in {} are invalid: {why}.", path.display()));
                    return settings;
                }
            }
        }
        settings
    }
}

/// The project's id in its own settings; `None` if the settings cannot be read.
pub(crate) fn project_setting(ctx: &Context) -> Option<ProjectKey> {
    of_project(ctx)?.project
}

/// The minimum role that can decide at gates, from the project's own settings.
pub(crate) fn decides_setting(ctx: &Context) -> Option<TeamRole> {
    of_project(ctx)?.decides
}

fn of_project(ctx: &Context) -> Option<FileSettings> {
    let path = ctx.root.join(".bugle").join(SETTINGS_FILE);
    read(ctx, &path, true).ok().flatten()
}

fn read(ctx: &Context, path: &Path, is_project: bool) -> Result<Option<FileSettings>, String> {
    let bytes = match contained_path::read(ctx, path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "the file is not valid UTF-8".to_owned())?;
    let found = parse_settings(&text)?;
    // A project must not be able to run a command on the machine of a user who clones it.
    if is_project && !found.notify.is_empty() {
        return Err(
            "project settings cannot contain `notify`; move it to the settings file in Bugle's home"
                .to_owned(),
        );
    }
    // Nor may a project send the user's data to a server, or run a command to get a password.
    let names_store =
        found.store.is_some() || found.listen.is_some() || !found.store_password_command.is_empty();
    if is_project && names_store {
        return Err(
            "`store`, `listen` and `store_password_command` are allowed only in the settings in Bugle's home, not in project settings"
                .to_owned(),
        );
    }
    if !is_project && (found.project.is_some() || found.decides.is_some()) {
        return Err(
            "`project` and `decides` are allowed only in project settings, not in the settings in Bugle's home"
                .to_owned(),
        );
    }
    Ok(Some(found))
}
