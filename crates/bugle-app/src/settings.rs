//! The settings that hold here: the project's file, else the user's. Of two limits, the stricter one holds.

use std::path::Path;

use bugle_core::agent::{Cap, Limits};
use bugle_skill::{MAX_FILE_BYTES, Settings as FileSettings, SupervisorStart, parse_settings};

use crate::{Place, inside};

/// The file with settings, in the project's `.bugle` and in Bugle's home.
pub(crate) const SETTINGS_FILE: &str = "config.yaml";

/// What holds here, and what is wrong with the files.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// What each agent may spend.
    pub agent: Limits,
    /// What all agents of one run may spend.
    pub run: Limits,
    /// The words of the command that is given what a person is told.
    pub notify: Vec<String>,
    /// When the supervisor is started.
    pub supervisor: Option<SupervisorStart>,
    /// What is wrong.
    pub notices: Vec<String>,
}

impl Settings {
    /// Reads both files.
    pub(crate) fn load(place: &Place) -> Self {
        let mut settings = Self::default();
        let files = [
            (place.root.join(".bugle"), true),
            (place.bugle_home.clone(), false),
        ];
        for (base, is_project) in files {
            let path = base.join(SETTINGS_FILE);
            match read(place, &path, is_project) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    settings.agent = settings.agent.stricter(found.agent);
                    settings.run = settings.run.stricter(found.run);
                    settings.supervisor = settings.supervisor.or(found.supervisor);
                    settings.notify = found.notify;
                }
                // Limits that cannot be read must not be taken for none: nothing may be spent until they can.
                Err(why) => {
                    let none = Cap::ALL
                        .into_iter()
                        .fold(Limits::default(), |limits, cap| limits.with(cap, 0));
                    settings.agent = none;
                    settings.run = none;
                    settings
                        .notices
                        .push(format!("The settings in {} do not hold: {why}.", path.display()));
                    return settings;
                }
            }
        }
        settings
    }
}

fn read(place: &Place, path: &Path, is_project: bool) -> Result<Option<FileSettings>, String> {
    let bytes = match inside::read(place, path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
    let found = parse_settings(&text)?;
    // Whoever clones a project must not run what its author chose.
    if is_project && !found.notify.is_empty() {
        return Err("`notify` belongs into the file in Bugle's home, not into a project's".to_owned());
    }
    Ok(Some(found))
}
