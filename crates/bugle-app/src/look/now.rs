//! What needs a person, and what is moving.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::Status;
use bugle_store::{AgentRow, AgentStore as _, LookStore as _, RunPage, RunRow};
use bugle_wire::{NowView, QuestionView, RunLine, RunsView};

use super::Projects;
use crate::run::{RunSelector, summary};
use crate::{App, AppError, Reply};

/// How many runs are shown at a time.
const MOST_STOPPED: u32 = 20;
const MOST_MOVING: u32 = 20;
const RUNS_ON_A_PAGE: u32 = 50;
/// Of how many runs that wait the question is read.
const MOST_QUESTIONS: usize = 3;

impl App {
    /// What needs a person, and what is moving, in all projects.
    pub fn look_at_now(&mut self) -> Result<NowView, AppError> {
        let projects = self.all_projects()?;
        let agents = self.store.agents(None)?;
        let mut questions = Vec::new();
        for (project, message) in self.store.questions_for_people()? {
            let home = message.sender.home();
            questions.push(QuestionView {
                project: projects.get(&project),
                message: crate::message::view(&message, &home),
            });
        }
        let mut list = |status: &[Status], most: u32| {
            let mut rows = self.store.runs_page(&RunPage {
                project: None,
                status,
                behind: None,
                limit: most + 1,
            })?;
            let more = rows.len() > most as usize;
            rows.truncate(most as usize);
            Ok::<_, AppError>((rows, more))
        };
        let (stopped, more_stopped) = list(&[Status::Waiting, Status::Paused], MOST_STOPPED)?;
        let (moving, more_moving) = list(&[Status::Active], MOST_MOVING)?;
        let mut lines: Vec<RunLine> = stopped.iter().map(|row| line(row, &projects, &agents)).collect();
        for line in lines
            .iter_mut()
            .filter(|line| line.run.position.status == Status::Waiting.as_str())
            .take(MOST_QUESTIONS)
        {
            line.question = self.question_of(&line.run.position.run)?;
        }
        let (mut troubled, mut at_hand) = (Vec::new(), Vec::new());
        let asked_above = |row: &AgentRow| {
            let mut asked = questions.iter().map(|question| question.message.id.as_str());
            row.question
                .as_ref()
                .is_some_and(|own| asked.any(|id| id == own.as_str()))
        };
        for row in &agents {
            match row.standing.status {
                // Whoever waits for a person stands with the question already.
                AgentStatus::Blocked if asked_above(row) => {}
                AgentStatus::Failed | AgentStatus::Blocked => troubled.push(self.agent_line(row, &projects)?),
                AgentStatus::Busy | AgentStatus::Idle => at_hand.push(self.agent_line(row, &projects)?),
                AgentStatus::Complete | AgentStatus::Archived => {}
            }
        }
        Ok(NowView {
            questions,
            stopped: lines,
            more_stopped,
            troubled,
            moving: moving.iter().map(|row| line(row, &projects, &agents)).collect(),
            more_moving,
            agents: at_hand,
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

/// Whether an agent works on a run.
pub(super) fn works_on(agent: &AgentRow, run: &RunRow) -> bool {
    agent.run.as_ref() == Some(&run.id) || (run.session.is_some() && agent.session == run.session)
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
