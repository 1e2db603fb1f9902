//! Items that need the user's attention, for the dashboard and `bugle top`.

use bugle_core::agent::AgentStatus;
use bugle_core::engine::RunStatus;
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{AgentRow, MessageRow, ProjectId, RunPage, RunRow, Store};

use crate::{AppError, addresses};

/// Maximum number of stopped runs listed.
const MAX_STOPPED: u32 = 20;
/// Maximum number of unread messages listed for a project.
const MAX_UNREAD: u32 = 20;

/// Everything that needs the user's attention, in all projects.
pub(crate) struct Attention {
    /// Open questions to the user, each with its project; oldest first.
    pub questions: Vec<(ProjectId, MessageRow)>,
    /// Waiting and paused runs, most recently changed first.
    pub stopped: Vec<RunRow>,
    /// Whether there are more stopped runs.
    pub more_stopped: bool,
    /// Agents that failed, or that are blocked without an open question.
    pub troubled: Vec<AgentRow>,
    /// Unread messages to the user, by project.
    pub unread: Vec<UnreadMail>,
}

/// Unread messages to the user in a project, without questions: open questions are listed separately.
pub(crate) struct UnreadMail {
    /// The project.
    pub project: ProjectId,
    /// The path that identifies the project.
    pub place: String,
    /// The project's home, to shorten addresses.
    pub home: Home,
    /// The oldest messages, in chronological order.
    pub messages: Vec<MessageRow>,
    /// Number of further unread messages.
    pub more: u64,
    /// The mailbox position of the last listed message.
    pub up_to: u64,
}

/// Collects the items that need the user's attention. `agents` are the agents of all projects.
pub(crate) fn attention(store: &mut Store, agents: &[AgentRow]) -> Result<Attention, AppError> {
    let mut questions = store.questions_for_people()?;
    questions.sort_by_key(|(_, message)| message.at);
    let (stopped, more_stopped) =
        runs_with_status(store, &[RunStatus::Waiting, RunStatus::Paused], MAX_STOPPED)?;
    let needs_help = |agent: &&AgentRow| match agent.state.status {
        AgentStatus::Failed => true,
        // Questions to the user are listed separately, and questions to agents do not concern the user.
        AgentStatus::Blocked => agent.question.is_none(),
        AgentStatus::Busy | AgentStatus::Idle | AgentStatus::Complete | AgentStatus::Archived => false,
    };
    let troubled = agents.iter().filter(needs_help).cloned().collect();
    Ok(Attention {
        stopped,
        more_stopped,
        troubled,
        unread: unread_mail(store)?,
        questions,
    })
}

fn unread_mail(store: &mut Store) -> Result<Vec<UnreadMail>, AppError> {
    let mut found = Vec::new();
    for row in store.projects()? {
        let home = Home::new(&addresses::name_of_project(&row), None);
        let project = row.id;
        let unread = store.unread(&project, &AgentAddress::human(&home), MAX_UNREAD)?;
        let Some(last) = unread.rows.last() else { continue };
        let mail = UnreadMail {
            up_to: last.place,
            more: unread.more,
            messages: unread
                .rows
                .into_iter()
                .map(|row| row.message)
                .filter(|message| message.kind != MessageKind::Ask)
                .collect(),
            project,
            place: row.place,
            home,
        };
        if !mail.messages.is_empty() || mail.more > 0 {
            found.push(mail);
        }
    }
    Ok(found)
}

/// Up to `most` runs of all projects with one of these statuses, and whether there are more.
pub(crate) fn runs_with_status(
    store: &mut Store,
    status: &[RunStatus],
    most: u32,
) -> Result<(Vec<RunRow>, bool), AppError> {
    let mut rows = store.runs_page(&RunPage {
        project: None,
        status,
        behind: None,
        limit: most + 1,
    })?;
    let more = rows.len() > most as usize;
    rows.truncate(most as usize);
    Ok((rows, more))
}

/// Whether an agent is working on a run.
pub(crate) fn works_on(agent: &AgentRow, run: &RunRow) -> bool {
    agent.run.as_ref() == Some(&run.id) || (run.session.is_some() && agent.session == run.session)
}
