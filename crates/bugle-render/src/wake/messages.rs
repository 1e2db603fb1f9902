//! Unread messages, each between fences. A message that is shown counts as read, so that it is delivered once. Messages
//! that are not shown are only counted.

use std::collections::BTreeMap;
use std::rc::Rc;

use bugle_core::count::count_phrase;
use bugle_core::digest::Detail;
use bugle_core::reply::{WakeFacts, WakeMessage};
use bugle_core::wake::{Offer, Part, Queue, ShownMessages, minimum_shown};

use super::quote::{Program, clipped, code, fence, inline, number, speaker, tags_remark};
use super::sizes;
use crate::text::page;

/// Minimum length of a shortened message without an id, in characters. Bugle does not store such a message, so the
/// agent sees it only here.
const LEAST_OF_UNKEPT: usize = 2_000;

/// Maximum number of senders named if their messages are not shown.
const MOST_SENDERS: usize = 5;

/// Maximum length of a question shown with its answer, in characters.
const MOST_OF_QUESTION: usize = 80;

const HEADING: &str = "## New messages";

/// The unread messages. If the first message does not fit, an agent that still has its context sees the beginning of
/// that message. For any other agent, the message waits for a wake-up with more room.
pub(super) fn offer(facts: &WakeFacts, remembers: bool, program: &Program) -> Offer {
    if facts.messages.is_empty() && facts.more_messages == 0 {
        return sizes::nothing(Part::Messages);
    }
    let mail = Mail::new(facts, remembers, program);
    let mut sizes = vec![(Detail::Pointer, mail.blocks(minimum_shown(&mail)))];
    if !facts.messages.is_empty() {
        sizes.insert(0, (Detail::Full, mail.all()));
    }
    Offer {
        queue: Some(Rc::new(mail)),
        ..sizes::offer(Part::Messages, sizes)
    }
}

/// The messages of a wake-up.
#[derive(Debug)]
struct Mail {
    /// Stored messages in order; the agent can fetch these later.
    kept: Vec<WakeMessage>,
    /// Messages that are not stored; the agent sees these only now.
    unkept: Vec<WakeMessage>,
    /// Number of further stored messages.
    more: u64,
    is_announced: bool,
    letters_of_first: usize,
    program: Program,
    /// The command that fetches the omitted messages.
    fetch: String,
}

impl Mail {
    fn new(facts: &WakeFacts, is_announced: bool, program: &Program) -> Self {
        let name = facts.agent.trim_start_matches('@');
        let fetch = if is_word(name) {
            program.command(&["message", "list", "--for", name, "--unread", "--take"])
        } else {
            program.command(&["message", "list"])
        };
        let (kept, unkept): (Vec<WakeMessage>, Vec<WakeMessage>) = facts
            .messages
            .iter()
            .cloned()
            .partition(|message| message.id.is_some());
        let first = kept.first().map_or("", |message| message.text.trim_end());
        Self {
            letters_of_first: first.chars().count(),
            kept,
            unkept,
            more: facts.more_messages,
            is_announced,
            program: program.clone(),
            fetch: code(&fetch),
        }
    }

    /// All messages in full.
    fn all(&self) -> Vec<String> {
        self.written(ShownMessages::whole(self.kept.len()), &|message| {
            fence(&message.text)
        })
    }

    /// The messages, shortened.
    fn blocks(&self, told: ShownMessages) -> Vec<String> {
        let unkept = "Bugle does not store this message; ask the sender for the rest";
        self.written(told, &|message| beginning(&message.text, LEAST_OF_UNKEPT, unkept))
    }

    fn written(&self, told: ShownMessages, unkept: &dyn Fn(&WakeMessage) -> String) -> Vec<String> {
        let mut blocks = vec![HEADING.to_owned()];
        let shown = told.count() + self.unkept.len();
        if shown > 0 {
            let waiting = self.kept.len().saturating_sub(told.count());
            blocks.push(introduction(shown, self.more.saturating_add(number(waiting))));
        }
        for message in self.kept.iter().take(told.whole) {
            blocks.extend([title(message), fence(&message.text)]);
        }
        if let (Some(letters), Some(message)) = (told.beginning, self.kept.get(told.whole)) {
            let shown_by = self.shown_by(message);
            blocks.extend([title(message), beginning(&message.text, letters, &shown_by)]);
        }
        for message in &self.unkept {
            blocks.extend([title(message), unkept(message)]);
        }
        let waiting = self.kept.get(told.count()..).unwrap_or_default();
        let more = self.more.saturating_add(number(waiting.len()));
        if more > 0 && told.count() == 0 {
            blocks.push(summary(waiting, self.more, &self.fetch));
        } else if more > 0 {
            let more = count_phrase(more, "more is", "more are");
            let questions = questions(waiting).map(|questions| format!(" ({questions})"));
            blocks.push(format!(
                "{more} not shown{}: {}",
                questions.unwrap_or_default(),
                self.fetch
            ));
        }
        blocks
    }

    /// The command that shows a message in full. The message counts as read, so the fetch command does not return it.
    fn shown_by(&self, message: &WakeMessage) -> String {
        match message.id.as_deref().filter(|id| is_word(id)) {
            Some(id) => code(&self.program.command(&["message", "list", id])),
            None => code(&self.program.command(&["message", "list"])),
        }
    }
}

impl Queue for Mail {
    fn len(&self) -> usize {
        self.kept.len()
    }

    fn letters_of_first(&self) -> usize {
        self.letters_of_first
    }

    fn is_announced(&self) -> bool {
        self.is_announced
    }

    fn text(&self, told: ShownMessages) -> String {
        page(&self.blocks(told))
    }
}

/// Whether a command can contain the word without quotes.
fn is_word(name: &str) -> bool {
    name.chars()
        .all(|letter| letter.is_alphanumeric() || "-_./:".contains(letter))
}

/// How many messages are shown, and how many are waiting.
fn introduction(shown: usize, waiting: u64) -> String {
    let shown = number(shown);
    let messages = match waiting {
        0 => count_phrase(shown, "unread message", "unread messages, oldest first"),
        _ => format!(
            "{shown} of {} unread messages, oldest first",
            shown.saturating_add(waiting)
        ),
    };
    format!("{messages}. The fenced text is the sender's, not Bugle's.")
}

/// The number of questions among messages that are not shown.
fn questions(messages: &[WakeMessage]) -> Option<String> {
    let asking = messages.iter().filter(|message| message.answer_with.is_some());
    let questions = number(asking.count());
    (questions > 0).then(|| count_phrase(questions, "is a question for you", "are questions for you"))
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
                "**{from} asks you**{at}{id}{remark}. Answer with {} (replace `-` with your answer, or pass it on stdin):",
                code(command)
            )
        }
        (None, Some(question)) => format!(
            "**From {from}**{at}{id}{remark}, in answer to {}:",
            code(&clipped(question, MOST_OF_QUESTION))
        ),
        (None, None) => format!("**From {from}**{at}{id}{remark}:"),
    }
}

/// The beginning of a message, the length of the rest, and where to find it.
fn beginning(text: &str, most: usize, whereabouts: &str) -> String {
    let text = text.trim_end();
    let Some((end, _)) = text.char_indices().nth(most) else {
        return fence(text);
    };
    let rest = number(text[end..].chars().count());
    let rest = count_phrase(rest, "character is", "characters are");
    format!("{}\n\n{rest} left out: {whereabouts}", fence(&text[..end]))
}

/// The number of messages that are not shown, and their senders.
fn summary(messages: &[WakeMessage], more: u64, command: &str) -> String {
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
    parts.extend(questions(messages));
    let from = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    let unread = count_phrase(all, "unread message is", "unread messages are");
    format!("{unread} not shown{from}: {command}")
}
