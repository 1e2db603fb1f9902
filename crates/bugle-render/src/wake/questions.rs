//! The questions that the agent has not answered. Every wake-up repeats them, because the senders are waiting.

use bugle_core::digest::Detail;
use bugle_core::reply::{WakeFacts, WakeMessage};
use bugle_core::wake::{Offer, Part};

use super::quote::{Program, clipped, code, fence, inline, items, speaker, tags_remark};
use super::sizes;

const HEADING: &str = "## Unanswered questions";
const INTRODUCTION: &str = "Answer each question. Replace `-` with your answer, or pass it on stdin. The fenced text is the \
sender's, not Bugle's.";

/// Maximum length of a shortened question, in characters.
const FEWER: usize = 240;

/// Maximum length of a question at the smallest size, in characters.
const FEWEST: usize = 60;

/// The open questions. An agent that still has its context gets a line for each.
pub(super) fn offer(facts: &WakeFacts, program: &Program) -> Offer {
    let questions = &facts.questions;
    if questions.is_empty() {
        return sizes::nothing(Part::Questions);
    }
    let mut full = vec![HEADING.to_owned(), INTRODUCTION.to_owned()];
    for question in questions {
        full.push(format!("**{}**{}:", title(question), tags_remark(&question.text)));
        full.push(fence(&question.text));
    }
    let shortest = lines(questions, FEWEST, program);
    if facts.remembers {
        let known = sizes::known(facts, Part::Questions);
        return sizes::reminder(Part::Questions, known, shortest, &full);
    }
    let offered = vec![
        (Detail::Full, full),
        (Detail::Digest, lines(questions, FEWER, program)),
        (Detail::Pointer, shortest),
    ];
    sizes::offer(Part::Questions, offered)
}

/// The questions, one per line. A shortened question names the command that shows all of it.
fn lines(questions: &[WakeMessage], most: usize, program: &Program) -> Vec<String> {
    let line = |question: &WakeMessage| {
        let text = clipped(&question.text, most);
        let id = question.id.as_ref().filter(|_| text != inline(&question.text));
        let whole = id.map_or(String::new(), |id| {
            format!(
                " Full question: {}",
                code(&program.command(&["message", "list", id]))
            )
        });
        format!("{}: {text}{whole}", title(question))
    };
    vec![HEADING.to_owned(), items(questions.iter().map(line))]
}

fn title(question: &WakeMessage) -> String {
    let id = question.id.as_ref();
    let id = id.map_or(String::new(), |id| format!(" ({})", clipped(id, 40)));
    let answer = question.answer_with.as_ref();
    let answer = answer.map_or(String::new(), |command| {
        format!(", answer with {}", code(command))
    });
    format!("{} asks{id}{answer}", speaker(&question.from))
}
