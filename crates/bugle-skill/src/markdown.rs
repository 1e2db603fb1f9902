//! The lines of Markdown text, and which of them are in code.

use bugle_core::fence::Fence;

/// How fences are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fences {
    /// Any line that starts with three marks opens a fence, and the next line with the same mark closes it. Used for
    /// conventions, which are short and have no nested fences.
    Toggling,
    /// As in `CommonMark`: a closing fence is at least as long as the opening one and has nothing after it, so that a
    /// fence can contain another.
    Matched,
}

/// The relation of a line to a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FencePart {
    /// The line opens a fence.
    Opens,
    /// The line is inside a fence.
    Inside,
    /// The line closes a fence.
    Closes,
}

/// A line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The line with its line break.
    pub(crate) text: &'a str,
    /// The line's byte offset.
    pub(crate) at: usize,
    /// The line's relation to a fence, if any.
    pub(crate) fence: Option<FencePart>,
}

/// All lines of a string.
pub(crate) fn lines(body: &str, fences: Fences) -> impl Iterator<Item = Line<'_>> {
    let mut open: Option<Fence> = None;
    let mut next = 0;
    body.split_inclusive('\n').map(move |text| {
        let at = next;
        next += text.len();
        let fence = match open {
            None => {
                open = opened(fences, text.trim());
                open.map(|_| FencePart::Opens)
            }
            Some(begun) if closes(fences, begun, text.trim()) => {
                open = None;
                Some(FencePart::Closes)
            }
            Some(_) => Some(FencePart::Inside),
        };
        Line { text, at, fence }
    })
}

/// The fence that a line opens, if any.
fn opened(fences: Fences, line: &str) -> Option<Fence> {
    let found = match fences {
        Fences::Toggling => Fence::marks(line),
        Fences::Matched => Fence::opened_by(line),
    };
    found.map(|(fence, _)| fence)
}

fn closes(fences: Fences, open: Fence, line: &str) -> bool {
    match fences {
        Fences::Toggling => Fence::marks(line).is_some_and(|(marks, _)| marks.mark == open.mark),
        Fences::Matched => open.is_closed_by(line),
    }
}
