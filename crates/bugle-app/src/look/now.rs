//! What needs a person, and what is moving.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::{Event, Origin, Status};
use bugle_core::id::RunId;
use bugle_core::message::Home;
use bugle_render::words::clipped;
use bugle_store::{AgentRow, AgentStore as _, LookStore as _, RunPage, RunRow};
use bugle_wire::{MailView, NowView, QuestionView, RunLine, RunsView};
use serde_json::Value;

use super::Projects;
use crate::delegation::GATE_QUESTION;
use crate::needs::works_on;
use crate::run::{RunSelector, summary};
use crate::{App, AppError, Reply};

/// How many runs are shown at a time.
const MOST_MOVING: u32 = 20;
const RUNS_ON_A_PAGE: u32 = 50;
/// Of how many runs that wait the question is read.
const MOST_QUESTIONS: usize = 3;

impl App {
    /// What needs a person, and what is moving, in all projects.
    pub fn look_at_now(&mut self) -> Result<NowView, AppError> {
        let projects = self.all_projects()?;
        let agents = self.store.agents(None)?;
        let needs = self.what_needs_a_person(&agents)?;
        let (moving, more_moving) = self.some_runs(&[Status::Active], MOST_MOVING)?;
        let questions = needs.questions.iter().map(|(project, message)| {
            let project = projects.get(project);
            let here = Home::new(&project.name, None);
            QuestionView {
                branch: (message.sender.project() == here.project())
                    .then(|| message.sender.branch().to_owned()),
                project,
                message: crate::message::view(message, &message.sender.home()),
            }
        });
        let unread = needs.unread.iter().map(|mail| MailView {
            project: projects.get(&mail.project),
            messages: mail
                .messages
                .iter()
                .map(|message| crate::message::view(message, &mail.home))
                .collect(),
            more: mail.more,
            up_to: mail.up_to,
        });
        let mut stopped = self.run_lines(&needs.stopped, &projects, &agents)?;
        let moving = self.run_lines(&moving, &projects, &agents)?;
        for line in stopped
            .iter_mut()
            .filter(|line| line.run.position.status == Status::Waiting.as_str())
            .take(MOST_QUESTIONS)
        {
            line.question = self.question_of(&line.run.position.run)?;
        }
        let is_at_hand =
            |agent: &&AgentRow| matches!(agent.standing.status, AgentStatus::Busy | AgentStatus::Idle);
        let at_hand: Vec<AgentRow> = agents.iter().filter(is_at_hand).cloned().collect();
        let mut agent_lines = |rows: &[AgentRow]| {
            let lines = rows.iter().map(|row| self.agent_line(row, &projects));
            lines.collect::<Result<Vec<_>, _>>()
        };
        Ok(NowView {
            questions: questions.collect(),
            unread: unread.collect(),
            stopped,
            more_stopped: needs.more_stopped,
            troubled: agent_lines(&needs.troubled)?,
            moving,
            more_moving,
            agents: agent_lines(&at_hand)?,
        })
    }

    /// Runs of all projects, the latest change first: those behind the one that is named.
    pub fn look_at_runs(&mut self, behind: Option<&str>) -> Result<RunsView, AppError> {
        let projects = self.all_projects()?;
        let agents = self.store.agents(None)?;
        let before = match behind {
            Some(run) => Some(self.select(&RunSelector::parse(Some(run))?)?),
            None => None,
        };
        let mut rows = self.store.runs_page(&RunPage {
            project: None,
            status: &[],
            behind: before.as_ref().map(|row| (row.changed_at, &row.id)),
            limit: RUNS_ON_A_PAGE + 1,
        })?;
        let more = rows.len() > RUNS_ON_A_PAGE as usize;
        rows.truncate(RUNS_ON_A_PAGE as usize);
        Ok(RunsView {
            next: rows.last().filter(|_| more).map(|row| row.id.to_string()),
            runs: self.run_lines(&rows, &projects, &agents)?,
            later: before.is_some(),
        })
    }

    /// What a run that waits asks a person.
    fn question_of(&mut self, run: &str) -> Result<Option<String>, AppError> {
        let reply = self.step(&RunSelector::parse(Some(run))?);
        Ok(match reply {
            // A gate's question comes with commands, and here with a link to the run.
            Ok(Reply::Step(view)) => view.ask.map(|ask| match ask.reason_file {
                Some(_) => GATE_QUESTION.to_owned(),
                None => ask.question,
            }),
            // The list is of use without it; what is wrong is said where the run is shown.
            Ok(Reply::End(_)) | Err(_) => None,
        })
    }

    fn run_lines(
        &mut self,
        rows: &[RunRow],
        projects: &Projects,
        agents: &[AgentRow],
    ) -> Result<Vec<RunLine>, AppError> {
        let mut lines = Vec::new();
        for row in rows {
            let working = agents.iter().filter(|agent| works_on(agent, row));
            lines.push(RunLine {
                run: summary(row),
                project: projects.get(&row.project),
                about: self.about_run(&row.id)?,
                question: None,
                agents: working.map(|agent| agent.address.to_string()).collect(),
            });
        }
        Ok(lines)
    }

    /// What a run was started for, in a line: its task, else the first text that it was started with.
    pub(super) fn about_run(&mut self, run: &RunId) -> Result<Option<String>, AppError> {
        let Some(Event::Started { params, origin, .. }) = self.store.started(run)? else {
            return Ok(None);
        };
        let task = match &origin {
            Origin::Child(child) => child.task.as_ref().map(|task| task.title.clone()),
            Origin::Fresh | Origin::Fork { .. } => None,
        };
        let mut texts = params.values().filter_map(Value::as_str);
        let text = texts.find(|text| !text.trim().is_empty()).map(str::to_owned);
        Ok(task.or(text).map(|text| clipped(&text)))
    }
}
