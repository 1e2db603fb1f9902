//! What agents may spend: the limits in the files of the project and the user, compared with what was spent. Whoever
//! reaches one is stopped, and the person is told once.

use std::path::Path;

use bugle_core::agent::{Cap, Limits, Reached};
use bugle_core::id::RunId;
use bugle_core::message::AgentAddress;
use bugle_skill::{MAX_FILE_BYTES, parse_limits};
use bugle_store::{AgentRow, AgentStore as _};

use crate::message::home;
use crate::{App, AppError, Place, folder};

/// The file with settings, in the project's `.bugle` and in Bugle's home.
const SETTINGS_FILE: &str = "config.yaml";

/// Whose spending is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spender {
    /// One agent.
    Agent(Box<AgentRow>),
    /// All agents that work on a run's account.
    Run(RunId),
}

/// The limits that hold here, for each agent and for each run; and what is wrong with the files.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub agent: Limits,
    pub run: Limits,
    pub notices: Vec<String>,
}

impl Settings {
    /// The project's limits, else the user's.
    pub(crate) fn load(place: &Place) -> Self {
        let mut settings = Self::default();
        for base in [place.root.join(".bugle"), place.bugle_home.clone()] {
            let path = base.join(SETTINGS_FILE);
            match read(&path) {
                Ok(None) => {}
                Ok(Some((agent, run))) => {
                    settings.agent = settings.agent.or(agent);
                    settings.run = settings.run.or(run);
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
                        .push(format!("The limits in {} do not hold: {why}.", path.display()));
                    return settings;
                }
            }
        }
        settings
    }
}

fn read(path: &Path) -> Result<Option<(Limits, Limits)>, String> {
    let bytes = match folder::read_bounded(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
    parse_limits(&text).map(Some)
}

impl App {
    /// The limit that an agent or a run has reached, if any. The first time, the person is told.
    pub fn limit_reached(&mut self, spender: &Spender) -> Result<Option<Reached>, AppError> {
        let settings = Settings::load(&self.place);
        let (limits, spent, whose) = match spender {
            Spender::Agent(row) => (settings.agent, row.spent, format!("@{}", row.address)),
            Spender::Run(run) => (
                settings.run,
                self.store.spent_on_run(run)?,
                format!("run {run}, with all agents that work for it,"),
            ),
        };
        let Some(reached) = limits.reached(&spent) else {
            return Ok(None);
        };
        let project = match spender {
            Spender::Agent(row) => row.project.clone(),
            Spender::Run(_) => self.made_project()?,
        };
        let here = match spender {
            Spender::Agent(row) => row.address.home(),
            Spender::Run(_) => home(&self.place),
        };
        // A limit that was raised and is reached again is news again.
        let what = format!("limit {whose} {} {}", reached.cap.as_str(), reached.limit);
        let mut text = format!(
            "{whose} has reached a limit: {reached}. Nothing is started for it any more, until `limits` in \
             .bugle/{SETTINGS_FILE} or in {} says more.",
            self.place.bugle_home.join(SETTINGS_FILE).display()
        );
        for notice in settings.notices {
            text.push(' ');
            text.push_str(&notice);
        }
        self.tell_person(&project, &AgentAddress::human(&here), &text, Some(&what))?;
        Ok(Some(reached))
    }
}

#[cfg(test)]
#[path = "spending_tests.rs"]
mod tests;
