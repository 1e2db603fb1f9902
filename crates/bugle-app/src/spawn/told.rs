//! What others are told about agents that Bugle started: how they ended, and what could not be done for them.

use bugle_core::agent::{AgentStatus, HandOver};
use bugle_core::id::MessageId;
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_store::{
    AgentRow, AgentStore as _, LaunchStore as _, MessageStore as _, NewMessage, Receiver, RunFilter, Scope,
    Store as _, TaskStore as _,
};

use super::carry::{Ended, both};
use crate::holder::names_of;
use crate::{App, AppError};

/// How many open runs and tasks are looked at.
const MOST_OPEN: u32 = 200;
/// How much of a client's complaint is told.
const MOST_OF_ERROR: usize = 500;

/// What an agent has begun and not ended.
pub(super) struct OpenWork {
    runs: Vec<String>,
    tasks: Vec<String>,
}

impl OpenWork {
    fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.tasks.is_empty()
    }

    /// In words.
    fn told(&self) -> String {
        let mut parts = Vec::new();
        if !self.runs.is_empty() {
            parts.push(format!("open runs: {}", self.runs.join(", ")));
        }
        if !self.tasks.is_empty() {
            parts.push(format!("open tasks: {}", self.tasks.join(", ")));
        }
        if parts.is_empty() {
            "no open run or task".to_owned()
        } else {
            parts.join("; ")
        }
    }
}

/// What becomes of an agent that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// Nothing.
    Nothing,
    /// It is started again.
    Recovered,
    /// It is started no more.
    GivenUp,
}

impl App {
    pub(super) fn open_work(&mut self, row: &AgentRow) -> Result<OpenWork, AppError> {
        let runs = match &row.session {
            Some(session) => self.store.runs(&RunFilter {
                scope: Scope::Session(session.clone()),
                open_only: true,
                limit: MOST_OPEN,
            })?,
            None => Vec::new(),
        };
        let mut tasks = self.store.active(&row.project, None, MOST_OPEN)?;
        let names = names_of(row);
        tasks.retain(|task| {
            let holder = task.task.agent.as_ref();
            holder.is_some_and(|holder| names.include(holder.as_str()))
        });
        Ok(OpenWork {
            runs: runs.iter().map(|run| run.id.to_string()).collect(),
            tasks: tasks.iter().map(|row| row.task.id.to_string()).collect(),
        })
    }

    /// Whether an agent has a run or task that is open.
    pub(super) fn has_open_work(&mut self, row: &AgentRow) -> Result<bool, AppError> {
        Ok(!self.open_work(row)?.is_empty())
    }

    /// Tells whoever started an agent how it ended, and notes that they were told: both or neither, and once.
    pub(super) fn report(&mut self, row: &AgentRow, afterwards: Afterwards) -> Result<(), AppError> {
        let text = self.report_text(row, afterwards)?;
        let person = AgentAddress::human(&row.address.home());
        let to = match afterwards {
            Afterwards::GivenUp => person,
            Afterwards::Nothing | Afterwards::Recovered => row.started_by.clone().unwrap_or(person),
        };
        let id = MessageId::from_random(crate::random()?);
        let now = crate::now();
        let told = self.store.together(|store| {
            let Some((row, mut launch)) = both(store, &row.project, &row.address)? else {
                return Ok(None);
            };
            if launch.state != HandOver::Exited {
                return Ok(None);
            }
            if afterwards == Afterwards::Recovered {
                // What follows may have to be tried again; this is told once.
                let what = format!(
                    "recovery {} {} {}",
                    row.address, row.recoveries, launch.changed_at.0
                );
                if !store.is_news(&row.project, &what, now)? {
                    return Ok(None);
                }
            } else {
                launch.state = HandOver::Settled;
                launch.changed_at = now;
                store.keep_launch(&launch)?;
            }
            let home = row.address.home();
            let posted = store.post(&NewMessage {
                id: &id,
                project: &row.project,
                sender: &AgentAddress::bugle(&home),
                text: &text,
                at: now,
                kind: MessageKind::Say,
                answers: None,
                branch: home.branch(),
                to: &[Receiver {
                    project: row.project.clone(),
                    agent: to,
                    wakes: true,
                }],
            })?;
            posted
                .map(Some)
                .ok_or_else(|| AppError::System("no new id could be found".to_owned()))
        })?;
        if let Some(told) = told {
            self.notify(&told);
        }
        Ok(())
    }

    fn report_text(&mut self, row: &AgentRow, afterwards: Afterwards) -> Result<String, AppError> {
        let home = row.address.home();
        let name = row.address.seen_from(&home);
        let how = how_it_ended(row.exit_code);
        let unread = self.store.unread(&row.project, &row.address, 1)?;
        let unread = unread.rows.len() as u64 + unread.more;
        let work = self.open_work(row)?.told();
        let status = row.standing.status.as_str();
        let mut text = format!("@{name} {how}; it is {status}. Unread messages: {unread}; {work}.");
        match afterwards {
            Afterwards::Recovered => {
                text.push_str(&format!(" It is started again, time {}.", row.recoveries + 1));
            }
            Afterwards::GivenUp => text.push_str(&format!(
                " It died at work {} times and is not started again. `{}` shows what it did; `{}` starts it once more.",
                row.recoveries + 1,
                self.place.command(&["logs", &name]),
                self.place.command(&["recover", &name]),
            )),
            Afterwards::Nothing if row.standing.status != AgentStatus::Failed => text.push_str(&format!(
                " `{}` prints its answer.",
                self.place.command(&["result", &name])
            )),
            Afterwards::Nothing => text.push_str(&format!(
                " `{}` shows what it did.",
                self.place.command(&["logs", &name])
            )),
        }
        Ok(text)
    }

    /// Tells the person that an agent's client could not be started; once, for as long as it is the same trouble.
    pub(super) fn tell_failed_start(&mut self, row: &AgentRow, ended: &Ended) -> Result<(), AppError> {
        let home = row.address.home();
        let name = row.address.seen_from(&home);
        let client = row.client.as_deref().unwrap_or("its client");
        let why = ended.error.as_deref().map_or_else(
            || format!("{client} {} and said nothing", how_it_ended(ended.code)),
            |error| error.chars().take(MOST_OF_ERROR).collect::<String>(),
        );
        let why = why.trim_end_matches('.');
        let text = format!(
            "@{name} could not be started in {client}: {why}. What was said to it is still unread. `{}` tries again, with \
             what comes in on its standard input; `{}` starts it in a new session.",
            self.place.command(&["prompt", &name, "-"]),
            self.place.command(&["recover", &name])
        );
        let what = format!("not started {} {why}", row.address);
        self.tell_person(&row.project, &AgentAddress::human(&home), &text, Some(&what))
    }
}

/// How a process ended, in words.
pub(super) fn how_it_ended(code: Option<i32>) -> String {
    match code {
        Some(code) if code < 0 => format!("was ended by signal {}", -code),
        Some(code) => format!("ended with exit code {code}"),
        None => "ended".to_owned(),
    }
}
