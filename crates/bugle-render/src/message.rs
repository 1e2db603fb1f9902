//! Messages for people and agents.

use std::fmt::Write as _;

use bugle_wire::{InboxView, MessageKind, MessageList, OpenQuestion, SaidMessage, SaidView};

use crate::run::Clock;
use crate::text::printable;

/// The reply to a posted message.
pub fn said(view: &SaidView) -> String {
    let to = &view.message.to_here;
    let verb = match view.message.kind {
        MessageKind::Ask => "asks",
        MessageKind::Answer => "answers",
        MessageKind::Say => "is said to",
    };
    let mut out = if to.is_empty() {
        format!(
            "{} is said to nobody by name; whoever reads along finds it.\n",
            view.message.id
        )
    } else {
        format!("{} {verb} {}.\n", view.message.id, to.join(", "))
    };
    if !view.unheard_of.is_empty() {
        let _ = writeln!(
            out,
            "Not heard of here before: {}. It is kept until they read it.",
            view.unheard_of.join(", ")
        );
    }
    if !view.near.is_empty() {
        let _ = writeln!(out, "Perhaps meant: {}.", view.near.join(", "));
    }
    if !view.taken_for_code.is_empty() {
        let words: Vec<String> = view
            .taken_for_code
            .iter()
            .map(|word| format!("@{word}"))
            .collect();
        let _ = writeln!(
            out,
            "Taken for code, because nobody here is called so: {}.",
            words.join(", ")
        );
    }
    if let Some(notice) = &view.notice {
        let _ = writeln!(out, "{notice}");
    }
    if view.message.kind == MessageKind::Ask {
        out.push_str(
            "The answer comes to you as a message. Until then you are blocked: you may end your turn.\n",
        );
    }
    printable(&out)
}

/// An inbox, unread messages first.
pub fn inbox(view: &InboxView, clock: Clock<'_>) -> String {
    let mut out = String::new();
    if view.unread.is_empty() {
        let _ = writeln!(out, "Nothing is unread for {}.", view.whose_here);
    } else {
        let _ = writeln!(out, "Unread for {}:\n", view.whose_here);
        for message in &view.unread {
            entry(&mut out, message, clock);
        }
    }
    if view.more_unread > 0 {
        let verb = if view.more_unread == 1 { "is" } else { "are" };
        let _ = writeln!(out, "{} more {verb} unread.", view.more_unread);
    }
    open_questions(&mut out, &view.questions, clock);
    if !view.read.is_empty() {
        out.push_str("\nRead before:\n\n");
        if view.earlier {
            out.push_str("Earlier ones are left out; `--last NUMBER` shows more.\n\n");
        }
        for message in &view.read {
            entry(&mut out, message, clock);
        }
    }
    printable(&out)
}

/// Messages, the oldest first.
pub fn list(view: &MessageList, clock: Clock<'_>) -> String {
    if view.messages.is_empty() && view.questions.is_empty() {
        let what = if view.unread_by.is_some() {
            "Nothing is unread."
        } else {
            "No messages here. `bugle say TEXT` says something, `@name` in it to somebody."
        };
        return format!("{what}\n");
    }
    let mut out = String::new();
    if view.earlier {
        out.push_str("Earlier ones are left out; `--last NUMBER` shows more.\n\n");
    }
    for message in &view.messages {
        entry(&mut out, message, clock);
    }
    if view.more_unread > 0 {
        let verb = if view.more_unread == 1 { "is" } else { "are" };
        let _ = writeln!(out, "{} more {verb} unread.", view.more_unread);
    }
    open_questions(&mut out, &view.questions, clock);
    printable(&out)
}

/// What still waits for an answer, each with the command that gives it.
fn open_questions(out: &mut String, questions: &[OpenQuestion], clock: Clock<'_>) {
    if questions.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str("Waiting for an answer:\n\n");
    for question in questions {
        entry(out, &question.message, clock);
        let _ = writeln!(out, "  To answer: {}", question.answer_with);
    }
}

/// A line that says who and when, and below it what was said; indented, so that no text can pass for such a line.
fn entry(out: &mut String, message: &SaidMessage, clock: Clock<'_>) {
    let to = if message.to_here.is_empty() {
        String::new()
    } else {
        format!(" to {}", message.to_here.join(", "))
    };
    let does = match (message.kind.as_str(), &message.answers) {
        ("ask", _) if message.open => ", asking".to_owned(),
        ("ask", _) => ", asking; answered".to_owned(),
        ("answer", Some(question)) => format!(", answering {question}"),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "{}  {}  {}{to}{does}",
        message.id,
        clock(message.at),
        message.from_here
    );
    for line in message.text.lines() {
        let _ = writeln!(out, "    {line}");
    }
}
