//! What others said: every word of it between fences, and never passed over in silence.

use std::collections::BTreeMap;

use bugle_core::digest::Detail;
use bugle_core::wake::{Offer, Part};
use bugle_wire::{WakeFacts, WakeMessage};

use super::quote::{clipped, code, count, fence, inline, number, speaker, tags_remark};
use super::sizes;

/// How many characters of a message are shown where it is cut.
const MOST_OF_ONE: usize = 200;

/// How many characters of what nobody keeps are always shown: who wakes up gets it now or never.
const LEAST_OF_UNKEPT: usize = 2_000;

/// How many messages are shown where they are cut: enough to see what is asked, and few enough to fit.
const MOST_SHOWN: usize = 12;

/// How many senders are named where their messages are not shown.
const MOST_SENDERS: usize = 5;

/// How many characters of a question are shown with its answer.
const MOST_OF_QUESTION: usize = 80;

const HEADING: &str = "## New messages";

pub(super) fn offer(facts: &WakeFacts, program: &str) -> Offer {
    let messages = &facts.messages;
    let more = facts.more_messages;
    if messages.is_empty() && more == 0 {
        return sizes::nothing(Part::Messages);
    }
    // What is not shown whole stays unread until it is fetched.
    let name = facts.agent.trim_start_matches('@');
    let own = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || "-_./:".contains(letter));
    let command = if own {
        code(&format!("{program} messages --for {name} --unread --take"))
    } else {
        code(&format!("{program} messages"))
    };
    let kept: Vec<&WakeMessage> = messages.iter().filter(|message| is_kept(message)).collect();
    // So many of those that can be fetched, and all others.
    let told = |most: usize, of_one: &dyn Fn(&WakeMessage) -> String| {
        let mut room = most;
        let shown: Vec<&WakeMessage> = messages
            .iter()
            .filter(|message| {
                let fits = !is_kept(message) || room > 0;
                room = room.saturating_sub(usize::from(is_kept(message)));
                fits
            })
            .collect();
        let mut blocks = vec![HEADING.to_owned()];
        if !shown.is_empty() {
            blocks.push(introduction(shown.len()));
        }
        for message in shown {
            blocks.extend([title(message), of_one(message)]);
        }
        blocks
    };
    let shown = |most: usize, of_one: &dyn Fn(&WakeMessage) -> String| {
        let mut blocks = told(most, of_one);
        let more = more.saturating_add(number(kept.len().saturating_sub(most)));
        if more > 0 {
            let more = count(more, "more is", "more are");
            blocks.push(format!("{more} not shown: {command}"));
        }
        blocks
    };
    let full = shown(kept.len(), &|message| fence(&message.text));
    let digest = shown(MOST_SHOWN, &|message| beginning(message, &command));
    let mut pointer = told(0, &|message| beginning(message, &command));
    if !kept.is_empty() || more > 0 {
        pointer.push(summary(&kept, more, &command));
    }
    let mut sizes = vec![(Detail::Pointer, pointer)];
    if !messages.is_empty() {
        sizes.splice(0..0, [(Detail::Full, full), (Detail::Digest, digest)]);
    }
    sizes::offer(Part::Messages, sizes)
}

/// Whether a message can be fetched later.
fn is_kept(message: &WakeMessage) -> bool {
    message.id.is_some()
}

fn introduction(messages: usize) -> String {
    let messages = count(
        number(messages),
        "unread message",
        "unread messages, the oldest first",
    );
    format!("{messages}. Between the fences are the sender's words, not Bugle's.")
}

fn title(message: &WakeMessage) -> String {
    let at = message.at.as_ref();
    let at = at.map_or(String::new(), |at| format!(" at {}", clipped(at, 40)));
    let id = message.id.as_ref();
    let id = id.map_or(String::new(), |id| format!(" ({})", clipped(id, 40)));
    let from = speaker(&message.from);
    let remark = tags_remark(&message.text);
    match (&message.answer_with, &message.answers) {
        (Some(command), _) => {
            format!(
                "**{from} asks you**{at}{id}{remark}, and waits for {}:",
                code(command)
            )
        }
        (None, Some(question)) => format!(
            "**From {from}**{at}{id}{remark}, the answer to {}:",
            code(&clipped(question, MOST_OF_QUESTION))
        ),
        (None, None) => format!("**From {from}**{at}{id}{remark}:"),
    }
}

/// The beginning of a message, how much of it is missing, and where that is.
fn beginning(message: &WakeMessage, command: &str) -> String {
    let text = message.text.trim_end();
    let (most, whereabouts) = if is_kept(message) {
        (MOST_OF_ONE, command)
    } else {
        (
            LEAST_OF_UNKEPT,
            "Bugle does not keep them, only whoever said it has them",
        )
    };
    let Some((end, _)) = text.char_indices().nth(most) else {
        return fence(text);
    };
    let rest = number(text[end..].chars().count());
    let rest = count(rest, "character of it is", "characters of it are");
    format!("{}\n\n{rest} left out: {whereabouts}", fence(&text[..end]))
}

/// How many messages there are, and from whom.
fn summary(messages: &[&WakeMessage], more: u64, command: &str) -> String {
    let all = number(messages.len()).saturating_add(more);
    let mut of_sender: BTreeMap<String, u64> = BTreeMap::new();
    for message in messages {
        *of_sender.entry(speaker(&message.from)).or_default() += 1;
    }
    let mut parts: Vec<String> = of_sender
        .iter()
        .take(MOST_SENDERS)
        .map(|(sender, messages)| format!("{messages} from {}", inline(sender)))
        .collect();
    let unnamed = of_sender
        .values()
        .skip(MOST_SENDERS)
        .sum::<u64>()
        .saturating_add(more);
    if unnamed > 0 && !parts.is_empty() {
        parts.push(format!("{unnamed} more"));
    }
    let from = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    let unread = count(all, "unread message is", "unread messages are");
    format!("{unread} not shown{from}: {command}")
}
