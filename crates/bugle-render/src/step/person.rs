//! A waiting step, for the person who answers it, without the agent's instructions.

use bugle_core::reply::StepView;

use super::parts::header;
use crate::{delegation, question, text};

/// A step that waits for an answer, as text for a person; `None` for any other step.
pub fn question_for_person(view: &StepView) -> Option<String> {
    let ask = view.ask.as_ref()?;
    let mut blocks = vec![text::header(&header(view))];
    blocks.extend(view.task.iter().map(text::task));
    blocks.extend(view.verdict.iter().map(delegation::verdict_line));
    blocks.extend(question::for_person(view, ask));
    Some(format!("{}\n", text::printable(&text::page(&blocks))))
}
