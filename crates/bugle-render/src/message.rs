//! Text about messages.

use std::fmt::Write as _;

use bugle_core::count::count_phrase;
use bugle_core::interface::Interface;
use bugle_core::message::MessageKind;
use bugle_core::reply::{InboxView, MessageList, OpenQuestion, SaidMessage, SaidView};

use crate::run::{Clock, for_person};
use crate::spawn::supervisor_notice;
use crate::text::printable;

/// The reply to a posted message.
pub fn said(view: &SaidView) -> String {
    let to = &view.message.to_here;
    let id = &view.message.id;
    let mut out = if to.is_empty() {
        format!("Posted {id}; nobody was mentioned.\n")
    } else {
        let to = to.join(", ");
        match view.message.kind {
            MessageKind::Ask => format!("Asked {to} ({id}).\n"),
            MessageKind::Answer => format!("Answered {to} ({id}).\n"),
            MessageKind::Say if view.unheard_of.len() == view.message.to_here.len() => {
                format!("Saved {id} for {to}: no known agent has this name.\n")
            }
            MessageKind::Say => format!("Sent {id} to {to}.\n"),
        }
    };
    if !view.unheard_of.is_empty() {
        let _ = writeln!(
            out,
            "Unknown agents: {}. Bugle keeps the message until an agent with this name reads it. `bugle agent list \
             --all` lists the agents. To write to people, mention @human.",
            view.unheard_of.join(", ")
        );
    }
    if !view.near.is_empty() {
        let _ = writeln!(out, "Did you mean {}?", view.near.join(", "));
    }
    if !view.taken_for_code.is_empty() {
        let words: Vec<String> = view
            .taken_for_code
            .iter()
            .map(|word| format!("@{word}"))
            .collect();
        let _ = writeln!(
            out,
            "Not treated as mentions, because no known agent has that name: {}.",
            words.join(", ")
        );
    }
    if let Some(notice) = &view.notice {
        let _ = writeln!(out, "{}", supervisor_notice(notice));
    }
    if view.message.kind == MessageKind::Ask {
        out.push_str(if view.message.from_here == "human" {
            "The answer arrives in `bugle inbox`.\n"
        } else {
            "The answer arrives as a message. Until then you are blocked: end your turn.\n"
        });
    }
    printable(&out)
}

/// An inbox, unread messages first.
pub fn inbox(view: &InboxView, clock: Clock<'_>) -> String {
    let mut out = String::new();
    if view.unread.is_empty() {
        let _ = writeln!(out, "No unread messages for {}.", view.whose_here);
    } else {
        let _ = writeln!(out, "Unread messages for {}:\n", view.whose_here);
        for message in &view.unread {
            entry_with_command(&mut out, message, &view.questions, clock);
        }
    }
    if view.more_unread > 0 {
        let more = count_phrase(view.more_unread, "more is", "more are");
        let _ = writeln!(out, "{more} unread.");
    }
    open_questions(&mut out, &view.questions, &view.unread, clock);
    if !view.read.is_empty() {
        out.push_str("\nAlready read:\n\n");
        if view.earlier {
            out.push_str("Earlier messages are not shown; `--last NUMBER` shows more.\n\n");
        }
        for message in &view.read {
            entry(&mut out, message, clock);
        }
    }
    printable(&out)
}

/// Messages, oldest first.
pub fn list(view: &MessageList, interface: Interface, clock: Clock<'_>) -> String {
    if view.messages.is_empty() && view.questions.is_empty() {
        let what = if view.unread_by.is_some() {
            "No unread messages.".to_owned()
        } else {
            let say = interface.command(&["say", "TEXT"]);
            format!(
                "No messages found. `{say}` posts a message; `@name` in the text sends the message to that agent."
            )
        };
        return format!("{what}\n");
    }
    let mut out = String::new();
    if view.earlier {
        out.push_str("Earlier messages are not shown; `--last NUMBER` shows more.\n\n");
    }
    for message in &view.messages {
        entry_with_command(&mut out, message, &view.questions, clock);
    }
    if view.more_unread > 0 {
        let more = count_phrase(view.more_unread, "more is", "more are");
        let _ = writeln!(out, "{more} unread.");
    }
    open_questions(&mut out, &view.questions, &view.messages, clock);
    printable(&out)
}

/// A message. An open question is followed by the command that answers it.
fn entry_with_command(out: &mut String, message: &SaidMessage, questions: &[OpenQuestion], clock: Clock<'_>) {
    entry(out, message, clock);
    if let Some(question) = questions.iter().find(|open| open.message.id == message.id) {
        let _ = writeln!(out, "  To answer: {}", question.answer_with);
    }
}

/// The open questions that are not among the shown messages, each with the command that answers it.
fn open_questions(out: &mut String, questions: &[OpenQuestion], shown: &[SaidMessage], clock: Clock<'_>) {
    let is_shown = |open: &OpenQuestion| shown.iter().any(|message| message.id == open.message.id);
    let hidden: Vec<&OpenQuestion> = questions.iter().filter(|open| !is_shown(open)).collect();
    if hidden.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str("Waiting for an answer:\n\n");
    for question in hidden {
        entry_with_command(out, &question.message, questions, clock);
    }
}

/// A header line with the sender and the time, then the text, indented so that it cannot look like a header.
fn entry(out: &mut String, message: &SaidMessage, clock: Clock<'_>) {
    let to = if message.to_here.is_empty() {
        String::new()
    } else {
        format!(" to {}", message.to_here.join(", "))
    };
    let kind = match (message.kind.as_str(), &message.answers) {
        ("ask", _) if message.open => ", question".to_owned(),
        ("ask", _) => ", answered question".to_owned(),
        ("answer", Some(question)) => format!(", answer to {question}"),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "{}  {}  {}{}{to}{kind}",
        message.id,
        clock(message.at),
        message.from_here,
        for_person(message.person.as_deref())
    );
    for line in message.text.lines() {
        let _ = writeln!(out, "    {line}");
    }
}
