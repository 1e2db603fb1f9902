//! The start page: items that need the user's attention, and active runs and agents.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::RunStatus;
use bugle_core::message::Home;
use bugle_core::reply::{AskView, RunSummary, SaidMessage};
use bugle_store::{AgentRow, RunPage, RunRow, Store};
use serde::Serialize;

use super::{AgentLine, ProjectName, Projects};
use crate::attention::works_on;
use crate::dashboard::{agents, all_projects};
use crate::delegation::GATE_QUESTION;
use crate::runs::{Loaded, Reader, RunSelector};
use crate::{AppError, Context, Reply, attention, open_run, runs};

/// Maximum number of active runs shown.
const MAX_MOVING: u32 = 20;
const RUNS_PER_PAGE: u32 = 50;
/// Maximum number of waiting runs whose questions are read.
const MAX_QUESTIONS: usize = 3;

/// Items that need the user's attention, and active runs and agents, in all projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NowPage {
    /// Open questions to the user.
    pub questions: Vec<OpenQuestion>,
    /// Runs that are paused or waiting for the user.
    pub stopped: Vec<RunLine>,
    /// Whether there are more stopped runs.
    pub more_stopped: bool,
    /// Agents that failed or are waiting for an answer.
    pub troubled: Vec<AgentLine>,
    /// Unread messages to the user, by project.
    pub unread: Vec<UnreadMail>,
    /// Active runs.
    pub moving: Vec<RunLine>,
    /// Whether there are more active runs.
    pub more_moving: bool,
    /// Busy and idle agents.
    pub agents: Vec<AgentLine>,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The project in which the question was asked.
    pub project: ProjectName,
    /// The branch of the agent that asked, if the agent belongs to that project.
    pub branch: Option<String>,
    /// The question.
    pub message: SaidMessage,
}

/// Unread messages to the user in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadMail {
    /// The project.
    pub project: ProjectName,
    /// The messages, oldest first.
    pub messages: Vec<SaidMessage>,
    /// Number of further unread messages.
    pub more: u64,
    /// The mailbox position of the last listed message.
    pub up_to: u64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// The run.
    pub run: RunSummary,
    /// The run's project.
    pub project: ProjectName,
    /// The run's question to the user.
    pub question: Option<String>,
    /// The agents working on the run, as `project:branch:name`.
    pub agents: Vec<String>,
}

/// A page of runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunsPage {
    /// The runs, most recently changed first.
    pub runs: Vec<RunLine>,
    /// The last run on this page, if there is a next page.
    pub next: Option<String>,
    /// Whether there is a previous page.
    pub later: bool,
}

impl NowPage {
    /// The number of items that need the user's attention.
    pub fn attention_count(&self) -> u64 {
        let unread: u64 = self
            .unread
            .iter()
            .map(|mail| mail.messages.len() as u64 + mail.more)
            .sum();
        let listed = self.questions.len() + self.stopped.len() + self.troubled.len();
        listed as u64 + unread
    }
}

/// Items that need the user's attention, and active runs and agents, in all projects.
pub fn now_page(store: &mut Store, ctx: &Context) -> Result<NowPage, AppError> {
    let projects = all_projects(store)?;
    let agents = store.agents(None)?;
    let needs = attention::attention(store, &agents)?;
    let (moving, more_moving) = attention::runs_with_status(store, &[RunStatus::Active], MAX_MOVING)?;
    let questions = needs.questions.iter().map(|(project, message)| {
        let project = projects.get(project);
        let here = Home::new(&project.name, None);
        OpenQuestion {
            branch: (message.sender.project() == here.project()).then(|| message.sender.branch().to_owned()),
            project,
            message: crate::messages::view(message, &message.sender.home()),
        }
    });
    let unread = needs.unread.iter().map(|mail| UnreadMail {
        project: projects.get(&mail.project),
        messages: mail
            .messages
            .iter()
            .map(|message| crate::messages::view(message, &mail.home))
            .collect(),
        more: mail.more,
        up_to: mail.up_to,
    });
    let mut stopped = run_lines(store, ctx, &needs.stopped, &projects, &agents)?;
    let moving = run_lines(store, ctx, &moving, &projects, &agents)?;
    let waiting = stopped
        .iter_mut()
        .zip(&needs.stopped)
        .filter(|(_, row)| row.status == RunStatus::Waiting);
    for (line, row) in waiting.take(MAX_QUESTIONS) {
        line.question = ask_of(store, ctx, row).map(|ask| ask.question);
    }
    let is_available =
        |agent: &&AgentRow| matches!(agent.state.status, AgentStatus::Busy | AgentStatus::Idle);
    let available: Vec<AgentRow> = agents.iter().filter(is_available).cloned().collect();
    let mut agent_lines = |rows: &[AgentRow]| {
        let lines = rows.iter().map(|row| agents::agent_line(store, row, &projects));
        lines.collect::<Result<Vec<_>, _>>()
    };
    Ok(NowPage {
        questions: questions.collect(),
        unread: unread.collect(),
        stopped,
        more_stopped: needs.more_stopped,
        troubled: agent_lines(&needs.troubled)?,
        moving,
        more_moving,
        agents: agent_lines(&available)?,
    })
}

/// A page of the runs of all projects, most recently changed first. The page starts after the run `behind`, if given.
pub fn runs_page(store: &mut Store, ctx: &Context, behind: Option<&str>) -> Result<RunsPage, AppError> {
    let projects = all_projects(store)?;
    let agents = store.agents(None)?;
    let before = match behind {
        Some(run) => Some(runs::select(store, ctx, &RunSelector::parse(Some(run))?)?),
        None => None,
    };
    let mut rows = store.runs_page(&RunPage {
        project: None,
        status: &[],
        behind: before.as_ref().map(|row| (row.changed_at, &row.id)),
        limit: RUNS_PER_PAGE + 1,
    })?;
    let more = rows.len() > RUNS_PER_PAGE as usize;
    rows.truncate(RUNS_PER_PAGE as usize);
    Ok(RunsPage {
        next: rows.last().filter(|_| more).map(|row| row.id.to_string()),
        runs: run_lines(store, ctx, &rows, &projects, &agents)?,
        later: before.is_some(),
    })
}

/// The question that a waiting run asks the user, with the possible answers.
pub(crate) fn ask_of(store: &mut Store, ctx: &Context, row: &RunRow) -> Option<AskView> {
    let reply = open_run::read(store, &row.id, &row.directory)
        .and_then(|run| runs::describe(store, ctx, &run, Loaded::default(), &Reader::Someone));
    match reply {
        // A gate's full question contains commands. The page links to the run instead.
        Ok(Reply::Step(view)) => view.ask.map(|ask| match ask.reason_file {
            Some(_) => AskView {
                question: GATE_QUESTION.to_owned(),
                ..ask
            },
            None => ask,
        }),
        // Omit a question that cannot be shown. The run's own page shows the error.
        Ok(Reply::End(_)) | Err(_) => None,
    }
}

fn run_lines(
    store: &mut Store,
    ctx: &Context,
    rows: &[RunRow],
    projects: &Projects,
    agents: &[AgentRow],
) -> Result<Vec<RunLine>, AppError> {
    let summaries = runs::summaries(store, ctx, rows, agents)?;
    let line = |(row, run): (&RunRow, RunSummary)| {
        let working = agents.iter().filter(|agent| works_on(agent, row));
        RunLine {
            run,
            project: projects.get(&row.project),
            question: None,
            agents: working.map(|agent| agent.address.to_string()).collect(),
        }
    };
    Ok(rows.iter().zip(summaries).map(line).collect())
}
