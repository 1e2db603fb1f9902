//! A task's inputs and outputs, from `**Interfaces:**` or from separate labels.

use bugle_core::plan::{Interfaces, NoteKind, PlanNote};

use super::blocks::{Block, Label};
use super::text::{after_word, clean_title, has_words};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Consumes,
    Produces,
}

/// Adds the entries of a block.
pub(super) fn interfaces(block: &Block, found: &mut Interfaces, notes: &mut Vec<PlanNote>) {
    let mut side = match block.label {
        Label::Consumes => Some(Side::Consumes),
        Label::Produces => Some(Side::Produces),
        Label::Interfaces => None,
        _ => return,
    };
    let rest = std::iter::once((block.line, 0, block.rest.as_str()));
    let items = block
        .items
        .iter()
        .map(|item| (item.line, item.indent, item.text.as_str()));
    let mut side_indent = 0;
    for (line, indent, text) in rest.chain(items) {
        let text = clean_title(text);
        let (own, text) = named_side(&text);
        if own.is_some() {
            side = own;
            side_indent = indent;
        } else if block.label == Label::Interfaces && indent <= side_indent {
            side = None;
        }
        if !has_words(&text) {
            continue;
        }
        match side {
            Some(Side::Consumes) => found.consumes.push(text),
            Some(Side::Produces) => found.produces.push(text),
            None if is_nothing(&text) => {}
            None => notes.push(PlanNote {
                line: line + 1,
                kind: NoteKind::InterfaceUnread { text },
            }),
        }
    }
}

fn is_nothing(text: &str) -> bool {
    ["none", "n/a"].contains(&text.trim_end_matches('.').to_lowercase().as_str())
}

/// `Consumes: ...`, `**Produces** (for Task 3): ...`
fn named_side(text: &str) -> (Option<Side>, String) {
    let bare = text.trim_start_matches(['*', '_']);
    let emphasis = &text[..text.len() - bare.len()];
    let closed = |rest: &'_ str| {
        rest.strip_prefix(emphasis)
            .unwrap_or(rest)
            .trim_start()
            .to_owned()
    };
    for (word, side) in [("Consumes", Side::Consumes), ("Produces", Side::Produces)] {
        let Some(rest) = after_word(bare, word) else {
            continue;
        };
        let rest = closed(rest);
        let rest = rest.strip_prefix([':', '：', '—', '–', '-']).unwrap_or(&rest);
        return (Some(side), clean_title(&closed(rest)));
    }
    (None, text.to_owned())
}
