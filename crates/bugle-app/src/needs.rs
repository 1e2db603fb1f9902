//! What does not go on without a person. The page and the terminal view show the same.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::Status;
use bugle_store::{AgentRow, LookStore as _, MessageRow, ProjectId, RunPage, RunRow};

use crate::{App, AppError};

/// How many runs that stand still are named.
const MOST_STOPPED: u32 = 20;

/// What does not go on without a person, in all projects.
pub(crate) struct Needs {
    /// What a person was asked, with the project of whoever was asked; who has waited longest comes first.
    pub questions: Vec<(ProjectId, MessageRow)>,
    /// Runs that wait for a decision or are paused, the latest change first.
    pub stopped: Vec<RunRow>,
    /// Whether there are more of them.
    pub more_stopped: bool,
    /// Agents that failed, or are blocked by something else than a question above.
    pub troubled: Vec<AgentRow>,
}

impl App {
    /// What does not go on without a person; `agents` are those of all projects.
    pub(crate) fn what_needs_a_person(&mut self, agents: &[AgentRow]) -> Result<Needs, AppError> {
        let mut questions = self.store.questions_for_people()?;
        questions.sort_by_key(|(_, message)| message.at);
        let (stopped, more_stopped) = self.some_runs(&[Status::Waiting, Status::Paused], MOST_STOPPED)?;
        let asked_above = |agent: &AgentRow| {
            let mut asked = questions.iter().map(|(_, message)| &message.id);
            agent
                .question
                .as_ref()
                .is_some_and(|own| asked.any(|id| id == own))
        };
        let is_troubled = |agent: &&AgentRow| match agent.standing.status {
            AgentStatus::Failed => true,
            AgentStatus::Blocked => !asked_above(agent),
            AgentStatus::Busy | AgentStatus::Idle | AgentStatus::Complete | AgentStatus::Archived => false,
        };
        Ok(Needs {
            stopped,
            more_stopped,
            troubled: agents.iter().filter(is_troubled).cloned().collect(),
            questions,
        })
    }

    /// So many runs of all projects that stand so, and whether there are more.
    pub(crate) fn some_runs(
        &mut self,
        status: &[Status],
        most: u32,
    ) -> Result<(Vec<RunRow>, bool), AppError> {
        let mut rows = self.store.runs_page(&RunPage {
            project: None,
            status,
            behind: None,
            limit: most + 1,
        })?;
        let more = rows.len() > most as usize;
        rows.truncate(most as usize);
        Ok((rows, more))
    }
}

/// Whether an agent works on a run.
pub(crate) fn works_on(agent: &AgentRow, run: &RunRow) -> bool {
    agent.run.as_ref() == Some(&run.id) || (run.session.is_some() && agent.session == run.session)
}
