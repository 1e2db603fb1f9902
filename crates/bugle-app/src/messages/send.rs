//! Posts messages, questions and answers.

use bugle_core::id::{Actor, BadId, MessageId, RunId, VisitToken};
use bugle_core::message::{AgentAddress, MessageKind, is_placeholder, mentions};
use bugle_core::reply::SaidView;
use bugle_core::rights::Action;
use bugle_store::{MessageRow, ProjectId, Store};

use super::delivery::{Draft, Posting, post_notice};
use super::list::view;
use super::recipients::{Mentioned, Recipients};
use crate::agents::Me;
use crate::messages::{ChannelName, notify};
use crate::resolve_id::resolve_prefix;
use crate::{
    AppError, Context, addresses, agents, answer_commands, messages, permissions, projects,
    supervisor_process,
};

/// Maximum message size.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

fn check_text(text: &str) -> Result<(), AppError> {
    if text.trim().is_empty() {
        return Err(AppError::Usage {
            what: "the message is empty".to_owned(),
            hints: Vec::new(),
        });
    }
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(AppError::Usage {
            what: format!("the message is larger than {MAX_MESSAGE_BYTES} bytes"),
            hints: vec!["Put the text in a file and name the file in the message.".to_owned()],
        });
    }
    if text.contains('\0') {
        return Err(AppError::Usage {
            what: "the message contains a NUL byte".to_owned(),
            hints: vec!["Put the data in a file and name the file in the message.".to_owned()],
        });
    }
    Ok(())
}

/// Posts a message to the agents that it mentions.
pub fn say(store: &mut Store, ctx: &Context, text: &str, name: Option<&str>) -> Result<SaidView, AppError> {
    post(
        store,
        ctx,
        &Draft {
            text,
            kind: MessageKind::Say,
            answers: None,
        },
        name,
    )
}

/// Asks the mentioned agents. An agent that asks is blocked until a mentioned agent answers.
pub fn ask(store: &mut Store, ctx: &Context, text: &str, name: Option<&str>) -> Result<SaidView, AppError> {
    if mentions(text).is_empty() {
        return Err(AppError::Usage {
            what: "the question does not mention an agent or the user".to_owned(),
            hints: vec!["To ask the user, mention @human.".to_owned()],
        });
    }
    post(
        store,
        ctx,
        &Draft {
            text,
            kind: MessageKind::Ask,
            answers: None,
        },
        name,
    )
}

/// Answers the given question, else the only open question.
pub fn answer(
    store: &mut Store,
    ctx: &Context,
    question: Option<&str>,
    text: &str,
    name: Option<&str>,
) -> Result<SaidView, AppError> {
    let is_question = question.is_none() && text.trim().parse::<MessageId>().is_ok();
    if is_question || is_placeholder(text) {
        return Err(AppError::Usage {
            what: "the answer is missing; nothing was posted".to_owned(),
            hints: vec![
                "Write the answer after the question's id, or write `-` to read the answer from stdin."
                    .to_owned(),
            ],
        });
    }
    let me = agents::me(store, ctx, name)?;
    let question = resolve_question(store, ctx, &me, question)?;
    post(
        store,
        ctx,
        &Draft {
            text,
            kind: MessageKind::Answer,
            answers: Some(&question),
        },
        name,
    )
}

fn resolve_question(
    store: &mut Store,
    ctx: &Context,
    me: &Me,
    id: Option<&str>,
) -> Result<MessageRow, AppError> {
    let hint = format!("`{}` shows your open questions.", ctx.command(&["inbox"]));
    match id {
        Some(id) => question_by_id(store, me, id, &hint),
        None => only_question(store, ctx, me, hint),
    }
}

fn only_question(store: &mut Store, ctx: &Context, me: &Me, hint: String) -> Result<MessageRow, AppError> {
    let mut open = match &me.project {
        Some(project) => store.open_questions(project, &me.address, &[])?,
        None => Vec::new(),
    };
    match open.len() {
        1 => Ok(open.remove(0)),
        0 => Err(AppError::NotFound {
            what: format!("there is no open question to @{}", me.address.seen_from(&me.home)),
            hints: vec![hint],
        }),
        _ => Err(AppError::Usage {
            what: "several questions are open; pass the id of one of them".to_owned(),
            hints: open
                .iter()
                .map(|row| answer_commands::answer_message(ctx, &row.id))
                .collect(),
        }),
    }
}

fn question_by_id(store: &mut Store, me: &Me, id: &str, hint: &str) -> Result<MessageRow, AppError> {
    let refused = |what: String| AppError::Usage {
        what,
        hints: vec![hint.to_owned()],
    };
    let id: MessageId = id.parse().map_err(|bad: BadId| {
        let is_run = id.parse::<RunId>().is_ok() || id.parse::<VisitToken>().is_ok();
        let decide = format!("{id} is a run. `bugle decide '{id}'` answers its question.");
        AppError::Usage {
            what: bad.to_string(),
            hints: vec![if is_run { decide } else { hint.to_owned() }],
        }
    })?;
    let asked = resolve_prefix(
        store.messages_by_prefix(id.as_str())?,
        id.as_str(),
        ("message", "messages"),
        |row| (row.id.to_string(), row.sender.to_string()),
        hint.to_owned(),
    )?;
    if asked.kind != MessageKind::Ask {
        return Err(refused(format!("{} is not a question", asked.id)));
    }
    let open = match &me.project {
        Some(project) => store.is_asked(project, &me.address, &asked.id)?,
        None => false,
    };
    if open {
        return Ok(asked);
    }
    Err(refused(if asked.to.contains(&me.address) {
        format!("{} has already been answered", asked.id)
    } else {
        format!("{} is not addressed to you", asked.id)
    }))
}

/// Posts a message as the user in a branch's channel in this project.
pub fn say_on(store: &mut Store, ctx: &Context, branch: &str, text: &str) -> Result<SaidView, AppError> {
    let channel = ChannelName {
        project: projects::current_project_name(store, ctx)?,
        place: ctx.project.clone(),
        branch: branch.to_owned(),
    };
    say_in(store, ctx, &channel, text, None)
}

/// Posts a message or an answer as the user in a channel. Mentions without a branch resolve to that channel's branch.
pub fn say_in(
    store: &mut Store,
    ctx: &Context,
    channel: &ChannelName,
    text: &str,
    question: Option<&str>,
) -> Result<SaidView, AppError> {
    check_text(text)?;
    let me = messages::person_in(store, ctx, channel)?;
    let asked = match question {
        Some(question) => Some(resolve_question(store, ctx, &me, Some(question))?),
        None => None,
    };
    let kind = if asked.is_some() {
        MessageKind::Answer
    } else {
        MessageKind::Say
    };
    let draft = Draft {
        text,
        kind,
        answers: asked.as_ref(),
    };
    post_as(store, ctx, &draft, &me)
}

fn post(
    store: &mut Store,
    ctx: &Context,
    draft: &Draft<'_>,
    name: Option<&str>,
) -> Result<SaidView, AppError> {
    check_text(draft.text)?;
    projects::ensure_marked_project(store, ctx)?;
    // A session that posts becomes a known agent.
    if let (None, Actor::Agent(session)) = (name, ctx.actor.clone())
        && AgentAddress::of_session(&session.0, &addresses::home(ctx)).is_some()
    {
        agents::agent_of(store, ctx, &session, None)?;
    }
    let me = agents::me(store, ctx, name)?;
    if me.address.is_human() {
        permit_as_user(store, ctx, draft)?;
    }
    post_as(store, ctx, draft, &me)
}

/// Refuses a message in the user's name that the user did not write.
fn permit_as_user(store: &mut Store, ctx: &Context, draft: &Draft<'_>) -> Result<(), AppError> {
    let question = draft.answers.map(|question| question.id.as_str());
    let verb = match draft.kind {
        MessageKind::Say => "say",
        MessageKind::Ask => "ask",
        MessageKind::Answer => "answer",
    };
    let words: Vec<&str> = [verb].into_iter().chain(question).chain([draft.text]).collect();
    // The user needs no `--as`.
    let ctx = Context {
        acting_as: None,
        ..ctx.clone()
    };
    permissions::permit(store, &ctx, Action::WriteAsUser, &words).map(drop)
}

fn post_as(store: &mut Store, ctx: &Context, draft: &Draft<'_>, me: &Me) -> Result<SaidView, AppError> {
    let project = match &me.project {
        Some(project) => project.clone(),
        None => projects::ensure_project(store, ctx)?,
    };
    let mentioned: Vec<Mentioned> = mentions(draft.text)
        .iter()
        .map(|mention| {
            Ok(Mentioned {
                addressee: mention
                    .resolve(&me.home)
                    .map_err(|bad| addresses::bad_address(&bad))?,
                may_be_code: mention.may_be_code(),
            })
        })
        .collect::<Result<_, AppError>>()?;
    let directory = ctx.root.to_string_lossy().into_owned();
    let posted = store.transaction(|tx| {
        let mut posting = Posting {
            store: tx,
            ctx,
            me,
            project: &project,
            at: ctx.now(),
        };
        posting.post(draft, &mentioned, &directory)
    })?;
    for message in std::iter::once(&posted.message).chain(&posted.notice) {
        notify::notify(ctx, message);
    }
    let Recipients { to, unknown, code } = &posted.recipients;
    Ok(SaidView {
        message: view(&posted.message, &me.home),
        notice: supervisor_process::ensure_supervisor_for(store, ctx, to)?,
        near: unknown
            .iter()
            .filter_map(|unknown_agent| unknown_agent.near.clone())
            .collect(),
        unheard_of: unknown
            .iter()
            .map(|unknown_agent| unknown_agent.address.seen_from(&me.home))
            .collect(),
        taken_for_code: code.iter().map(|word| word.seen_from(&me.home)).collect(),
    })
}

/// Posts a notice from Bugle to the user. With `once`, posts only the first notice with that key.
pub(crate) fn notify_user(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    person: &AgentAddress,
    text: &str,
    once: Option<&str>,
) -> Result<(), AppError> {
    let message = store.transaction(|tx| {
        if let Some(once) = once
            && !tx.record_once(project, once, ctx.now())?
        {
            return Ok(None);
        }
        post_notice(tx, ctx, project, person, text).map(Some)
    })?;
    if let Some(message) = message {
        notify::notify(ctx, &message);
    }
    Ok(())
}
