//! An agent's unread messages: read them, deliver them, and mark them as read.

use bugle_core::message::{AgentAddress, Home};
use bugle_core::reply::{MessageList, OpenQuestion};
use bugle_store::{MessageRow, Store, Unread};

use super::Receipt;
use super::list::view;
use crate::agents::Me;
use crate::{AppError, Context, agents, answer_commands};

/// Maximum number of unread messages shown at once.
const MAX_UNREAD: u32 = 50;
/// Size above which a list of messages is written outside the transaction. A pipe without a reader buffers this much.
const MAX_BYTES_IN_TRANSACTION: usize = 32 * 1024;

fn unread_list(unread: &Unread, agent: &AgentAddress, home: &Home) -> MessageList {
    MessageList {
        messages: unread.rows.iter().map(|row| view(&row.message, home)).collect(),
        unread_by: Some(agent.to_string()),
        more_unread: unread.more,
        earlier: false,
        questions: Vec::new(),
    }
}

/// The oldest unread messages of an agent, by default the caller, and the number of further unread messages. The
/// messages stay unread until the receipt is used.
pub fn unread_messages(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
) -> Result<(MessageList, Option<Receipt>), AppError> {
    let me = agents::me(store, ctx, name)?;
    let Some(project) = me.project.clone() else {
        return Ok((unread_list(&Unread::default(), &me.address, &me.home), None));
    };
    let unread = store.unread(&project, &me.address, MAX_UNREAD)?;
    let receipt = unread.rows.last().map(|last| Receipt {
        project,
        agent: me.address.clone(),
        up_to: last.place,
    });
    let mut list = unread_list(&unread, &me.address, &me.home);
    list.questions = questions_to(store, ctx, &me)?;
    Ok((list, receipt))
}

/// The open questions to an agent, oldest first.
pub(super) fn questions_to(store: &mut Store, ctx: &Context, me: &Me) -> Result<Vec<OpenQuestion>, AppError> {
    let Some(project) = &me.project else {
        return Ok(Vec::new());
    };
    let questions = store.open_questions(project, &me.address, &[])?;
    let open = |question: &MessageRow| OpenQuestion {
        message: view(question, &me.home),
        answer_with: answer_commands::answer_message(ctx, &question.id),
    };
    Ok(questions.iter().rev().map(open).collect())
}

/// Writes the unread messages with `say`, then marks them as read. If writing fails, they stay unread.
pub fn take_messages(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
    say: &mut dyn FnMut(&MessageList) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let me = agents::me(store, ctx, name)?;
    let questions = questions_to(store, ctx, &me)?;
    deliver(store, ctx, &me, &mut |unread| {
        let mut list = unread_list(unread, &me.address, &me.home);
        list.questions.clone_from(&questions);
        say(&list)
    })
}

/// Passes an agent's unread messages to `say` and marks them as read, in one transaction. Two readers never get the
/// same message, and the messages stay unread if writing fails. A long list is written before the transaction, because
/// a slow reader would block every other writer. Two readers may then see the same list.
pub(super) fn deliver(
    store: &mut Store,
    ctx: &Context,
    me: &Me,
    say: &mut dyn FnMut(&Unread) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let Some(project) = &me.project else {
        return say(&Unread::default());
    };
    let ahead = store.unread(project, &me.address, MAX_UNREAD)?;
    let Some(last) = ahead.rows.last() else {
        return say(&ahead);
    };
    let now = ctx.now();
    let size: usize = ahead.rows.iter().map(|row| row.message.text.len()).sum();
    if size > MAX_BYTES_IN_TRANSACTION {
        say(&ahead)?;
        store.take(project, &me.address, last.place, now)?;
        return Ok(());
    }
    store.project_transaction(project, |tx| {
        let unread = tx.unread(project, &me.address, MAX_UNREAD)?;
        if let Some(last) = unread.rows.last() {
            tx.take(project, &me.address, last.place, now)?;
        }
        tx.forbid_retry();
        say(&unread)
    })
}

/// Marks a receipt's messages as read.
pub fn mark_read(store: &mut Store, ctx: &Context, receipt: &Receipt) -> Result<(), AppError> {
    store.take(&receipt.project, &receipt.agent, receipt.up_to, ctx.now())?;
    Ok(())
}
