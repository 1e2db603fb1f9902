//! What does not go on without a person. The page and the terminal view show the same.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::Status;
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{
    AgentRow, LookStore as _, MessageRow, MessageStore as _, ProjectId, ProjectStore as _, RunPage, RunRow,
};

use crate::project::called;
use crate::{App, AppError};

/// How many runs that stand still are named.
const MOST_STOPPED: u32 = 20;
/// How many messages of a project that nobody has read are shown.
const MOST_UNREAD: u32 = 20;

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
    /// What people were told and have not read, by project.
    pub unread: Vec<Mail>,
}

/// What the person who looks after a project was told and has not read. Questions are not among it: they are
/// open and stand by themselves, or they are answered.
pub(crate) struct Mail {
    /// The project.
    pub project: ProjectId,
    /// What the project is called.
    pub home: Home,
    /// The oldest, in order.
    pub messages: Vec<MessageRow>,
    /// How many more there are.
    pub more: u64,
    /// The place in the mailbox that these reach to.
    pub up_to: u64,
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
        let troubled = agents.iter().filter(is_troubled).cloned().collect();
        Ok(Needs {
            stopped,
            more_stopped,
            troubled,
            unread: self.unread_by_people()?,
            questions,
        })
    }

    fn unread_by_people(&mut self) -> Result<Vec<Mail>, AppError> {
        let mut found = Vec::new();
        for row in self.store.projects()? {
            let home = Home::new(&called(&row), None);
            let project = row.id;
            let unread = self
                .store
                .unread(&project, &AgentAddress::human(&home), MOST_UNREAD)?;
            let Some(last) = unread.rows.last() else { continue };
            let mail = Mail {
                up_to: last.place,
                more: unread.more,
                messages: unread
                    .rows
                    .into_iter()
                    .map(|row| row.message)
                    .filter(|message| message.kind != MessageKind::Ask)
                    .collect(),
                project,
                home,
            };
            if !mail.messages.is_empty() || mail.more > 0 {
                found.push(mail);
            }
        }
        Ok(found)
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
