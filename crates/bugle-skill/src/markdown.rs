//! The lines of a Markdown text, and which of them are in code.

use bugle_core::fence::Fence;

/// How fences are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fences {
    /// Any line that begins with three marks opens, and the next one with the same marks closes. Conventions are read
    /// so: theirs are short, and none holds a fence within a fence.
    Toggling,
    /// As `CommonMark` has it: what closes is at least as long as what opened and has nothing behind, so that a fence
    /// can hold another.
    Matched,
}

/// What a line has to do with a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FencePart {
    /// It opens one.
    Opens,
    /// It stands in one.
    Inside,
    /// It closes one.
    Closes,
}

/// A line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The line with its end.
    pub(crate) text: &'a str,
    /// The byte it begins at.
    pub(crate) at: usize,
    /// What it has to do with a fence, if anything.
    pub(crate) fence: Option<FencePart>,
}

/// The lines of a text, in order and without gaps.
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

/// The fence that a line opens.
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
