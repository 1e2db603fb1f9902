//! What others have said to whoever wakes up.

use bugle_core::id::MessageId;
use bugle_core::message::MessageKind;
use bugle_store::{MessageRow, MessageStore as _, ProjectId};
use bugle_wire::WakeMessage;

use super::{ReadMail, ShortClock, WakeRequest};
use crate::agent::Me;
use crate::{App, AppError};

/// How many messages are looked at.
const MOST_MESSAGES: u32 = 50;

/// What was said to an agent and it has not read.
#[derive(Default)]
pub(super) struct Mail {
    pub(super) messages: Vec<WakeMessage>,
    /// What it has read and not answered.
    pub(super) questions: Vec<WakeMessage>,
    /// How many more there are.
    pub(super) more: u64,
    /// What of the agent's mailbox these are.
    pub(super) read: Option<ReadMail>,
}

impl App {
    /// What somebody has not read, and what it is woken with.
    pub(super) fn messages_for(
        &mut self,
        me: Option<&Me>,
        request: &WakeRequest,
        clock: ShortClock<'_>,
    ) -> Result<Mail, AppError> {
        let mut mail = Mail::default();
        if let Some(me) = me
            && let Some(project) = &me.project
        {
            let unread = self.store.unread(project, &me.address, MOST_MESSAGES)?;
            mail.more = unread.more;
            mail.read = unread.rows.first().map(|row| ReadMail {
                project: project.clone(),
                agent: me.address.clone(),
                after: row.place.saturating_sub(1),
            });
            for row in &unread.rows {
                let message = self.told_message(&row.message, me, project, clock)?;
                mail.messages.push(message);
            }
            let questions = self.store.open_questions(project, &me.address)?;
            let is_unread = |id: &MessageId| unread.rows.iter().any(|row| row.message.id == *id);
            for question in questions.iter().rev().filter(|question| !is_unread(&question.id)) {
                mail.questions
                    .push(self.told_message(question, me, project, clock)?);
            }
        }
        if let Some(text) = &request.message {
            mail.messages.push(WakeMessage {
                id: None,
                at: None,
                from: "whoever woke you".to_owned(),
                text: text.clone(),
                answer_with: None,
                answers: None,
            });
        }
        Ok(mail)
    }

    fn told_message(
        &mut self,
        message: &MessageRow,
        me: &Me,
        project: &ProjectId,
        clock: ShortClock<'_>,
    ) -> Result<WakeMessage, AppError> {
        let asks =
            message.kind == MessageKind::Ask && self.store.is_asked(project, &me.address, &message.id)?;
        let question = match &message.answers {
            Some(id) => self.store.messages_by_prefix(id.as_str())?.into_iter().next(),
            None => None,
        };
        Ok(WakeMessage {
            id: Some(message.id.to_string()),
            at: Some(clock(message.at.0)),
            from: format!("@{}", message.sender.seen_from(&me.home)),
            text: message.text.clone(),
            answer_with: asks.then(|| self.place.command(&["answer", message.id.as_str(), "-"])),
            answers: question.map(|question| question.text),
        })
    }
}
