//! Agents that Bugle starts: spawning one, carrying prompts to its client, steering it, reading what it printed, and looking
//! after all of them.
//!
//! A prompt goes its way in steps that are written down ([`HandOver`]): its text is made and kept in the transaction that
//! marks the messages in it as read; a process of its own, the carrier, claims it and starts the client; the client says
//! that it has it. Whoever started the carrier may die at any moment: nothing is lost, and nothing is sent twice.

mod carry;
mod demand;
mod lock;
mod log;
mod log_file;
mod process;
mod steer;
mod supervise;
mod told;
mod worktree;

use std::path::PathBuf;
use std::process::Child;

use bugle_core::agent::{Expense, HandOver, automatic_name};
use bugle_core::id::{RunId, WakeupId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::role::AgentRole;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::wake::errand;
use bugle_store::{
    AgentRow, AgentStore as _, LaunchRow, LaunchStore as _, MessageStore as _, ProjectId, RunFilter, Scope,
    SessionStore as _, Store as _, TaskStore as _, WakeupRow,
};
use bugle_wire::setup::Client;
use bugle_wire::transcript::Access;
use bugle_wire::{ErrandView, SpawnedView};

pub use carry::{Carried, Ended};
pub use lock::{StartedBy, SupervisorLock};
pub(crate) use log::said_once;
pub use log_file::AgentLog;
pub use steer::Prompted;
pub use supervise::{MOST_CARRIERS, Pass, Watched};

use crate::agent::{Spender, free_name};
use crate::files::content_hash;
use crate::message::home;
use crate::task::ID_TRIES;
use crate::wake::packed;
use crate::{App, AppError};

/// The longest task that is kept with an agent.
const MOST_TASK_BYTES: usize = 4 * 1024 * 1024;

/// An agent that is to be started.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// In which client.
    pub client: Client,
    /// What for.
    pub task: String,
    /// How it is to be called; a name is made up if that is not said.
    pub name: Option<String>,
    /// Its role.
    pub role: Option<AgentRole>,
    /// The model that it is to have.
    pub model: Option<String>,
    /// What its tools may do without somebody being asked; else its client's own settings say that.
    pub access: Option<Access>,
    /// More words for its client.
    pub arguments: Vec<String>,
    /// Whether it gets a work tree and a branch of its own.
    pub worktree: bool,
}

/// An agent whose client is being started.
#[derive(Debug)]
pub struct Spawned {
    /// Who it is, and where what it prints is kept.
    pub view: SpawnedView,
    /// The process that carries its prompt.
    pub carrier: Child,
}

impl App {
    /// Makes an agent known and starts its client with its task.
    pub fn spawn(&mut self, request: &SpawnRequest) -> Result<Spawned, AppError> {
        if request.task.trim().is_empty() || request.task.len() > MOST_TASK_BYTES {
            return Err(AppError::Usage {
                what: format!("a task has 1 to {MOST_TASK_BYTES} bytes, and more than spaces"),
                hints: Vec::new(),
            });
        }
        let arguments = client_words(request)?;
        let project = self.kept_project()?;
        let starter = self.starter()?;
        let run = self.run_worked_for()?;
        self.refuse_more_agents(&project, starter.as_ref(), run.as_ref())?;
        // A person belongs to no branch: what they start belongs to the one that they are on.
        let home = match &starter {
            Some(agent) if !agent.is_human() => agent.home(),
            _ => home(&self.place),
        };
        for _ in 0..ID_TRIES {
            let address = new_name(request, &home)?;
            let log = self.log_path(&project, &address);
            let mut row = AgentRow {
                client: Some(request.client.as_str().to_owned()),
                role: request.role,
                task: Some(request.task.clone()),
                started_by: starter.clone(),
                run: run.clone(),
                log: Some(log.to_string_lossy().into_owned()),
                ..AgentRow::new(
                    project.clone(),
                    address.clone(),
                    self.place.root.to_string_lossy().into_owned(),
                    crate::now(),
                )
            };
            if self.store.agent(&project, &address)?.is_some() {
                if request.name.is_some() {
                    return Err(taken(&address, &home));
                }
                continue;
            }
            self.refuse_beyond_limit(&row)?;
            if request.worktree {
                row.directory = worktree::make(&self.place, address.name())?;
            }
            let text = self.errand(&row)?;
            if !self.keep_spawned(request, &row, &text, &arguments)? {
                continue;
            }
            let carrier = process::start_carrier(&self.place, &project, &address, &row.directory)?;
            return Ok(Spawned {
                view: SpawnedView {
                    agent: address.to_string(),
                    name: address.seen_from(&home),
                    client: request.client.as_str().to_owned(),
                    directory: row.directory,
                    log: log.to_string_lossy().into_owned(),
                    notice: None,
                },
                carrier,
            });
        }
        Err(AppError::System(
            "no free name was found for the agent".to_owned(),
        ))
    }

    /// Who starts it: an agent that may, the person, or nobody in particular.
    fn starter(&mut self) -> Result<Option<AgentAddress>, AppError> {
        let known = match &self.place.session {
            Some(session) => self.store.agent_of_session(session)?,
            None => self.agent_told()?,
        };
        // Whoever has a task was started for it.
        if let Some(row) = known.filter(|row| row.task.is_some() && row.role != Some(AgentRole::Orchestrator))
        {
            let home = row.address.home();
            let boss = row.started_by.unwrap_or_else(|| AgentAddress::human(&home));
            let boss = boss.seen_from(&home);
            return Err(AppError::Forbidden {
                what: "only an orchestrator starts agents; nothing was started".to_owned(),
                hints: vec![format!(
                    "Ask whoever started you: `{}`",
                    self.place
                        .command(&["say", &format!("@{boss} I need another agent for ...")])
                )],
            });
        }
        Ok(match self.me(None) {
            Ok(me) => Some(me.address),
            Err(AppError::Usage { .. }) => None,
            Err(error) => return Err(error),
        })
    }

    /// The run that this session works for: what is started here is on its account.
    fn run_worked_for(&mut self) -> Result<Option<RunId>, AppError> {
        let Some(session) = self.place.session.clone() else {
            return Ok(None);
        };
        let own = self.store.runs(&RunFilter {
            scope: Scope::Session(session.clone()),
            open_only: true,
            limit: 1,
        })?;
        if let Some(run) = own.into_iter().next() {
            return Ok(Some(run.id));
        }
        // An agent that works for a run and has none of its own starts others for the same one.
        Ok(self.store.agent_of_session(&session)?.and_then(|row| row.run))
    }

    /// Refuses another agent where whoever starts it, or the run that it is for, may have no more.
    fn refuse_more_agents(
        &mut self,
        project: &ProjectId,
        starter: Option<&AgentAddress>,
        run: Option<&RunId>,
    ) -> Result<(), AppError> {
        let mut spenders = Vec::new();
        if let Some(starter) = starter
            && let Some(row) = self.store.agent(project, starter)?
        {
            spenders.push(Spender::Agent(Box::new(row)));
        }
        spenders.extend(run.map(|run| Spender::Run(run.clone())));
        for spender in &spenders {
            if let Some(reached) = self.limit_reached(spender, Expense::Agent)? {
                return Err(self.beyond_limit("no agent is started", &reached));
            }
        }
        Ok(())
    }

    /// Where what an agent's client prints is kept. Names repeat from branch to branch and from project to project.
    fn log_path(&self, project: &ProjectId, agent: &AgentAddress) -> PathBuf {
        let branch = agent.branch().replace('%', "%25").replace('/', "%2F");
        self.place
            .bugle_home
            .join("logs")
            .join(&project.0)
            .join(branch)
            .join(format!("{}.jsonl", agent.name()))
    }

    /// What an agent is told that begins with its task, or begins anew.
    pub(super) fn errand(&self, row: &AgentRow) -> Result<String, AppError> {
        let home = row.address.home();
        let role_text = match row.role {
            Some(role) => Some(crate::roles::show_role(&self.place, role.as_str())?.text),
            None => None,
        };
        let starter = row.started_by.clone();
        let starter = starter
            .unwrap_or_else(|| AgentAddress::human(&home))
            .seen_from(&home);
        let say = self.place.command(&["say", &format!("@{starter} ...")]);
        let ask = self.place.command(&["ask", &format!("@{starter} ...")]);
        Ok(errand(&ErrandView {
            agent: row.address.seen_from(&home),
            project: home.project().to_owned(),
            role: row.role.map(|role| role.as_str().to_owned()),
            role_text,
            task: row.task.clone().unwrap_or_default(),
            starter,
            say,
            ask,
        }))
    }

    /// Keeps a new agent with its prompt, all or nothing. False if its name was taken meanwhile.
    fn keep_spawned(
        &mut self,
        request: &SpawnRequest,
        row: &AgentRow,
        text: &str,
        arguments: &[String],
    ) -> Result<bool, AppError> {
        let wakeup = WakeupRow {
            id: WakeupId::from_random(crate::random()?),
            project: row.project.clone(),
            agent: format!("@{}", row.address.name()),
            reason: WakeReason::Startup,
            at: crate::now(),
            budget: Budget::PROMPT,
            size: text.chars().count() as u64,
            parts: "[]".to_owned(),
            hash: content_hash(text.as_bytes()),
        };
        let launch = LaunchRow {
            project: row.project.clone(),
            agent: row.address.clone(),
            model: request.model.clone(),
            arguments: arguments.to_vec(),
            wakeup: Some(wakeup.id.clone()),
            state: HandOver::Taken,
            is_new_session: true,
            told: None,
            changed_at: wakeup.at,
        };
        self.store.together(|store| {
            if !store.add_agent(row)? || !store.keep_wakeup(&wakeup, &packed(text))? {
                return Ok(false);
            }
            store.keep_launch(&launch)?;
            Ok(true)
        })
    }

    /// Whether an agent's session is open in a client that Bugle has not started.
    fn is_open_elsewhere(&mut self, row: &AgentRow) -> Result<bool, AppError> {
        let Some(session) = &row.session else {
            return Ok(false);
        };
        let known = self.store.session(session)?;
        Ok(row.process.is_none() && known.is_some_and(|known| known.ended.is_none()))
    }
}

/// The words for an agent's client besides Bugle's own.
fn client_words(request: &SpawnRequest) -> Result<Vec<String>, AppError> {
    let Some(access) = request.access else {
        return Ok(request.arguments.clone());
    };
    let Some(words) = access.words(request.client) else {
        return Err(AppError::Usage {
            what: format!(
                "{} cannot be told with words what its tools may do; nothing was started",
                request.client.as_str()
            ),
            hints: vec!["Say it in the client's own settings, and leave `--sandbox` away.".to_owned()],
        });
    };
    let words = words.into_iter().map(str::to_owned);
    Ok(words.chain(request.arguments.iter().cloned()).collect())
}

/// The name that is asked for, or one that is made up.
fn new_name(request: &SpawnRequest, home: &Home) -> Result<AgentAddress, AppError> {
    let about = request.role.map_or(request.client.as_str(), AgentRole::as_str);
    match &request.name {
        Some(name) => free_name(name, home),
        None => free_name(&automatic_name(about, crate::random()?), home),
    }
}

fn taken(address: &AgentAddress, home: &Home) -> AppError {
    AppError::Forbidden {
        what: format!(
            "there is an agent {} already; nothing was started",
            address.seen_from(home)
        ),
        hints: vec![
            "Leave `--name` away, and a name is made up.".to_owned(),
            format!(
                "`bugle recover {}` starts that one anew.",
                address.seen_from(home)
            ),
        ],
    }
}
