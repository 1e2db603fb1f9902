//! The current step of a run.

use bugle_core::count::{count_phrase, counted};
use bugle_core::digest::Detail;
use bugle_core::reply::{StepView, WakeFacts};
use bugle_core::wake::{Known, Offer, Part};

use super::quote::{Program, clipped, code, fence, inline, items, notices, number, tags_remark};
use super::shorten::{LENGTHS, Pieces, beginning, ends, mark};
use super::sizes;
use crate::{Format, notice_text, step, text};

const HEADING: &str = "## Current step";

/// Maximum length of a title, in characters.
const LONGEST_TITLE: usize = 160;

/// Maximum length of a question in a reminder, in characters.
const LONGEST_QUESTION: usize = 1_000;

/// The step at every size.
pub(super) fn offer(facts: &WakeFacts, program: &Program) -> Offer {
    let Some(view) = &facts.step else {
        return sizes::nothing(Part::Step);
    };
    let again = again(view, program);
    let mut offered = vec![(Detail::Full, full(view, &again))];
    offered.extend(
        shortened(view, &again)
            .into_iter()
            .map(|blocks| (Detail::Digest, blocks)),
    );
    offered.push((Detail::Digest, digest(view, &again)));
    offered.push((Detail::Pointer, pointer(view, &again)));
    sizes::offer(Part::Step, offered)
}

/// The whole step.
fn full(view: &StepView, again: &str) -> Vec<String> {
    let page = step::step(view, Format::Markdown);
    vec![
        HEADING.to_owned(),
        format!("Output of {again}{}:", tags_remark(&page)),
        fence(&page),
    ]
}

/// Maximum length of each kind of text, in characters.
#[derive(Clone, Copy)]
struct Room {
    /// The limit for each quotation in the step's text, such as params and results.
    quoted: usize,
    /// The limit for each document.
    document: usize,
    /// The limit for the step's text.
    words: usize,
}

/// The step at lengths between its full text and its digest. Quotations are cut first, then documents, then the
/// middle of the text. Limits, tools, the expected result and the commands are kept.
fn shortened(view: &StepView, again: &str) -> Vec<Vec<String>> {
    let pieces = Pieces::of(view.action.trim_end());
    let documents = view.resources.iter().map(|document| document.content.len());
    let longest_document = documents
        .chain(view.role_brief.iter().map(String::len))
        .max()
        .unwrap_or_default();
    let least = LENGTHS[LENGTHS.len() - 1];
    let all = Room {
        quoted: usize::MAX,
        document: usize::MAX,
        words: usize::MAX,
    };
    let below = |length: usize| LENGTHS.into_iter().filter(move |most| *most < length);
    let quoted = below(pieces.longest()).map(|quoted| Room { quoted, ..all });
    let all = Room { quoted: least, ..all };
    let document = below(longest_document).map(|document| Room { document, ..all });
    let all = Room { document: 0, ..all };
    let words = below(view.action.len()).map(|words| Room { words, ..all });
    let mut shown = StepView {
        action: String::new(),
        ..view.clone()
    };
    quoted
        .chain(document)
        .chain(words)
        .filter_map(|room| within(view, &pieces, room, &mut shown, again))
        .collect()
}

/// The step cut to `room`; `None` if everything fits. Writes the shortened text to `shown`.
fn within(
    view: &StepView,
    pieces: &Pieces<'_>,
    room: Room,
    shown: &mut StepView,
    again: &str,
) -> Option<Vec<String>> {
    let (mut action, quoted) = pieces.shortened(room.quoted);
    let mut lines = 0;
    if let Some((kept, missing)) = ends(&action, room.words) {
        (action, lines) = (kept, missing);
    }
    let mut of_documents = 0;
    let mut clip = |text: &str| match beginning(text, room.document) {
        Some((kept, missing)) => {
            of_documents += missing;
            format!("{kept}\n{}", mark(missing)).trim_start().to_owned()
        }
        None => text.to_owned(),
    };
    shown.action = action;
    shown.role_brief = view.role_brief.as_deref().map(&mut clip);
    for (shown, document) in shown.resources.iter_mut().zip(&view.resources) {
        shown.content = clip(&document.content);
    }
    let missing = [
        (quoted, "character of quoted text", "characters of quoted text"),
        (of_documents, "character of documents", "characters of documents"),
        (lines, "line of the step", "lines of the step"),
    ];
    let missing = missing.into_iter().filter(|(missing, ..)| *missing > 0);
    let missing: Vec<String> = missing
        .map(|(missing, one, many)| count_phrase(missing, one, many))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let page = step::step(shown, Format::Markdown);
    Some(vec![
        HEADING.to_owned(),
        format!(
            "Shortened output of {again}, without {}{}:",
            missing.join(" and "),
            tags_remark(&page)
        ),
        fence(&page),
    ])
}

/// A one-line reminder of the step, for an agent that has read it, with the question that waits for the user's answer.
pub(super) fn reminder(facts: &WakeFacts, program: &Program) -> Offer {
    let Some(view) = &facts.step else {
        return sizes::nothing(Part::Step);
    };
    let again = again(view, program);
    let line = format!("{} {}", header(view), whole(&again));
    let mut blocks = vec![line];
    if let Some(ask) = &view.ask {
        let whole = ask.question.trim();
        let shown = beginning(whole, LONGEST_QUESTION).map_or(whole, |(shown, _)| shown);
        blocks.push(format!(
            "This question waits for the user's answer{}:",
            tags_remark(shown)
        ));
        blocks.push(fence(shown));
    }
    sizes::reminder(Part::Step, Known::Whole, blocks, &full(view, &again))
}

/// The command that prints the step again.
fn again(view: &StepView, program: &Program) -> String {
    code(&program.command(&["step", view.position.run.as_str()]))
}

fn whole(again: &str) -> String {
    format!("Full step: {again}")
}

fn pointer(view: &StepView, again: &str) -> Vec<String> {
    vec![HEADING.to_owned(), header(view), whole(again)]
}

fn header(view: &StepView) -> String {
    let at = &view.position;
    let visit = at.visit.as_ref();
    let visit = visit.map_or(String::new(), |visit| {
        format!(", visit {}", code(&visit.to_string()))
    });
    format!(
        "**Step:** {} ({}, run {}{visit}).",
        clipped(&view.title, LONGEST_TITLE),
        inline(&at.skill),
        inline(at.run.as_str())
    )
}

fn digest(view: &StepView, again: &str) -> Vec<String> {
    let mut blocks = vec![HEADING.to_owned(), header(view)];
    blocks.extend(view.task.iter().map(|task| inline(&text::task(task))));
    blocks.push(notices(view.notices.iter().map(notice_text::run)));
    let action = view.action.trim();
    let first = first_paragraph(action);
    blocks.push(format!("Beginning of the step{}:", tags_remark(first)));
    blocks.push(fence(first));
    if !view.forbidden.is_empty() {
        let lines = view.forbidden.iter().map(|line| inline(line));
        blocks.push(format!("Not allowed in this step:\n{}", items(lines)));
    }
    blocks.extend(expected(view));
    if let Some(command) = &view.command {
        blocks.push(format!("**When done, {}:**", view.interface.verb()));
        blocks.push(super::quote::command(command));
    }
    let lines = action.lines().count().saturating_sub(first.lines().count());
    let missing = missing(view, number(lines));
    blocks.push(if missing.is_empty() {
        whole(again)
    } else {
        format!("Left out: {}. {}", missing.join(", "), whole(again))
    });
    blocks
}

/// The parts that a shortened step does not show.
fn missing(view: &StepView, lines: u64) -> Vec<String> {
    let documents = number(view.resources.len());
    let has_tools = !view.denied_tools.is_empty() || !view.allowed_tools.is_empty();
    let has_way_out = view.failure_command.is_some() || !view.escalations.is_empty();
    let has_review = view.verdict.is_some() || view.review_loop.is_some();
    let parts = [
        (
            lines > 0,
            count_phrase(lines, "line of the step", "lines of the step"),
        ),
        (documents > 0, counted(documents, "document")),
        (view.role_brief.is_some(), "the role brief".to_owned()),
        (has_review, "the review".to_owned()),
        (has_tools, "the tool limits".to_owned()),
        (
            !view.evidence.is_empty(),
            "the checks that Bugle will run".to_owned(),
        ),
        (view.result.is_some(), "the shape of the result".to_owned()),
        (view.ask.is_some(), "the question".to_owned()),
        (
            view.dispatch.is_some(),
            "the sub-agents' start commands".to_owned(),
        ),
        (
            has_way_out,
            "what to do if you cannot complete the step".to_owned(),
        ),
    ];
    let parts = parts.into_iter().filter(|(is_there, _)| *is_there);
    parts.map(|(_, what)| what).collect()
}

/// The text up to its first blank line.
fn first_paragraph(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    text[..end].trim_end()
}

/// The step's requirements: a result, an answer, reports.
fn expected(view: &StepView) -> Vec<String> {
    let mut expected = Vec::new();
    if let Some(result) = &view.result {
        let fields = result.fields.iter().map(|field| code(&field.name));
        let fields = fields.collect::<Vec<_>>().join(", ");
        let fields = if fields.is_empty() {
            fields
        } else {
            format!(" with {fields}")
        };
        let place = if view.interface.is_mcp() {
            format!("passed as {}", code("result"))
        } else {
            format!("written to {}", code(&result.file))
        };
        expected.push(format!("Return: a JSON result{fields}, {place}"));
    }
    if view.ask.is_some() {
        expected.push("Needed: the user's answer to this step's question.".to_owned());
    }
    if let Some(dispatch) = &view.dispatch {
        expected.push(format!(
            "Needed: reports from the sub-agents ({} of {} have reported).",
            dispatch.reported, dispatch.needed
        ));
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_ends_at_a_blank_line() {
        assert_eq!(first_paragraph("one\ntwo\n \nthree"), "one\ntwo");
        assert_eq!(first_paragraph("one"), "one");
        assert_eq!(first_paragraph(""), "");
    }
}
