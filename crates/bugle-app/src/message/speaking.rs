//! What happens in the one transaction in which something is said: who gets it, whom it wakes, how the one who asks stands.

use std::collections::HashSet;

use bugle_core::agent::{Echo, Exchange, MOST_TURNS, Signal, WhichAgent, said, which};
use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{Addressee, AgentAddress, Home, MessageKind};
use bugle_store::{
    AgentRow, AgentStore as _, MessageRow, MessageStore as _, NewMessage, Pair, ProjectId, ProjectRow,
    ProjectStore, Receiver, SqliteStore,
};

use crate::AppError;
use crate::agent::{Me, current_name, signalled};
use crate::project::called;

/// What is to be said.
pub(super) struct Words<'a> {
    pub text: &'a str,
    pub kind: MessageKind,
    pub answers: Option<&'a MessageRow>,
}

/// Somebody who was mentioned and of whom nobody has heard, with a name that is much the same.
pub(super) struct Stranger {
    pub address: AgentAddress,
    pub near: Option<String>,
}

/// Somebody who is mentioned.
pub(super) struct Mentioned {
    pub who: Addressee,
    /// Whether it is a piece of code, if nobody is called so.
    pub may_be_code: bool,
}

/// Whom it reaches that they are mentioned.
#[derive(Default)]
pub(super) struct Reached {
    /// Those who get it.
    pub to: Vec<Receiver>,
    /// Those of them who are new here.
    pub strangers: Vec<Stranger>,
    /// What is taken for code, and reaches nobody.
    pub code: Vec<AgentAddress>,
}

/// What was said, and what came of it.
pub(super) struct Posted {
    pub message: MessageRow,
    pub reached: Reached,
    /// What Bugle told the person besides.
    pub notice: Option<MessageRow>,
}

/// Posts what Bugle tells a person.
pub(super) fn told(
    store: &mut SqliteStore,
    project: &ProjectId,
    person: &AgentAddress,
    text: &str,
    id: &MessageId,
    at: Timestamp,
) -> Result<Option<MessageRow>, AppError> {
    let person = current_name(store, project, person)?;
    let home = person.home();
    Ok(store.post(&NewMessage {
        id,
        project,
        sender: &AgentAddress::bugle(&home),
        text,
        at,
        kind: MessageKind::Say,
        answers: None,
        branch: home.branch(),
        to: &[Receiver {
            project: project.clone(),
            agent: person,
            wakes: true,
        }],
    })?)
}

/// Somebody who speaks, inside the transaction in which it is heard.
pub(super) struct Speaking<'a> {
    pub store: &'a mut SqliteStore,
    pub me: &'a Me,
    pub project: &'a ProjectId,
    pub at: Timestamp,
}

impl Speaking<'_> {
    /// Posts it; nothing if an id is taken.
    pub(super) fn post(
        &mut self,
        words: &Words<'_>,
        mentioned: &[Mentioned],
        [id, notice]: [&MessageId; 2],
        directory: &str,
    ) -> Result<Option<Posted>, AppError> {
        let mut reached = self.receivers(mentioned)?;
        if words.kind == MessageKind::Ask {
            refuse_strangers(&reached, &self.me.home)?;
        }
        let to = &mut reached.to;
        if let Some(question) = words.answers {
            self.add_asker(question, to)?;
        }
        let circle = self.count_turns(words.kind, to)?;
        let posted = self.store.post(&NewMessage {
            id,
            project: self.project,
            sender: &self.me.address,
            text: words.text,
            at: self.at,
            kind: words.kind,
            answers: words.answers.map(|question| &question.id),
            branch: self.me.home.branch(),
            to,
        })?;
        let Some(message) = posted else { return Ok(None) };
        for receiver in to.iter() {
            if let Some(found) = self.store.agent(&receiver.project, &receiver.agent)? {
                signalled(self.store, found, Signal::Contacted)?;
            }
        }
        match words.kind {
            MessageKind::Say => {}
            MessageKind::Ask => self.block(&message, directory)?,
            MessageKind::Answer => self.unblock(words.answers)?,
        }
        let notice = match circle {
            Some(text) => {
                let person = AgentAddress::human(&self.me.home);
                told(self.store, self.project, &person, &text, notice, self.at)?
            }
            None => None,
        };
        Ok(Some(Posted {
            message,
            reached,
            notice,
        }))
    }

    /// Those who get a message, each once and never the sender.
    fn receivers(&mut self, mentioned: &[Mentioned]) -> Result<Reached, AppError> {
        let mut reached = Reached::default();
        if mentioned.is_empty() {
            return Ok(reached);
        }
        let here = self.store.correspondents(self.project)?;
        let mut seen = HashSet::from([self.me.address.clone()]);
        for Mentioned { who, may_be_code } in mentioned {
            match who {
                Addressee::All => {
                    let agents = here.iter().filter(|agent| !agent.is_human() && !agent.is_bugle());
                    for agent in agents.filter(|agent| seen.insert((*agent).clone())) {
                        reached.to.push(receiver(self.project.clone(), agent.clone()));
                    }
                }
                Addressee::One(agent) => {
                    let own = agent.project() == self.me.home.project();
                    let place = if own {
                        self.project.clone()
                    } else {
                        project_called(self.store, agent)?
                    };
                    let agent = current_name(self.store, &place, agent)?;
                    if !seen.insert(agent.clone()) {
                        continue;
                    }
                    let there = if own {
                        Vec::new()
                    } else {
                        self.store.correspondents(&place)?
                    };
                    let known = if own { &here } else { &there };
                    if !known.contains(&agent) && !agent.is_human() {
                        if *may_be_code {
                            reached.code.push(agent);
                            continue;
                        }
                        reached.strangers.push(stranger(&agent, known, &self.me.home));
                    }
                    reached.to.push(receiver(place, agent));
                }
            }
        }
        Ok(reached)
    }

    /// Whoever asked gets the answer, mentioned or not.
    fn add_asker(&mut self, question: &MessageRow, to: &mut Vec<Receiver>) -> Result<(), AppError> {
        let own = question.sender.project() == self.me.home.project();
        let place = if own {
            self.project.clone()
        } else {
            project_called(self.store, &question.sender)?
        };
        let asker = current_name(self.store, &place, &question.sender)?;
        if asker != self.me.address && to.iter().all(|receiver| receiver.agent != asker) {
            to.push(receiver(place, asker));
        }
        Ok(())
    }

    /// Counts how often the speaker and each receiver took turns. What crosses the cap wakes nobody; the text is for the
    /// person, the first time.
    fn count_turns(&mut self, kind: MessageKind, to: &mut [Receiver]) -> Result<Option<String>, AppError> {
        let mut circle = None;
        for receiver in to {
            if receiver.agent.is_human() {
                continue;
            }
            if self.me.address.is_human() {
                self.store.forget_exchanges(&receiver.project, &receiver.agent)?;
                continue;
            }
            let pair = Pair::of(
                (self.project, &self.me.address),
                (&receiver.project, &receiver.agent),
            );
            let (before, since) = self.store.exchange(&pair)?;
            let got_on = before.turns >= MOST_TURNS && self.got_on(receiver, since)?;
            let (after, echo) = said(&before, &self.me.address, got_on);
            let since = if got_on || before == Exchange::default() {
                self.at
            } else {
                since
            };
            self.store.keep_exchange(&pair, &after, since)?;
            // An answer is waited for, and an end of it.
            receiver.wakes = echo == Echo::Wakes || kind == MessageKind::Answer;
            if echo == Echo::WaitsAndIsTold {
                circle = Some(format!(
                    "@{} and @{} have answered each other {MOST_TURNS} times, and neither a person nor any progress \
                     came in between. What they say still arrives, but wakes nobody until you say something to one of \
                     them or their work gets on.",
                    self.me.address.seen_from(&self.me.home),
                    receiver.agent.seen_from(&self.me.home)
                ));
            }
        }
        Ok(circle)
    }

    fn got_on(&mut self, other: &Receiver, since: Timestamp) -> Result<bool, AppError> {
        let mut sessions = Vec::new();
        for (project, agent) in [(self.project, &self.me.address), (&other.project, &other.agent)] {
            sessions.extend(self.store.agent(project, agent)?.and_then(|row| row.session));
        }
        Ok(self.store.got_on(self.project, &sessions, since)?)
    }

    /// Whoever asks is blocked; a person is not.
    fn block(&mut self, question: &MessageRow, directory: &str) -> Result<(), AppError> {
        if self.me.address.is_human() {
            return Ok(());
        }
        let known = self.store.agent(self.project, &self.me.address)?;
        let is_new = known.is_none();
        let mut row = known.unwrap_or_else(|| {
            AgentRow::new(
                self.project.clone(),
                self.me.address.clone(),
                directory.to_owned(),
                self.at,
            )
        });
        row.question = Some(question.id.clone());
        row.standing = row.standing.after(Signal::Asked);
        row.changed_at = self.at;
        if is_new {
            self.store.add_agent(&row)?;
        } else {
            self.store.keep_agent(&row)?;
        }
        Ok(())
    }

    /// The question is closed for all who were asked, and whoever waits for just this answer waits no more.
    fn unblock(&mut self, question: Option<&MessageRow>) -> Result<(), AppError> {
        let Some(question) = question else { return Ok(()) };
        if !self.store.close_question(&question.id)? {
            return Err(AppError::Usage {
                what: format!(
                    "{} was answered in this very moment; nothing was said",
                    question.id
                ),
                hints: Vec::new(),
            });
        }
        // What was answered was read.
        self.store
            .take_one(self.project, &self.me.address, &question.id, self.at)?;
        if let Some(mut row) = self.store.agent_asking(&question.id)? {
            row.question = None;
            row.standing = row.standing.after(Signal::Answered);
            row.changed_at = self.at;
            self.store.keep_agent(&row)?;
        }
        Ok(())
    }
}

fn receiver(project: ProjectId, agent: AgentAddress) -> Receiver {
    Receiver {
        project,
        agent,
        wakes: true,
    }
}

/// Somebody of whom nobody has heard, and who may have been meant.
fn stranger(address: &AgentAddress, known: &[AgentAddress], home: &Home) -> Stranger {
    let elsewhere = known.iter().find(|other| other.name() == address.name());
    let same_branch = known
        .iter()
        .filter(|other| other.branch() == address.branch() && !other.is_human());
    let near = match (
        elsewhere,
        which(address.name(), same_branch.map(AgentAddress::name)),
    ) {
        (Some(elsewhere), _) => Some(elsewhere.seen_from(home)),
        (None, WhichAgent::One(name) | WhichAgent::Nobody(Some(name))) => Some(name.to_owned()),
        (None, WhichAgent::Several(names)) => Some(names.join(" or ")),
        (None, WhichAgent::Nobody(None)) => None,
    };
    Stranger {
        address: address.clone(),
        near,
    }
}

/// Whoever asks only those that nobody has heard of would wait for ever.
fn refuse_strangers(reached: &Reached, home: &Home) -> Result<(), AppError> {
    let Reached { to, strangers, code } = reached;
    if to.len() > strangers.len() {
        return Ok(());
    }
    let names: Vec<String> = strangers
        .iter()
        .map(|stranger| &stranger.address)
        .chain(code)
        .map(|address| format!("@{}", address.seen_from(home)))
        .collect();
    let what = if names.is_empty() {
        "nobody but yourself is asked; nothing was said".to_owned()
    } else {
        format!("nobody has heard of {}; nothing was asked", names.join(", "))
    };
    let near = strangers.iter().filter_map(|stranger| stranger.near.as_ref());
    Err(AppError::NotFound {
        what,
        hints: near.map(|near| format!("Is @{near} meant?")).collect(),
    })
}

/// The project that an agent elsewhere belongs to.
fn project_called(store: &mut impl ProjectStore, agent: &AgentAddress) -> Result<ProjectId, AppError> {
    let all = store.projects()?;
    let is_called = |row: &ProjectRow| Home::new(&called(row), None).project() == agent.project();
    let mut found: Vec<ProjectRow> = all.iter().filter(|row| is_called(row)).cloned().collect();
    if found.is_empty() {
        // A project that was merged into another one lives on in the addresses of its agents.
        for row in all {
            if store.is_addressed_as(&row.id, agent.project())? {
                found.push(row);
            }
        }
    }
    if found.len() > 1 {
        return Err(AppError::Usage {
            what: format!(
                "several projects are called `{}`; nothing was said",
                agent.project()
            ),
            hints: found.into_iter().map(|row| row.place).collect(),
        });
    }
    found.pop().map(|row| row.id).ok_or_else(|| AppError::NotFound {
        what: format!("there is no project `{}`; nothing was said", agent.project()),
        hints: vec![format!(
            "If nobody is meant by @{agent}, put it between backticks."
        )],
    })
}
