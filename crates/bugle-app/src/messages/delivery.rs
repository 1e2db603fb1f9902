//! Posts a message in one transaction: delivers it, and blocks or unblocks the agent that asked.

use bugle_core::agent::{Exchange, ExchangeEffect, MAX_TURNS, Signal, record_message};
use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{AgentRow, MessageRow, NewMessage, Pair, ProjectId, Receiver, Store};

use super::recipients::{self, Mentioned, Recipients};
use crate::agents::{Me, apply_signal, current_name};
use crate::ids::{NewIdError, with_new_ids};
use crate::{AppError, Context};

/// A message to post.
pub(super) struct Draft<'a> {
    pub text: &'a str,
    pub kind: MessageKind,
    pub answers: Option<&'a MessageRow>,
}

/// A posted message and its recipients.
pub(super) struct Posted {
    pub message: MessageRow,
    pub recipients: Recipients,
    /// A notice to the user that Bugle posted along with the message.
    pub notice: Option<MessageRow>,
}

/// Posts a message from Bugle at `home` to an agent or the user. The message wakes the agent.
pub(crate) fn post_from_bugle(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    home: &Home,
    to: AgentAddress,
    text: &str,
) -> Result<MessageRow, AppError> {
    let to = Receiver {
        project: project.clone(),
        agent: to,
        wakes: true,
    };
    post_to(store, ctx, home, &to, text)
}

/// Posts a message from Bugle that the agent sees when its client next calls a hook. The message does not wake the
/// agent.
pub(crate) fn inform(store: &mut Store, ctx: &Context, agent: &AgentRow, text: &str) -> Result<(), AppError> {
    let to = Receiver {
        project: agent.project.clone(),
        agent: agent.address.clone(),
        wakes: false,
    };
    post_to(store, ctx, &agent.address.home(), &to, text).map(drop)
}

fn post_to(
    store: &mut Store,
    ctx: &Context,
    home: &Home,
    to: &Receiver,
    text: &str,
) -> Result<MessageRow, AppError> {
    with_new_ids("the message", || {
        let id = MessageId::from_random(ctx.random()?);
        let posted = store.post(&NewMessage {
            id: &id,
            project: &to.project,
            sender: &AgentAddress::bugle(home),
            text,
            at: ctx.now(),
            kind: MessageKind::Say,
            answers: None,
            branch: home.branch(),
            to: std::slice::from_ref(to),
        })?;
        posted.ok_or(NewIdError::Taken)
    })
}

/// Posts a notice from Bugle to the user.
pub(super) fn post_notice(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    person: &AgentAddress,
    text: &str,
) -> Result<MessageRow, AppError> {
    let person = current_name(store, project, person)?;
    post_from_bugle(store, ctx, project, &person.home(), person, text)
}

/// The sender of a message, inside the transaction that posts it.
pub(super) struct Posting<'a> {
    pub store: &'a mut Store,
    pub ctx: &'a Context,
    pub me: &'a Me,
    pub project: &'a ProjectId,
    pub at: Timestamp,
}

impl Posting<'_> {
    /// Posts a draft.
    pub(super) fn post(
        &mut self,
        draft: &Draft<'_>,
        mentioned: &[Mentioned],
        directory: &str,
    ) -> Result<Posted, AppError> {
        let mut recipients = recipients::resolve(self.store, self.me, self.project, mentioned)?;
        if draft.kind == MessageKind::Ask {
            recipients::refuse_unknown(&recipients, self.ctx, &self.me.home)?;
        }
        let to = &mut recipients.to;
        if let Some(question) = draft.answers {
            recipients::add_asker(self.store, self.me, self.project, question, to)?;
        }
        let turn_notice = self.count_turns(draft.kind, to)?;
        let message = with_new_ids("the message", || {
            let id = MessageId::from_random(self.ctx.random()?);
            let posted = self.store.post(&NewMessage {
                id: &id,
                project: self.project,
                sender: &self.me.address,
                text: draft.text,
                at: self.at,
                kind: draft.kind,
                answers: draft.answers.map(|question| &question.id),
                branch: self.me.home.branch(),
                to,
            })?;
            posted.ok_or(NewIdError::Taken)
        })?;
        for receiver in to.iter() {
            if let Some(found) = self.store.agent(&receiver.project, &receiver.agent)? {
                apply_signal(self.store, self.ctx, found, Signal::Contacted)?;
            }
        }
        match draft.kind {
            MessageKind::Say => {}
            MessageKind::Ask => self.block(&message, directory)?,
            MessageKind::Answer => self.unblock(draft.answers)?,
        }
        let notice = match turn_notice {
            Some(text) => {
                let person = AgentAddress::human(&self.me.home);
                Some(post_notice(self.store, self.ctx, self.project, &person, &text)?)
            }
            None => None,
        };
        Ok(Posted {
            message,
            recipients,
            notice,
        })
    }

    /// Counts the turns between the sender and each recipient. Above the limit, a message no longer wakes its
    /// recipient. Returns a notice for the user when the limit is first exceeded.
    fn count_turns(&mut self, kind: MessageKind, to: &mut [Receiver]) -> Result<Option<String>, AppError> {
        let mut notice = None;
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
            let progressed = before.turns >= MAX_TURNS && self.progressed_since(receiver, since)?;
            let (after, effect) = record_message(&before, &self.me.address, progressed);
            let since = if progressed || before == Exchange::default() {
                self.at
            } else {
                since
            };
            self.store.keep_exchange(&pair, &after, since)?;
            // An answer always wakes its recipient, because the recipient is blocked until the answer arrives.
            receiver.wakes = effect == ExchangeEffect::Wakes || kind == MessageKind::Answer;
            if effect == ExchangeEffect::WaitsAndNotifiesUser {
                notice = Some(format!(
                    "@{} and @{} have answered each other {MAX_TURNS} times without progress and without a message from \
                     you. Bugle still delivers their messages, but does not wake the recipient until you write to one \
                     of them or one of them makes progress.",
                    self.me.address.seen_from(&self.me.home),
                    receiver.agent.seen_from(&self.me.home)
                ));
            }
        }
        Ok(notice)
    }

    fn progressed_since(&mut self, other: &Receiver, since: Timestamp) -> Result<bool, AppError> {
        let mut sessions = Vec::new();
        for (project, agent) in [(self.project, &self.me.address), (&other.project, &other.agent)] {
            sessions.extend(self.store.agent(project, agent)?.and_then(|row| row.session));
        }
        Ok(self.store.progressed_since(self.project, &sessions, since)?)
    }

    /// Blocks the agent that asked. The user is never blocked.
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
        row.state = row.state.after(Signal::Asked);
        row.changed_at = self.at;
        if is_new {
            self.store.add_agent(&row)?;
        } else {
            self.store.keep_agent(&row)?;
        }
        Ok(())
    }

    /// Closes a question for all its recipients, and unblocks the agent that asked it.
    fn unblock(&mut self, question: Option<&MessageRow>) -> Result<(), AppError> {
        let Some(question) = question else { return Ok(()) };
        if !self.store.close_question(&question.id)? {
            return Err(AppError::Usage {
                what: format!("{} has just been answered; nothing was posted", question.id),
                hints: Vec::new(),
            });
        }
        // An answered question counts as read.
        self.store
            .take_one(self.project, &self.me.address, &question.id, self.at)?;
        if let Some(mut row) = self.store.agent_asking(&question.id)? {
            row.question = None;
            row.state = row.state.after(Signal::Answered);
            row.changed_at = self.at;
            self.store.keep_agent(&row)?;
        }
        Ok(())
    }
}
