//! What needs a person, and what is moving.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::Status;
use bugle_store::{AgentRow, AgentStore as _, LookStore as _, RunPage, RunRow};
use bugle_wire::{NowView, QuestionView, RunLine, RunsView};

use super::Projects;
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
        let questions = needs.questions.iter().map(|(project, message)| QuestionView {
            project: projects.get(project),
            message: crate::message::view(message, &message.sender.home()),
        });
        let stopped = needs.stopped.iter();
        let mut stopped: Vec<RunLine> = stopped.map(|row| line(row, &projects, &agents)).collect();
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
            stopped,
            more_stopped: needs.more_stopped,
            troubled: agent_lines(&needs.troubled)?,
            moving: moving.iter().map(|row| line(row, &projects, &agents)).collect(),
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
            runs: rows.iter().map(|row| line(row, &projects, &agents)).collect(),
            later: before.is_some(),
        })
    }

    /// What a run that waits asks a person.
    fn question_of(&mut self, run: &str) -> Result<Option<String>, AppError> {
        let reply = self.step(&RunSelector::parse(Some(run))?);
        Ok(match reply {
            Ok(Reply::Step(view)) => view.ask.map(|ask| ask.question),
            // The list is of use without it; what is wrong is said where the run is shown.
            Ok(Reply::End(_)) | Err(_) => None,
        })
    }
}

fn line(row: &RunRow, projects: &Projects, agents: &[AgentRow]) -> RunLine {
    let working = agents.iter().filter(|agent| works_on(agent, row));
    RunLine {
        run: summary(row),
        project: projects.get(&row.project),
        question: None,
        agents: working.map(|agent| agent.address.to_string()).collect(),
    }
}
