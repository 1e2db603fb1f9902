//! Agents in a list of all projects, and one with what lies around it.

use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, AgentStore as _, MessageFilter, MessageRow, MessageStore as _};
use bugle_wire::{AgentLine, AgentLook, SaidMessage};

use super::Projects;
use crate::spawn::said_once;
use crate::{App, AppError};

/// How many messages of an agent are shown.
const LAST_MESSAGES: u32 = 20;
/// How many of its wake-ups.
const LAST_WAKEUPS: u32 = 10;

/// How much of what it did.
const LAST_DEEDS: usize = 60;

impl App {
    /// The agents of all projects, those that were put aside last.
    pub fn look_at_agents(&mut self) -> Result<Vec<AgentLine>, AppError> {
        let projects = self.all_projects()?;
        let mut lines = Vec::new();
        for row in self.store.agents(None)? {
            lines.push(self.agent_line(&row, &projects)?);
        }
        Ok(lines)
    }

    pub(super) fn agent_line(&mut self, row: &AgentRow, projects: &Projects) -> Result<AgentLine, AppError> {
        let question = self.question_asked_by(row)?;
        Ok(AgentLine {
            agent: self.summary(row)?,
            project: projects.get(&row.project),
            branch: row.address.branch().to_owned(),
            question: question.map(|asked| seen_by(&asked, &row.address)),
        })
    }

    fn question_asked_by(&mut self, row: &AgentRow) -> Result<Option<MessageRow>, AppError> {
        Ok(match &row.question {
            Some(id) => self.store.messages_by_prefix(id.as_str())?.into_iter().next(),
            None => None,
        })
    }

    /// An agent of this project with what lies around it.
    pub fn look_at_agent(&mut self, address: &str) -> Result<AgentLook, AppError> {
        let row = self.agent_called(address)?;
        let projects = self.all_projects()?;
        let asked = self.question_asked_by(&row)?;
        let asks_person = match &asked {
            Some(asked) => asked.to.iter().any(AgentAddress::is_human),
            None => false,
        };
        let mut messages = Vec::new();
        for to in [true, false] {
            let filter = MessageFilter {
                to: to.then_some(&row.address),
                from: (!to).then_some(&row.address),
                last: LAST_MESSAGES,
                ..MessageFilter::default()
            };
            messages.extend(self.store.messages(&row.project, &filter)?);
        }
        messages.sort_by_key(|message| (message.at, message.seq));
        messages.dedup_by(|one, other| one.id == other.id);
        let surplus = messages.len().saturating_sub(LAST_MESSAGES as usize);
        messages.drain(..surplus);
        let name = format!("@{}", row.address.name());
        let wakeups = self.store.wakeups(&row.project, Some(&name), LAST_WAKEUPS)?;
        // A log that cannot be read is as good as none; the command says what is wrong with it.
        let mut log = row
            .log
            .as_ref()
            .and_then(|_| self.agent_log(&row.address.to_string(), Some(LAST_DEEDS)).ok());
        if let Some(log) = &mut log {
            log.items = said_once(std::mem::take(&mut log.items));
        }
        Ok(AgentLook {
            log,
            detail: self.show_agent(&row.address.to_string())?,
            project: projects.get(&row.project),
            branch: row.address.branch().to_owned(),
            asks_person,
            messages: messages
                .iter()
                .map(|message| seen_by(message, &row.address))
                .collect(),
            wakeups: wakeups.iter().map(crate::wake::summary).collect(),
        })
    }
}

/// A message as it is written where an agent is at home.
fn seen_by(message: &MessageRow, agent: &AgentAddress) -> SaidMessage {
    crate::message::view(message, &agent.home())
}
