//! The list of agents, and an agent's page.

use bugle_core::message::AgentAddress;
use bugle_core::reply::{AgentDetail, AgentLogView, AgentSummary, SaidMessage, WakeupSummary};
use bugle_store::{AgentRow, MessageFilter, MessageRow, Store};
use serde::Serialize;

use super::{ProjectName, Projects};
use crate::dashboard::all_projects;
use crate::supervisor::without_repeated_answers;
use crate::{AppError, Context, agent_list, agents, supervisor};

/// Maximum number of messages shown for an agent.
const LAST_MESSAGES: u32 = 20;
/// Maximum number of wake-ups shown for an agent.
const LAST_WAKEUPS: u32 = 10;

/// Maximum number of transcript items shown for an agent.
const LAST_ITEMS: usize = 60;

/// An agent in a list, with its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    /// The agent.
    pub agent: AgentSummary,
    /// The agent's project.
    pub project: ProjectName,
    /// The agent's branch.
    pub branch: String,
    /// The open question that blocks the agent.
    pub question: Option<SaidMessage>,
}

/// An agent's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentPage {
    /// The agent.
    pub detail: AgentDetail,
    /// The agent's project.
    pub project: ProjectName,
    /// The agent's branch.
    pub branch: String,
    /// Whether the agent is waiting for the user's answer.
    pub asks_person: bool,
    /// The latest messages to or from the agent, oldest first.
    pub messages: Vec<SaidMessage>,
    /// The agent's latest wake-ups.
    pub wakeups: Vec<WakeupSummary>,
    /// The end of the agent's transcript, if Bugle started the agent.
    pub log: Option<AgentLogView>,
}

/// The agents of all projects, archived ones last.
pub fn agents_page(store: &mut Store) -> Result<Vec<AgentLine>, AppError> {
    let projects = all_projects(store)?;
    let mut lines = Vec::new();
    for row in store.agents(None)? {
        lines.push(agent_line(store, &row, &projects)?);
    }
    Ok(lines)
}

pub(super) fn agent_line(
    store: &mut Store,
    row: &AgentRow,
    projects: &Projects,
) -> Result<AgentLine, AppError> {
    let question = question_asked_by(store, row)?;
    Ok(AgentLine {
        agent: agent_list::summary(store, row)?,
        project: projects.get(&row.project),
        branch: row.address.branch().to_owned(),
        question: question.map(|asked| seen_by(&asked, &row.address)),
    })
}

fn question_asked_by(store: &mut Store, row: &AgentRow) -> Result<Option<MessageRow>, AppError> {
    Ok(match &row.question {
        Some(id) => store.messages_by_prefix(id.as_str())?.into_iter().next(),
        None => None,
    })
}

/// The page of an agent in this project.
pub fn agent_page(store: &mut Store, ctx: &Context, address: &str) -> Result<AgentPage, AppError> {
    let row = agents::resolve_agent(store, ctx, address)?;
    let projects = all_projects(store)?;
    let asked = question_asked_by(store, &row)?;
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
        messages.extend(store.messages(&row.project, &filter)?);
    }
    messages.sort_by_key(|message| (message.at, message.seq));
    messages.dedup_by(|one, other| one.id == other.id);
    let surplus = messages.len().saturating_sub(LAST_MESSAGES as usize);
    messages.drain(..surplus);
    let name = format!("@{}", row.address.name());
    let wakeups = store.wakeups(&row.project, Some(&name), LAST_WAKEUPS)?;
    // An unreadable log is left out; `bugle agent logs` reports the error.
    let mut log = row
        .log
        .as_ref()
        .and_then(|_| supervisor::agent_log(store, ctx, &row.address.to_string(), Some(LAST_ITEMS)).ok());
    if let Some(log) = &mut log {
        log.items = without_repeated_answers(std::mem::take(&mut log.items));
    }
    Ok(AgentPage {
        log,
        detail: agent_list::show_agent(store, ctx, &row.address.to_string())?,
        project: projects.get(&row.project),
        branch: row.address.branch().to_owned(),
        asks_person,
        messages: messages
            .iter()
            .map(|message| seen_by(message, &row.address))
            .collect(),
        wakeups: wakeups.iter().map(crate::wakeup::summary).collect(),
    })
}

/// A message with addresses shortened for the agent's home.
fn seen_by(message: &MessageRow, agent: &AgentAddress) -> SaidMessage {
    crate::messages::view(message, &agent.home())
}
