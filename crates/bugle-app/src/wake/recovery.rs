//! What a replacement is told about the agent that it takes over from: its unfinished work, what it did, what it printed
//! last, and how the work tree stands.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bugle_core::id::{SessionId, Timestamp, VisitToken};
use bugle_core::message::AgentAddress;
use bugle_core::name::AgentName;
use bugle_core::outcome::Outcome;
use bugle_core::task::TaskEvent;
use bugle_core::wake::{Departed, Failures, Takeover};
use bugle_render::task_words::{self, spoken};
use bugle_store::{
    AgentStore as _, MessageFilter, MessageStore as _, ProjectId, RunFilter, RunRow, Scope, Store as _,
    TaskRow, TaskStore as _,
};
use bugle_wire::{CommandView, RecoveryView, StepView, UnfinishedWork, WakeMessage};

use super::ShortClock;
use super::deeds::Deeds;
use super::inspect::log_view;
use crate::message::home;
use crate::run::OpenRun;
use crate::{App, AppError, Place};

/// How many pieces of unfinished work are told.
const MOST_WORK: usize = 5;
/// How many tasks that somebody is at are looked through for those of one agent.
const MOST_ACTIVE: u32 = 200;
/// How many siblings of its tasks, before and behind, are looked at for what it did there.
const MOST_BESIDE: u32 = 20;
/// How many of its messages are told.
const MOST_SAID: u32 = 3;
/// How many wake-ups are looked through for earlier replacements.
const MOST_WAKEUPS: u32 = 200;
/// How many commands are named that show the rest.
const MOST_COMMANDS: usize = 4;

/// The agent that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// Its name or session.
    pub agent: String,
    /// Where the client wrote what it did: a transcript in lines of JSON, or plain output.
    pub log: Option<PathBuf>,
}

/// The agent that is gone, and what it has left.
pub(super) struct Left {
    departed: Departed,
    /// What it is called here.
    shown: String,
    address: Option<AgentAddress>,
    /// Its open runs, the latest first.
    pub(super) runs: Vec<RunRow>,
    /// Its open tasks, in order.
    tasks: Vec<TaskRow>,
}

impl Left {
    /// Its name as one that a task can be given to.
    pub(super) fn agent_name(&self) -> Option<AgentName> {
        let held = self.tasks.first().and_then(|row| row.task.agent.clone());
        held.or_else(|| AgentName::new(self.shown.trim_start_matches('@')).ok())
    }

    /// Whether a task is one of those that it left.
    pub(super) fn has_task(&self, id: &str) -> bool {
        self.tasks.iter().any(|row| row.task.id.as_str() == id)
    }
}

/// The command with which a replacement takes a task.
pub(super) fn take_over(place: &Place, task: &str, agent: Option<&str>) -> CommandView {
    let mut words = vec!["task", "start", task, "--take-over"];
    if let Some(agent) = agent {
        words.extend(["--as", agent.trim_start_matches('@')]);
    }
    CommandView {
        does: "take it over".to_owned(),
        command: place.command(&words),
    }
}

impl App {
    /// What an agent has left.
    pub(super) fn left_by(&mut self, called: &str, project: Option<&ProjectId>) -> Result<Left, AppError> {
        let home = home(&self.place);
        let bare = called.trim_start_matches('@');
        let address = match self.me(Some(bare)) {
            Ok(found) => Some(found.address),
            Err(AppError::Usage { .. }) => AgentAddress::of_session(bare, &home),
            Err(error) => return Err(error),
        };
        let session = match (project, &address) {
            (Some(project), Some(address)) => self.store.agent(project, address)?.and_then(|row| row.session),
            _ => None,
        };
        let mut departed = Departed::new(address.as_ref().map_or(bare, AgentAddress::name));
        if let Some(address) = &address {
            departed = departed.also_called(&format!("{}:{}", address.branch(), address.name()));
        }
        if let Some(session) = &session {
            departed = departed.also_called(&session.0);
        }
        let session = session.unwrap_or_else(|| SessionId(bare.to_owned()));
        let filter = |scope| RunFilter {
            scope,
            open_only: true,
            limit: super::at_hand::MOST_RUNS,
        };
        let mut runs = self.store.runs(&filter(Scope::Session(session)))?;
        let mut tasks = Vec::new();
        if let Some(project) = project {
            let here = self.store.runs(&filter(Scope::Project(project.clone())))?;
            let own = |row: &RunRow| {
                let session = row.session.as_ref();
                session.is_some_and(|session| departed.is_called(&session.0))
            };
            let known: Vec<_> = runs.iter().map(|row| row.id.clone()).collect();
            runs.extend(
                here.into_iter()
                    .filter(|row| own(row) && !known.contains(&row.id)),
            );
            tasks = self.store.active(project, None, MOST_ACTIVE)?;
            tasks.retain(|row| departed.holds(row.task.agent.as_ref()));
        }
        Ok(Left {
            shown: address.as_ref().map_or_else(
                || bare.to_owned(),
                |address| format!("@{}", address.seen_from(&home)),
            ),
            departed,
            address,
            runs,
            tasks,
        })
    }

    /// What a replacement is told; `current` is the task that work stands at.
    pub(super) fn recovery(
        &mut self,
        left: &Left,
        replaced: &Replaced,
        request: (Option<&str>, Option<&ProjectId>),
        step: Option<&StepView>,
        current: Option<&TaskRow>,
        clock: ShortClock<'_>,
    ) -> Result<RecoveryView, AppError> {
        let (agent, project) = request;
        let takeovers = self.takeovers(project)?;
        let mut deeds = Deeds::default();
        let mut work = Vec::new();
        for row in &left.runs {
            work.extend(self.unfinished_run(left, row, &takeovers, &mut deeds)?);
        }
        let mut around: BTreeMap<String, TaskRow> = BTreeMap::new();
        for row in left.tasks.first().into_iter().chain(current) {
            let beside = self.store.beside(row, MOST_BESIDE)?;
            around.extend(beside.into_iter().map(|row| (row.path.as_str().to_owned(), row)));
        }
        for row in &left.tasks {
            around.insert(row.path.as_str().to_owned(), row.clone());
        }
        for row in around.values() {
            let last = self.deeds_at(left, row, &mut deeds)?;
            if row.task.is_open() && left.departed.holds(row.task.agent.as_ref()) {
                work.push(self.unfinished_task(left, row, agent, last, &takeovers)?);
            }
        }
        let more_work = work.len().saturating_sub(MOST_WORK) as u64;
        work.truncate(MOST_WORK);
        let directory = left.runs.first().map(|row| PathBuf::from(&row.directory));
        let directory = directory.unwrap_or_else(|| self.place.root.clone());
        let (did, did_before) = deeds.latest(clock);
        let (said, unread) = self.words_of(left, project, clock)?;
        let checks = self.checks(left, &directory, step, current)?;
        let name = left.shown.trim_start_matches('@');
        let mut commands: Vec<CommandView> = work.iter().map(|work| self.all_about(work)).collect();
        commands.truncate(MOST_COMMANDS);
        if !said.is_empty() {
            commands.push(CommandView {
                does: "what it said".to_owned(),
                command: self.place.command(&["messages", "--from", name]),
            });
        }
        Ok(RecoveryView {
            agent: left.shown.clone(),
            work,
            more_work,
            did,
            did_before,
            said,
            unread,
            unread_command: self
                .place
                .command(&["messages", "--for", name, "--unread", "--take"]),
            log: replaced
                .log
                .as_ref()
                .map(|file| log_view(&self.place.directory.join(file))),
            checks,
            commands,
        })
    }

    fn all_about(&self, work: &UnfinishedWork) -> CommandView {
        let words = match work.id.split_once('#') {
            Some((run, _)) => vec!["show", run],
            None => vec!["task", "show", work.id.as_str(), "--full"],
        };
        CommandView {
            does: "all about it".to_owned(),
            command: self.place.command(&words),
        }
    }

    /// Which work was taken over before, and from whom.
    fn takeovers(&mut self, project: Option<&ProjectId>) -> Result<Vec<(Vec<String>, Takeover)>, AppError> {
        let Some(project) = project else {
            return Ok(Vec::new());
        };
        let rows = self.store.wakeups(project, None, MOST_WAKEUPS)?;
        Ok(rows.iter().filter_map(super::records::takeover).collect())
    }

    /// A run that is open, and what was done in it; nothing if it is at no step.
    fn unfinished_run(
        &mut self,
        left: &Left,
        row: &RunRow,
        takeovers: &[(Vec<String>, Takeover)],
        deeds: &mut Deeds,
    ) -> Result<Option<UnfinishedWork>, AppError> {
        let Some(stored) = self.store.load(&row.id)? else {
            return Ok(None);
        };
        let detail = self.show(&crate::RunSelector::Run(row.id.clone()))?;
        let home = home(&self.place);
        let mut last = None;
        for (entry, recorded) in detail.timeline.iter().zip(&stored.events) {
            if !entry.left_behind && left.departed.did_in_own_run(&recorded.by) {
                last = last.max(Some(recorded.at));
                deeds.add(
                    recorded.at,
                    self.called(&recorded.by, &home)?,
                    format!("run {}: {}", row.id, entry.summary),
                );
            }
        }
        let OpenRun { state, .. } = self.read(&row.id)?;
        let Some(visit) = state.current() else {
            return Ok(None);
        };
        let (title, ends_with) = match self.step_of(row) {
            Ok(Some(step)) => (step.title, step.command),
            Ok(None) => return Ok(None),
            // A step that cannot be told is unfinished all the same.
            Err(AppError::Text { .. }) => (visit.step.to_string(), None),
            Err(error) => return Err(error),
        };
        let token = VisitToken {
            run: row.id.clone(),
            visit: visit.number,
        };
        let id = token.to_string();
        let said = state.count_endings(&visit.step, Outcome::Fail);
        let failures = failures(said, left, last, takeovers, &id);
        let has_task = state.task_at_hand(visit.number).is_some();
        Ok(Some(UnfinishedWork {
            what: format!(
                "run {} of {}, at the step \"{}\" ({id})",
                row.id, row.skill, title
            ),
            command: match ends_with {
                Some(command) => CommandView {
                    does: "it ends with".to_owned(),
                    command,
                },
                None => CommandView {
                    does: "the step".to_owned(),
                    command: self.place.command(&["step", row.id.as_str()]),
                },
            },
            failed: failures.said,
            died: failures.died,
            split: self.split(failures).filter(|_| has_task),
            id,
        }))
    }

    /// Keeps what was done at a task; says when the last of it was.
    fn deeds_at(
        &mut self,
        left: &Left,
        row: &TaskRow,
        deeds: &mut Deeds,
    ) -> Result<Option<Timestamp>, AppError> {
        let events = self.store.task_events(&row.task.id)?;
        let home = home(&self.place);
        let mut last = None;
        for recorded in left.departed.deeds(&events) {
            last = last.max(Some(recorded.at));
            let (_, what) = task_words::event(&recorded.event);
            deeds.add(
                recorded.at,
                self.called(&recorded.by, &home)?,
                format!("{}: {what}", spoken(&row.task)),
            );
        }
        Ok(last)
    }

    fn unfinished_task(
        &mut self,
        left: &Left,
        row: &TaskRow,
        agent: Option<&str>,
        last: Option<Timestamp>,
        takeovers: &[(Vec<String>, Takeover)],
    ) -> Result<UnfinishedWork, AppError> {
        let id = row.task.id.to_string();
        let events = self.store.task_events(&row.task.id)?;
        let is_failure = |event: &TaskEvent| matches!(event, TaskEvent::Failed { .. });
        let said = events
            .iter()
            .filter(|recorded| is_failure(&recorded.event))
            .count();
        let failures = failures(said, left, last, takeovers, &id);
        Ok(UnfinishedWork {
            what: format!("{} ({id}), {}", spoken(&row.task), row.task.standing.as_str()),
            command: take_over(&self.place, &id, agent),
            failed: failures.said,
            died: failures.died,
            split: self.split(failures),
            id,
        })
    }

    /// The command that says how to split work, if it has failed too often.
    fn split(&self, failures: Failures) -> Option<String> {
        failures
            .call_for_a_split()
            .then(|| self.place.command(&["help", "task", "add"]))
    }

    /// What it said last, and how many messages to it nobody has read.
    fn words_of(
        &mut self,
        left: &Left,
        project: Option<&ProjectId>,
        clock: ShortClock<'_>,
    ) -> Result<(Vec<WakeMessage>, u64), AppError> {
        let (Some(project), Some(address)) = (project, &left.address) else {
            return Ok((Vec::new(), 0));
        };
        let filter = MessageFilter {
            from: Some(address),
            last: MOST_SAID,
            ..MessageFilter::default()
        };
        let said = self.store.messages(project, &filter)?;
        let said = said.into_iter().map(|row| WakeMessage {
            id: Some(row.id.to_string()),
            at: Some(clock(row.at.0)),
            from: left.shown.clone(),
            text: row.text,
            answer_with: None,
            answers: None,
        });
        let unread = self.store.unread(project, address, 1)?;
        Ok((said.collect(), unread.more + unread.rows.len() as u64))
    }
}

fn failures(
    said: usize,
    left: &Left,
    last: Option<Timestamp>,
    takeovers: &[(Vec<String>, Takeover)],
    id: &str,
) -> Failures {
    let of_this = takeovers
        .iter()
        .filter(|(work, _)| work.iter().any(|one| one == id));
    let earlier: Vec<Takeover> = of_this.map(|(_, takeover)| takeover.clone()).collect();
    let said = u32::try_from(said).unwrap_or(u32::MAX);
    Failures::count(said, &left.departed, last, &earlier)
}
