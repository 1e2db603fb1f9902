//! The messages and open questions in a wake-up.

use bugle_core::message::MessageKind;
use bugle_core::reply::{AskedQuestion, WakeMessage};
use bugle_store::{AgentRow, MessageRow, Store};

use super::{MessageRange, ShortClock, WakeRequest};
use crate::agents::Me;
use crate::{AppError, Context};

/// Maximum number of unread messages in a wake-up.
pub(crate) const MAX_MESSAGES: u32 = 50;

/// An agent's messages.
#[derive(Default)]
pub(super) struct Mail {
    /// Unread messages.
    pub(super) messages: Vec<WakeMessage>,
    /// Questions that the agent has read but not answered.
    pub(super) questions: Vec<WakeMessage>,
    /// The agent's own question that has no answer yet.
    pub(super) asked: Option<AskedQuestion>,
    /// The number of further unread messages.
    pub(super) more: u64,
    /// The mailbox range of the unread messages in the wake-up.
    pub(super) read: Option<MessageRange>,
}

/// Reads an agent's messages. Adds the message from the wake-up request.
pub(super) fn messages_for(
    store: &mut Store,
    ctx: &Context,
    me: Option<&Me>,
    request: &WakeRequest,
    clock: ShortClock<'_>,
) -> Result<Mail, AppError> {
    let mut mail = Mail::default();
    if let Some(me) = me
        && let Some(project) = &me.project
    {
        let unread = store.unread(project, &me.address, MAX_MESSAGES)?;
        mail.more = unread.more;
        mail.read = unread.rows.first().map(|row| MessageRange {
            project: project.clone(),
            agent: me.address.clone(),
            after: row.place.saturating_sub(1),
        });
        for row in &unread.rows {
            let mut message = message_view(ctx, &row.message, me, row.asks, clock);
            message.answers.clone_from(&row.question);
            mail.messages.push(message);
        }
        let questions = store.open_questions(project, &me.address, &unread.rows)?;
        for question in questions.iter().rev() {
            mail.questions.push(message_view(ctx, question, me, true, clock));
        }
    }
    if let Some(row) = me.and_then(|me| me.row.as_ref()) {
        mail.asked = asked_question(store, row)?;
    }
    if let Some(text) = &request.message {
        mail.messages.push(WakeMessage {
            id: None,
            at: None,
            from: "the caller".to_owned(),
            text: text.clone(),
            answer_with: None,
            answers: None,
        });
    }
    Ok(mail)
}

/// The question that blocks the agent until it is answered.
fn asked_question(store: &mut Store, agent: &AgentRow) -> Result<Option<AskedQuestion>, AppError> {
    let Some(id) = &agent.question else {
        return Ok(None);
    };
    let home = agent.address.home();
    let found = store.messages_by_prefix(id.as_str())?.into_iter().next();
    let to = |question: &MessageRow| {
        let names = question.to.iter().map(|to| format!("@{}", to.seen_from(&home)));
        names.collect()
    };
    Ok(found.map(|question| AskedQuestion {
        to: to(&question),
        id: question.id,
        text: question.text,
    }))
}

/// A message in a wake-up. `asks` says whether it is an open question to the agent.
fn message_view(
    ctx: &Context,
    message: &MessageRow,
    me: &Me,
    asks: bool,
    clock: ShortClock<'_>,
) -> WakeMessage {
    let asks = asks && message.kind == MessageKind::Ask;
    WakeMessage {
        id: Some(message.id.to_string()),
        at: Some(clock(message.at)),
        from: format!("@{}", message.sender.seen_from(&me.home)),
        text: message.text.clone(),
        answer_with: asks.then(|| ctx.command(&["answer", message.id.as_str(), "-"])),
        answers: None,
    }
}
