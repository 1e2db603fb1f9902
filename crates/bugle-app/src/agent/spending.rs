//! What agents may spend: the limits in the files of the project and the user, compared with what was spent. Whoever
//! reaches one is stopped, and the person is told once.

use bugle_core::agent::{Expense, Reached};
use bugle_core::id::RunId;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, AgentStore as _};

use crate::message::home;
use crate::settings::{SETTINGS_FILE, Settings};
use crate::{App, AppError};

/// Whose spending is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spender {
    /// One agent.
    Agent(Box<AgentRow>),
    /// All agents that work on a run's account.
    Run(RunId),
}

impl App {
    /// The limit that keeps an agent or a run from spending more, if any. The first time, the person is told.
    pub(crate) fn limit_reached(
        &mut self,
        spender: &Spender,
        expense: Expense,
    ) -> Result<Option<Reached>, AppError> {
        let settings = Settings::load(&self.place);
        let (limits, spent, whose) = match spender {
            Spender::Agent(row) => (settings.agent, row.spent, format!("@{}", row.address)),
            Spender::Run(run) => (
                settings.run,
                self.store.spent_on_run(run)?,
                format!("run {run}, with all agents that work for it,"),
            ),
        };
        let Some(reached) = limits.reached(&spent, expense) else {
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
        let what = format!(
            "limit {whose} {} {} {}",
            reached.cap.as_str(),
            reached.limit,
            settings.notices.join(" ")
        );
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

    /// The refusal of what a limit does not allow.
    pub(crate) fn beyond_limit(&self, what: &str, reached: &Reached) -> AppError {
        let notices = Settings::load(&self.place).notices;
        if notices.is_empty() {
            return AppError::Forbidden {
                what: format!("{what}: a limit is reached: {reached}"),
                hints: vec![format!(
                    "`limits` in .bugle/{SETTINGS_FILE} or in {} says how much may be spent.",
                    self.place.bugle_home.join(SETTINGS_FILE).display()
                )],
            };
        }
        AppError::Forbidden {
            what: format!("{what}: what may be spent cannot be read"),
            hints: notices,
        }
    }

    /// The limit that keeps an agent from another turn: its own, or that of the run that it works for.
    pub(crate) fn limit_of(&mut self, row: &AgentRow) -> Result<Option<Reached>, AppError> {
        if let Some(reached) = self.limit_reached(&Spender::Agent(Box::new(row.clone())), Expense::Turn)? {
            return Ok(Some(reached));
        }
        match &row.run {
            Some(run) => self.limit_reached(&Spender::Run(run.clone()), Expense::Turn),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
#[path = "spending_tests.rs"]
mod tests;
