//! Loads the project's and the user's settings. The project's settings take precedence, except that the stricter of
//! two limits applies.

use std::path::{Path, PathBuf};

use bugle_core::agent::{Cap, Limits};
use bugle_core::project::ProjectKey;
use bugle_core::team::TeamRole;
use bugle_skill::{MAX_FILE_BYTES, Settings as FileSettings, SettingsOwner, SupervisorStart, parse_settings};

use crate::store_location::SETTINGS_FILE;
use crate::{AppError, Context, contained_path};

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
        for (path, owner) in files(ctx) {
            match read(ctx, &path, owner) {
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
                    settings.notices.push(problem(&path, &why));
                    return settings;
                }
            }
        }
        settings
    }
}

/// The problems in both files, one sentence each.
pub fn settings_problems(ctx: &Context) -> Vec<String> {
    let problems = files(ctx).into_iter().filter_map(|(path, owner)| {
        let why = read(ctx, &path, owner).err()?;
        Some(problem(&path, &why))
    });
    problems.collect()
}

/// The project's id in its own settings. Refuses invalid settings: without the id, Bugle could mistake the folder for
/// another project.
pub(crate) fn project_setting(ctx: &Context) -> Result<Option<ProjectKey>, AppError> {
    Ok(of_project(ctx)?.project)
}

/// The minimum role that can decide at gates, from the project's own settings.
pub(crate) fn decides_setting(ctx: &Context) -> Result<Option<TeamRole>, AppError> {
    Ok(of_project(ctx)?.decides)
}

fn of_project(ctx: &Context) -> Result<FileSettings, AppError> {
    let [(path, owner), _] = files(ctx);
    let found = read(ctx, &path, owner).map_err(|why| invalid_settings(&path, &why))?;
    Ok(found.unwrap_or_default())
}

/// The error for settings that cannot be used.
pub(crate) fn invalid_settings(path: &Path, why: &str) -> AppError {
    AppError::Usage {
        what: format!("the settings in {} are invalid: {why}", path.display()),
        hints: vec!["Nothing was changed. Fix the file, then run the same command again.".to_owned()],
    }
}

fn problem(path: &Path, why: &str) -> String {
    format!("The settings in {} are invalid: {why}.", path.display())
}

/// The project's file and the user's.
fn files(ctx: &Context) -> [(PathBuf, SettingsOwner); 2] {
    [
        (
            ctx.root.join(".bugle").join(SETTINGS_FILE),
            SettingsOwner::Project,
        ),
        (ctx.bugle_home.join(SETTINGS_FILE), SettingsOwner::User),
    ]
}

fn read(ctx: &Context, path: &Path, owner: SettingsOwner) -> Result<Option<FileSettings>, String> {
    let bytes = match contained_path::read(ctx, path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "the file is not valid UTF-8".to_owned())?;
    parse_settings(&text, owner).map(Some)
}
