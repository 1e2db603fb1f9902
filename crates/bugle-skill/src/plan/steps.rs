//! The steps of a task in all their forms: checkboxes, bold lines, headings, and lists below `**Steps:**`.
//!
//! If any line starts with `Step` and a number, those lines and the checkboxes in the same list are the steps.
//! Otherwise, every checkbox is a step unless it is below a label with another meaning, such as acceptance criteria.

use std::collections::BTreeMap;
use std::ops::Range;

use bugle_core::plan::{NoteKind, PlanNote, PlanStep, TaskNumber};

use super::blocks::{Block, Label};
use super::heading::{Heading, announced, heading_text};
use super::lines::{Kind, Line};
use super::step_words::step_words;
use super::text::{checkbox, clean_title, has_words, indent, list_item, past_list_markers, unescaped};

/// The steps between two lines.
pub(super) fn steps(
    lines: &[Line<'_>],
    kinds: &[Kind],
    range: Range<usize>,
    blocks: &[Block],
    notes: &mut Vec<PlanNote>,
) -> Vec<PlanStep> {
    let found = candidates(lines, kinds, range, blocks);
    let worded = || found.iter().filter(|candidate| candidate.form == Form::Worded);
    let listed = worded()
        .find(|candidate| candidate.step.checked.is_some())
        .map(|candidate| candidate.indent);
    let any_worded = worded().next().is_some();
    // A nested checkbox is a detail of its parent.
    let boxes = found.iter().filter(|candidate| candidate.form == Form::Box);
    let outermost = boxes.map(|candidate| candidate.indent).min();
    let deepest = if any_worded { listed } else { outermost };
    let is_step = |candidate: &&Candidate| match candidate.form {
        Form::Worded | Form::BelowSteps => true,
        Form::BelowCriteria | Form::Entry => false,
        Form::Box => deepest.is_some_and(|deepest| candidate.indent <= deepest),
    };
    let mut left_out = found
        .iter()
        .filter(|candidate| !is_step(candidate))
        .map(|candidate| candidate.step.line);
    if let Some(line) = left_out.next() {
        let count = left_out.count() + 1;
        notes.push(PlanNote {
            line,
            kind: NoteKind::BoxesNotSteps { count },
        });
    }
    found
        .iter()
        .filter(is_step)
        .map(|candidate| candidate.step.clone())
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The line starts with `Step` and a number.
    Worded,
    /// An item of the list below `**Steps:**`.
    BelowSteps,
    /// A checkbox below a label such as `**Acceptance criteria:**`.
    BelowCriteria,
    /// An entry of a list such as files; not a step, even with a checkbox.
    Entry,
    /// Any other checkbox.
    Box,
}

#[derive(Debug)]
struct Candidate {
    step: PlanStep,
    form: Form,
    indent: usize,
}

fn candidates(lines: &[Line<'_>], kinds: &[Kind], range: Range<usize>, blocks: &[Block]) -> Vec<Candidate> {
    let mut labelled = BTreeMap::new();
    for block in blocks {
        let first = block.items.first().map_or(0, |item| item.indent);
        let form = match block.label {
            Label::Steps => Form::BelowSteps,
            Label::Criteria => Form::BelowCriteria,
            Label::Other => continue,
            _ => Form::Entry,
        };
        let items = block
            .items
            .iter()
            .filter(|item| form != Form::BelowSteps || item.indent == first);
        labelled.extend(items.map(|item| (item.line, form)));
    }
    let mut found = Vec::new();
    for index in range.clone() {
        let text = lines[index].text;
        let (number, title, checked, form) = match kinds[index] {
            Kind::Heading(_) => match announced(&heading_text(text)) {
                Heading::Step(step) => (Some(step.number), step.title, None, Form::Worded),
                _ => continue,
            },
            Kind::Text => {
                let joined = || whole_text(lines, kinds, index, range.end);
                match line_step(text.trim(), labelled.get(&index).copied(), joined) {
                    Some(step) => step,
                    None => continue,
                }
            }
            _ => continue,
        };
        found.push(Candidate {
            step: PlanStep {
                number,
                title,
                checked,
                line: index + 1,
            },
            form,
            indent: indent(text),
        });
    }
    found
}

type Read = (Option<TaskNumber>, String, Option<bool>, Form);

/// The step in a line of text, if any; `joined` returns the line with its continuation.
fn line_step(body: &str, below: Option<Form>, joined: impl FnOnce() -> String) -> Option<Read> {
    let (marker, content) = list_item(body).map_or(("", body), |(marker, content)| (marker, content));
    let boxed = checkbox(content).filter(|_| !marker.is_empty());
    let (checked, content) = boxed.map_or((None, content), |(checked, rest)| (Some(checked), rest));
    if let Some((number, _)) = step_words(content) {
        let joined = joined();
        let whole = past_list_markers(&joined);
        let whole = checkbox(whole).map_or(whole, |(_, rest)| rest);
        let title = step_words(whole).map(|(_, title)| title).unwrap_or_default();
        return Some((Some(number), title, checked, Form::Worded));
    }
    let form = match (below, checked) {
        (Some(Form::BelowSteps), _) if !marker.is_empty() => Form::BelowSteps,
        (Some(Form::BelowCriteria), Some(_)) => Form::BelowCriteria,
        (Some(Form::Entry), _) => return None,
        (_, Some(_)) => Form::Box,
        _ => return None,
    };
    let joined = joined();
    let content = list_item(&joined).map_or(joined.as_str(), |(_, content)| content);
    let content = checkbox(content)
        .filter(|_| checked.is_some())
        .map_or(content, |(_, rest)| rest);
    let title = clean_title(unescaped(content));
    let digits = marker.trim_end_matches(['.', ')']);
    let number = (form == Form::BelowSteps && digits.starts_with(|sign: char| sign.is_ascii_digit()))
        .then(|| TaskNumber::new(digits));
    has_words(&title).then_some((number, title, checked, form))
}

/// A line with its continuation: unclosed bold text, and the indented lines below a list item.
fn whole_text(lines: &[Line<'_>], kinds: &[Kind], index: usize, end: usize) -> String {
    let mut whole = lines[index].text.trim().to_owned();
    let column = indent(lines[index].text);
    let listed = list_item(&whole).is_some();
    let content = past_list_markers(&whole);
    let content = checkbox(content).map_or(content, |(_, rest)| rest);
    // After `**Step 1:**`, the title continues; `**Step 1: Title**` is already complete.
    let named = content.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let titled_behind = named.is_some_and(|(name, _)| name.trim_end().ends_with([':', '：']));
    let plain = listed && (titled_behind || !content.starts_with(['*', '_']));
    let mut open = whole.matches("**").count() % 2 == 1;
    for next in index + 1..end {
        let body = lines[next].text.trim();
        let hangs = plain && indent(lines[next].text) > column;
        let begins = list_item(body).is_some() || step_words(body).is_some();
        if kinds[next] != Kind::Text || begins || !(open || hangs) {
            break;
        }
        open ^= body.matches("**").count() % 2 == 1;
        whole.push(' ');
        whole.push_str(body);
    }
    whole
}
