//! The agents that there are: all of them in a tree, one with everything about it; and putting one aside.

use bugle_core::agent::{AgentStatus, Signal, WhichAgent, which};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{
    AgentRow, AgentStore as _, MessageStore as _, ProjectId, ProjectStore as _, RunFilter, Scope, Store as _,
    TaskStore as _,
};
use bugle_wire::{AgentBranch, AgentDetail, AgentList, AgentSummary};

use super::signalled;
use crate::message::home;
use crate::project::called;
use crate::{App, AppError};

/// How many open runs of an agent are named.
const MOST_RUNS: u32 = 20;

/// Which agents are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentScope {
    /// Those of this project that are not put aside.
    Here,
    /// All, of all projects.
    All,
}

impl App {
    /// The agents, by project and branch.
    pub fn agents(&mut self, scope: AgentScope) -> Result<AgentList, AppError> {
        let here = self.project()?;
        let mut rows = match (scope, &here) {
            (AgentScope::All, _) => self.store.agents(None)?,
            (AgentScope::Here, Some(project)) => self.store.agents(Some(project))?,
            (AgentScope::Here, None) => Vec::new(),
        };
        let mut archived = 0;
        if scope == AgentScope::Here {
            let all = rows.len();
            rows.retain(|row| row.standing.status != AgentStatus::Archived);
            archived = all - rows.len();
        }
        let projects = self.store.projects()?;
        let found = |project: &ProjectId| {
            let found = projects.iter().find(|row| row.id == *project);
            found.map(|row| (called(row), row.place.clone()))
        };
        let mut branches: Vec<AgentBranch> = Vec::new();
        for row in rows {
            let (project, place) = found(&row.project).unwrap_or_default();
            let summary = self.summary(&row)?;
            let branch = row.address.branch();
            match branches.last_mut() {
                Some(last) if last.place == place && last.branch == branch => last.agents.push(summary),
                _ => branches.push(AgentBranch {
                    project,
                    branch: branch.to_owned(),
                    place,
                    agents: vec![summary],
                }),
            }
        }
        Ok(AgentList { branches, archived })
    }

    /// An agent with everything about it.
    pub fn show_agent(&mut self, name: &str) -> Result<AgentDetail, AppError> {
        let row = self.agent_called(name)?;
        let here = home(&self.place);
        let question = match &row.question {
            Some(id) => self.store.messages_by_prefix(id.as_str())?.into_iter().next(),
            None => None,
        };
        let runs = match &row.session {
            Some(session) => self.store.runs(&RunFilter {
                scope: Scope::Session(session.clone()),
                open_only: true,
                limit: MOST_RUNS,
            })?,
            None => Vec::new(),
        };
        Ok(AgentDetail {
            agent: self.summary(&row)?,
            session: row.session.map(|session| session.0),
            directory: row.directory,
            question: question.map(|row| crate::message::view(&row, &here)),
            runs: runs.iter().map(|run| run.id.to_string()).collect(),
            started_by: row.started_by.map(|by| by.to_string()),
            process: row.process.map(|process| process.pid),
            exit_code: row.exit_code,
            log: row.log,
            recoveries: row.recoveries,
            wakeups: row.spent.wakeups,
            agents_started: row.spent.agents,
            tokens: row.spent.tokens,
            cost: row.spent.cost,
            created_at: row.created_at.0,
        })
    }

    /// Puts an agent aside: it is no longer shown, until somebody speaks to it.
    pub fn archive_agent(&mut self, name: &str) -> Result<AgentAddress, AppError> {
        let row = self.agent_called(name)?;
        self.store.together(|store| {
            let now = store.agent(&row.project, &row.address)?.unwrap_or(row);
            signalled(store, now, Signal::PutAside).map(|row| row.address)
        })
    }

    pub(crate) fn summary(&mut self, row: &AgentRow) -> Result<AgentSummary, AppError> {
        let unread = self.store.unread(&row.project, &row.address, 1)?;
        Ok(AgentSummary {
            address: row.address.to_string(),
            name: row.address.name().to_owned(),
            status: row.standing.status.as_str().to_owned(),
            client: row.client.clone(),
            role: row.role.map(|role| role.as_str().to_owned()),
            task: row.task.clone(),
            unread: unread.rows.len() as u64 + unread.more,
            changed_at: row.changed_at.0,
        })
    }

    /// The agent that is meant by a name, an address or the beginning of a name.
    pub fn agent_called(&mut self, called: &str) -> Result<AgentRow, AppError> {
        let here = self.project()?;
        let me = home(&self.place);
        let word = called.trim_start_matches('@').to_owned();
        let none = |hint: Option<String>| AppError::NotFound {
            what: format!("there is no agent {word}"),
            hints: hint.into_iter().collect(),
        };
        let rows = match here {
            Some(project) if word.matches(':').count() < 2 => self.store.agents(Some(&project))?,
            _ => self.store.agents(None)?,
        };
        // The name alone is enough on one's own branch, and anywhere if it is the only one.
        let written = |row: &AgentRow| spelling(&row.address, &me, &word);
        let known: Vec<String> = rows.iter().map(&written).collect();
        let listed = self.place.command(&["agents", "--all"]);
        match which(&word.to_ascii_lowercase(), known.iter().map(String::as_str)) {
            WhichAgent::One(name) => {
                let same: Vec<&AgentRow> = rows
                    .iter()
                    .zip(&known)
                    .filter(|(_, known)| *known == name)
                    .map(|(row, _)| row)
                    .collect();
                match same.as_slice() {
                    [row] => Ok((*row).clone()),
                    [] => Err(none(None)),
                    _ => Err(AppError::Usage {
                        what: format!("several projects have an agent {word}; go into the one that you mean"),
                        hints: same.iter().map(|row| row.directory.clone()).collect(),
                    }),
                }
            }
            WhichAgent::Several(names) => Err(AppError::Usage {
                what: format!("{word} is the beginning of several agents"),
                hints: names.into_iter().map(str::to_owned).collect(),
            }),
            WhichAgent::Nobody(near) => {
                let mut elsewhere: Vec<&AgentRow> = rows
                    .iter()
                    .filter(|row| row.address.name().eq_ignore_ascii_case(&word))
                    .collect();
                match (elsewhere.len(), near) {
                    (1, _) => Ok(elsewhere.remove(0).clone()),
                    (0, near) => Err(none(Some(near.map_or_else(
                        || format!("`{listed}` shows who there is."),
                        |near| format!("Is {near} meant? `{listed}` shows who there is."),
                    )))),
                    (_, _) => Err(AppError::Usage {
                        what: format!("several branches have an agent {word}"),
                        hints: elsewhere.iter().map(|row| row.address.seen_from(&me)).collect(),
                    }),
                }
            }
        }
    }
}

/// An address in as many parts as a word has.
fn spelling(address: &AgentAddress, home: &Home, word: &str) -> String {
    match word.matches(':').count() {
        0 => address.seen_from(home),
        1 => format!("{}:{}", address.branch(), address.name()),
        _ => address.to_string(),
    }
}
