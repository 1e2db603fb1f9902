//! The lines of a Markdown text, and which of them stand in code.

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

/// The marks that opened a fence.
#[derive(Clone, Copy)]
struct Open {
    mark: char,
    length: usize,
}

/// The lines of a text, in order and without gaps.
pub(crate) fn lines(body: &str, fences: Fences) -> impl Iterator<Item = Line<'_>> {
    let mut open: Option<Open> = None;
    let mut next = 0;
    body.split_inclusive('\n').map(move |text| {
        let at = next;
        next += text.len();
        let found = marks(text);
        let fence = match (open, found) {
            (None, Some((marks, behind))) if fences == Fences::Toggling || opens(marks, behind) => {
                open = Some(marks);
                Some(FencePart::Opens)
            }
            (None, _) => None,
            (Some(begun), Some((marks, behind))) if closes(fences, begun, marks, behind) => {
                open = None;
                Some(FencePart::Closes)
            }
            (Some(_), _) => Some(FencePart::Inside),
        };
        Line { text, at, fence }
    })
}

/// The fence that a line begins with, and what stands behind it.
fn marks(line: &str) -> Option<(Open, &str)> {
    let bare = line.trim();
    let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let behind = bare.trim_start_matches(mark);
    let length = bare.len() - behind.len();
    (length >= 3).then_some((Open { mark, length }, behind))
}

/// Whether marks open a fence: a backtick behind backticks makes them code within a line.
fn opens(marks: Open, behind: &str) -> bool {
    !(marks.mark == '`' && behind.contains('`'))
}

fn closes(fences: Fences, begun: Open, marks: Open, behind: &str) -> bool {
    let same = begun.mark == marks.mark;
    match fences {
        Fences::Toggling => same,
        Fences::Matched => same && marks.length >= begun.length && behind.is_empty(),
    }
}
